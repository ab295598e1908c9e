//! The cases beside the code, on every store that can be opened here.

use std::path::Path;

use session_conformance::{Entry, Options, StoreKind, Verdict, entries, run};

fn cases(name: &str) -> Vec<Entry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    entries(&std::fs::read_to_string(folder.join(name)).unwrap())
}

#[track_caller]
fn check(name: &str, count: usize) {
    let all = cases(name);
    assert_eq!(all.len(), count);
    let program = env!("CARGO_BIN_EXE_session-conformance");
    let mut wrong = Vec::new();
    for store in StoreKind::available() {
        let options = Options::default()
            .on(store)
            .with_program(program)
            .counting_rows();
        for entry in &all {
            match run(entry, &options) {
                Verdict::Passed => {}
                // What is about files and processes cannot be asked of every store, but of one.
                Verdict::Skipped(_) if store != StoreKind::Sqlite => {}
                Verdict::Failed(reason) | Verdict::Skipped(reason) => {
                    wrong.push(format!("{} on {store}: {reason}", entry.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_field_report_passes_on_every_store() {
    check("field-reports.jsonl", 93);
}

#[test]
fn every_case_of_our_own_passes_on_every_store() {
    check("own.jsonl", OWN);
}

/// How many cases there are, so that none is lost.
const OWN: usize = 46;

#[test]
fn a_case_with_a_key_that_nobody_knows_is_not_valid() {
    for entry in cases("not-valid.jsonl") {
        let Verdict::Failed(reason) = run(&entry, &Options::default()) else {
            panic!("{} is taken", entry.id);
        };
        assert!(
            reason.starts_with("the case is not valid: unknown "),
            "{reason}"
        );
    }
}
