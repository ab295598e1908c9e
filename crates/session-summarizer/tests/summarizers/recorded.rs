//! The checks against summaries that models really wrote, good and bad.

use session_summarizer::{Brief, Fault, Finish, Sizes, Summary, check};

use crate::common::{BytesDiv4, halyard};

/// Name, text, finish reason, the fault as answered, the fault if the model had not been cut off.
type Row = (String, String, Finish, Option<String>, Option<String>);

fn rows() -> Vec<Row> {
    let text = include_str!("../data/summaries.json");
    let records: serde_json::Value = serde_json::from_str(text).unwrap();
    let word = |value: &serde_json::Value| value.as_str().map(String::from);
    let row = |it: &serde_json::Value| {
        (
            word(&it["name"]).unwrap(),
            word(&it["text"]).unwrap(),
            Finish::from_name(it["finish"].as_str().unwrap()),
            word(&it["fault"]),
            word(&it["fault_if_complete"]),
        )
    };
    records.as_array().unwrap().iter().map(row).collect()
}

fn fault_of(text: &str, finish: Finish) -> Option<Fault> {
    let talk = halyard();
    let brief = Brief::new(&talk);
    let summary = Summary::new(text, "recorded").unwrap().with_finish(finish);
    let sizes = Sizes::measure(&summary, &brief, &BytesDiv4);
    check(&summary, &brief, sizes).err()
}

#[test]
fn each_recorded_answer_is_accepted_or_refused_by_name() {
    let rows = rows();
    assert!(rows.iter().filter(|row| row.3.is_none()).count() >= 4);
    for (name, text, finish, expected, _) in rows {
        let fault = fault_of(&text, finish);
        assert_eq!(
            fault.as_ref().map(Fault::name),
            expected.as_deref(),
            "{name}: {fault:?}"
        );
    }
}

/// A server may call a cut text complete, and a looping model may find an end: the text alone must
/// tell.
#[test]
fn a_bad_text_is_refused_whatever_the_server_says_of_its_end() {
    for (name, text, _, _, expected) in rows() {
        for finish in [Finish::Complete, Finish::Unreported] {
            let fault = fault_of(&text, finish.clone());
            assert_eq!(
                fault.as_ref().map(Fault::name),
                expected.as_deref(),
                "{name} {finish:?}: {fault:?}"
            );
        }
    }
}

/// A limit, written down: the rejected lock is listed as the rule. No check on form, wording or
/// names can tell; only a reader could.
#[test]
fn a_decision_that_is_turned_round_is_not_noticed() {
    let text = include_str!("../data/contradiction.txt");
    assert!(text.contains("Rules: Use Redis locks"));
    assert_eq!(fault_of(text, Finish::Complete), None);
}
