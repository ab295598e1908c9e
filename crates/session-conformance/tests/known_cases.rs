//! The cases of the field reports, on every store that this build can open.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a case that fails is a panic"
)]

use std::path::Path;

use session_conformance::{Options, StoreKind, Verdict, entries, run};

/// Cases that cannot pass yet, each with the reason. A case of these that passes is a failure of
/// this test, so that the list only shrinks.
const NOT_YET: &[(&str, &str)] = &[
    (
        "BO-039",
        "a summary that is a loop and larger too is refused as a loop first",
    ),
    ("BO-090", "exports of ChatGPT cannot be read yet"),
    ("BO-092", "rollouts of Codex cannot be read yet"),
];

#[test]
fn every_known_case_passes_on_every_store() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/field-reports.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let program = env!("CARGO_BIN_EXE_session-conformance");
    let all = entries(&text);
    assert_eq!(all.len(), 93);
    let mut wrong = Vec::new();
    for store in StoreKind::available() {
        let options = Options::default().on(store).with_program(program);
        for entry in &all {
            let not_yet = NOT_YET.iter().find(|(id, _)| *id == entry.id);
            match (run(entry, &options), not_yet) {
                (Verdict::Failed(reason), None) => {
                    wrong.push(format!("{} on {store}: {reason}", entry.id));
                }
                (Verdict::Passed, Some(_)) => {
                    wrong.push(format!("{} on {store} passes now", entry.id));
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
