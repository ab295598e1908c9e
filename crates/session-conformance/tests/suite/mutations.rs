//! Every expectation of every known case is wrong once, and its case fails then.

use std::path::Path;

use serde_json::{Value, json};
use session_conformance::{Case, Options, StoreKind, Verdict, run_case};

/// Keys for people, and keys whose value is a bound that nothing can be below.
const LEFT_OUT: [&str; 7] = [
    "rule",
    "note",
    "decide",
    "documented",
    "invariants",
    "time_ms_at_most",
    "any_of",
];

/// The value, made wrong.
fn wrong(key: &str, value: &Value) -> Value {
    match value {
        Value::Bool(flag) => json!(!flag),
        Value::Null => json!("something"),
        Value::String(text) if text == "unchanged" => json!(["nobody"]),
        Value::String(text) => json!(format!("{text}x")),
        Value::Number(_) if key.ends_with("at_least") => json!(u32::MAX),
        Value::Number(_) if key.ends_with("at_most") => json!(0),
        Value::Number(number) => json!(number.as_u64().unwrap() + 1),
        Value::Array(items) => {
            let mut items = items.clone();
            items.push(match (key, items.first()) {
                ("pairs", _) => json!(["nobody", "nothing"]),
                ("reported", _) => json!({"line": 999, "why": "torn"}),
                (_, Some(Value::Number(_))) => json!(999),
                (_, Some(Value::Array(_))) => json!(["nobody"]),
                _ => json!("nobody"),
            });
            Value::Array(items)
        }
        Value::Object(fields) => {
            let mut fields = fields.clone();
            let (name, first) = fields.iter().next().unwrap();
            let (name, first) = (name.clone(), wrong(key, first));
            fields.insert(name, first);
            Value::Object(fields)
        }
    }
}

/// The expectations with one thing made wrong, for each thing there is.
fn mutations(expect: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (key, value) in expect.as_object().unwrap() {
        if LEFT_OUT.contains(&key.as_str()) {
            continue;
        }
        let inner = match key.as_str() {
            "per_step" => value
                .as_object()
                .unwrap()
                .iter()
                .flat_map(|(step, expect)| {
                    mutations(expect).into_iter().map(move |(name, wrong)| {
                        let mut steps = value.clone();
                        steps[step] = wrong;
                        (format!("step {step}: {name}"), steps)
                    })
                })
                .collect(),
            "final" => mutations(value),
            _ => vec![(key.clone(), wrong(key, value))],
        };
        for (name, value) in inner {
            let mut expect = expect.clone();
            expect[key] = value;
            all.push((name, expect));
        }
    }
    // Alternatives are wrong when all of them are.
    if let Some(Value::Array(alternatives)) = expect.get("any_of") {
        let each = |alternative: &Value| match mutations(alternative).into_iter().next() {
            Some((_, wrong)) => wrong,
            None => panic!("an alternative that cannot be wrong: {alternative}"),
        };
        let mut expect = expect.clone();
        expect["any_of"] = alternatives.iter().map(each).collect();
        all.push(("any_of".into(), expect));
    }
    all
}

#[test]
fn a_known_case_with_one_wrong_expectation_fails() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/field-reports.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let options = Options::default().on(StoreKind::Memory).counting_rows();
    let mut passed = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        // Slow, and about what stores in files do; each of their keys is tried elsewhere.
        let is_left_out = ["perf", "concurrency", "corrupt", "migrate", "cli"]
            .contains(&case["settings"]["op"].as_str().unwrap());
        if is_left_out || case["settings"]["env"].is_object() {
            continue;
        }
        for (name, expect) in mutations(&case["expect"]) {
            let mut case = case.clone();
            case["expect"] = expect;
            let id = case["id"].as_str().unwrap().to_owned();
            let case = Case::parse(&case.to_string()).unwrap();
            count += 1;
            if run_case(&case, &options) == Verdict::Passed {
                passed.push(format!("{id}: {name}"));
            }
        }
    }
    assert!(passed.is_empty(), "passed although wrong: {passed:#?}");
    assert!(count > 200, "only {count} were tried");
}
