//! The cases of the field reports, on every store that this build can open.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a case that fails is a panic"
)]

use std::path::Path;

use session_conformance::{Options, StoreKind, Verdict, entries, run};

#[test]
fn every_known_case_passes_on_every_store() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/field-reports.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let program = env!("CARGO_BIN_EXE_session-conformance");
    let all = entries(&text);
    assert_eq!(all.len(), 93);
    let mut wrong = Vec::new();
    for store in StoreKind::available() {
        let options = Options::default()
            .on(store)
            .with_program(program)
            .counting_rows();
        for entry in &all {
            match run(entry, &options) {
                Verdict::Passed => {}
                // What is about files and processes cannot be asked of memory.
                Verdict::Skipped(_) if store == StoreKind::Memory => {}
                Verdict::Skipped(_) if store == StoreKind::Postgres => {}
                Verdict::Failed(reason) | Verdict::Skipped(reason) => {
                    wrong.push(format!("{} on {store}: {reason}", entry.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
