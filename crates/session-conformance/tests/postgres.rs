//! The cases beside the code on PostgreSQL, on a server of the test's own.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;
use std::process::Command;

use session_conformance::POSTGRES;

#[path = "../../session-store-postgres/tests/common/cluster.rs"]
mod cluster;

#[test]
fn every_case_passes_on_postgresql_but_those_about_files() {
    let server = cluster::Cluster::start("");
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    for (file, tally) in [
        ("field-reports.jsonl", "92 passed, 0 failed, 1 skipped"),
        ("own.jsonl", "46 passed, 0 failed, 0 skipped"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_session-conformance"))
            .arg(cases.join(file))
            .args(["--store", "postgres"])
            .env(POSTGRES, server.url("postgres"))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let told: Vec<_> = said
            .lines()
            .filter(|line| !line.starts_with("ok "))
            .collect();
        assert!(output.status.success(), "{told:#?}");
        assert!(said.contains(tally), "{file}: {told:#?}");
    }
}
