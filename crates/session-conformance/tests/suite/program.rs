//! The program: lines, the tally, exit codes.

use std::path::PathBuf;
use std::process::{Command, Output};

const CASES: &str = r#"
{"id": "right", "input": [{"_id": "u1", "role": "user", "content": "Hi"}], "settings": {"op": "view"}, "expect": {"view": ["u1"]}}
{"id": "wrong", "input": [{"_id": "u1", "role": "user", "content": "Hi"}], "settings": {"op": "view"}, "expect": {"view": ["two\nlines"]}}
{"id": "stored", "input": [{"_id": "u1", "role": "user", "content": "Hi"}], "settings": {"op": "migrate", "from_schema": "previous"}, "expect": {"view_after_open": ["u1"]}}
{"id": "unknown", "input": [], "settings": {"op": "view", "colour": "red"}, "expect": {}}
{"id": "surprise", "input": [{"_id": "u1", "role": "user", "content": "Hi"}], "settings": {"op": "compact", "window": {"last_turns": 0}}, "expect": {"view": ["u1"]}}
this is no case
"#;

/// A file that is gone afterwards.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let name = format!("session-conformance-{}-{name}.jsonl", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_session-conformance"))
        .args(arguments)
        .output()
        .unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn each_case_is_a_line_and_the_tally_is_the_last_one() {
    let file = File::new("lines", CASES);
    let output = run(&[file.0.to_str().unwrap(), "--store", "memory"]);
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    assert_eq!(lines[0], "ok right");
    assert_eq!(
        lines[1],
        r#"FAIL wrong: view: expected ["two\nlines"], came ["u1"]"#
    );
    assert_eq!(
        lines[2],
        "skip stored: a memory store keeps nothing between two runs"
    );
    assert_eq!(
        lines[3],
        "FAIL unknown: the case is not valid: unknown key `colour` in settings"
    );
    assert!(
        lines[4].starts_with("FAIL surprise: an error came: "),
        "{}",
        lines[4]
    );
    assert!(lines[5].starts_with("FAIL line-7: the case is not valid: line 7 is not JSON"));
    assert_eq!(lines[6], "1 passed, 4 failed, 1 skipped");
    assert_eq!(lines.len(), 7);
}

#[test]
fn one_case_can_be_chosen_and_success_is_code_0() {
    let file = File::new("only", CASES);
    let path = file.0.to_str().unwrap();
    let output = run(&[path, "--only", "right"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        lines(&output),
        ["ok right", "1 passed, 0 failed, 0 skipped"]
    );

    // On a store that keeps things the case that was skipped is run.
    let output = run(&[path, "--only=stored", "--store=sqlite"]);
    assert_eq!(lines(&output)[0], "ok stored");

    let output = run(&[path, "--only", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn json_is_one_object_a_line() {
    let file = File::new("json", CASES);
    let output = run(&[file.0.to_str().unwrap(), "--store", "memory", "--json"]);
    let values: Vec<serde_json::Value> = lines(&output)
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(values[0]["id"], "right");
    assert_eq!(values[0]["verdict"], "ok");
    assert_eq!(values[1]["verdict"], "FAIL");
    assert_eq!(values[2]["verdict"], "skip");
    assert_eq!(values[6]["failed"], 4);
}

#[test]
fn wrong_usage_is_code_2() {
    let file = File::new("usage", CASES);
    let path = file.0.to_str().unwrap();
    for arguments in [
        vec![],
        vec!["--colour"],
        vec![path, "--store"],
        vec![path, "--store", "paper"],
        vec!["no-such-file.jsonl"],
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("error: "), "{said}");
    }
}
