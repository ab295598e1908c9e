//! The lowest crates name neither `std` nor `async`, outside of their tests.

use super::table::Table;
use crate::failure::Failure;
use crate::source::{code_lines_outside_tests, has_word};
use crate::workspace::Workspace;

const WORDS: &[&str] = &["std", "async", "await"];

pub(super) fn check(workspace: &Workspace, table: &Table) -> Result<Vec<String>, Failure> {
    let mut findings = Vec::new();
    let files = workspace.files()?;
    for name in &table.no_std {
        let Some(package) = workspace.package(name) else {
            continue;
        };
        let folder = format!("{}/src/", package.folder(workspace));
        for file in files.iter().filter(|file| file.starts_with(&folder)) {
            if file.ends_with(".rs") && !is_test_file(file) {
                findings.extend(impurities(file, &workspace.read(file)?));
            }
        }
    }
    Ok(findings)
}

pub(super) fn impurities(file: &str, source: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (number, line) in code_lines_outside_tests(source) {
        for word in WORDS {
            if has_word(&line, word) {
                findings.push(format!("{file}:{number} names `{word}`"));
            }
        }
    }
    findings
}

fn is_test_file(file: &str) -> bool {
    file.ends_with("/tests.rs") || file.contains("/tests/")
}
