//! What `llvm-cov export` says, by crate.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::Deserialize;

use crate::failure::Failure;
use crate::workspace::Workspace;

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Share {
    taken: usize,
    all: usize,
}

impl Share {
    /// Whether it is at least so many per cent. Nothing of nothing is all of it.
    pub(super) fn reaches(self, per_cent: usize) -> bool {
        self.taken * 100 >= self.all * per_cent
    }

    fn add(&mut self, is_taken: bool) {
        self.taken += usize::from(is_taken);
        self.all += 1;
    }
}

impl fmt::Display for Share {
    /// `97.3 % (109 of 112)`, rounded down, so that 100 is all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_mille = (self.taken * 1000).checked_div(self.all).unwrap_or(1000);
        let (whole, tenth) = (per_mille / 10, per_mille % 10);
        write!(f, "{whole}.{tenth} % ({} of {})", self.taken, self.all)
    }
}

#[derive(Debug, Default)]
struct Crate {
    lines: Share,
    branches: Share,
    untaken: Vec<String>,
}

/// The crates that were measured, by name.
#[derive(Debug)]
pub(super) struct Report(BTreeMap<String, Crate>);

impl Report {
    /// Reads the JSON of `llvm-cov export`. Files of tests are left out by `cargo llvm-cov`.
    pub(super) fn parse(json: &str, workspace: &Workspace) -> Result<Self, Failure> {
        let export: Export = serde_json::from_str(json)
            .map_err(|error| Failure::because("cannot understand the coverage", error))?;
        let mut crates = BTreeMap::new();
        for file in export.data.iter().flat_map(|data| &data.files) {
            let Some((name, path)) = place(&file.filename, workspace) else {
                continue;
            };
            add(crates.entry(name).or_default(), &path, file);
        }
        Ok(Self(crates))
    }

    /// Lines and branches of a crate; nothing of nothing when it was not measured, except that no
    /// crate is without lines.
    pub(super) fn of(&self, name: &str) -> (Share, Share) {
        match self.0.get(name) {
            Some(found) => (found.lines, found.branches),
            None => (Share { taken: 0, all: 1 }, Share::default()),
        }
    }

    /// Where a branch of these crates was not taken, and which way.
    pub(super) fn untaken(&self, names: &[&str]) -> impl Iterator<Item = &str> {
        let crates = names.iter().filter_map(|name| self.0.get(*name));
        crates.flat_map(|found| found.untaken.iter().map(String::as_str))
    }

    pub(super) fn table(&self) -> String {
        let mut table = String::from("| crate | lines | branches |\n|---|---|---|\n");
        for (name, found) in &self.0 {
            let branches = match found.branches.all {
                0 => "none counted".to_owned(),
                _ => found.branches.to_string(),
            };
            let _ = writeln!(table, "| {name} | {} | {branches} |", found.lines);
        }
        table
    }
}

/// The package a file belongs to, and its path from the root.
fn place(file: &str, workspace: &Workspace) -> Option<(String, String)> {
    let path = file.strip_prefix(workspace.root().to_str()?)?;
    let path = path.trim_start_matches('/');
    let package = workspace
        .packages()
        .iter()
        .find(|package| path.starts_with(&format!("{}/", package.folder(workspace))))?;
    Some((package.name.clone(), path.to_owned()))
}

fn add(to: &mut Crate, path: &str, file: &File) {
    let lines = &file.summary.lines;
    to.lines.taken += lines.covered;
    to.lines.all += lines.count;
    for ((line, column), (when_true, when_false)) in branches(file) {
        to.branches.add(when_true);
        to.branches.add(when_false);
        let way = match (when_true, when_false) {
            (true, true) => continue,
            (true, false) => "never false",
            (false, true) => "never true",
            (false, false) => "never reached",
        };
        to.untaken.push(format!("{path}:{line}:{column} {way}"));
    }
}

/// For each place that branches whether any copy of its function went each way.
fn branches(file: &File) -> BTreeMap<(u64, u64), (bool, bool)> {
    let mut ways: BTreeMap<_, (bool, bool)> = BTreeMap::new();
    for [line, column, _, _, on_true, on_false, ..] in &file.branches {
        let way = ways.entry((*line, *column)).or_default();
        way.0 |= *on_true > 0;
        way.1 |= *on_false > 0;
    }
    ways
}

#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    summary: Summary,
    #[serde(default)]
    branches: Vec<Branch>,
}

#[derive(Deserialize)]
struct Summary {
    lines: Lines,
}

#[derive(Deserialize)]
struct Lines {
    count: usize,
    covered: usize,
}

/// From line and column to line and column, how often true, how often false, and three numbers that
/// say which expansion it is in.
type Branch = [u64; 9];

#[cfg(test)]
mod tests {
    use super::*;

    fn report(files: &str) -> Report {
        let workspace = Workspace::load().unwrap();
        let root = workspace.root().to_str().unwrap().to_owned();
        let json = format!(r#"{{"data": [{{"files": [{files}]}}]}}"#).replace("ROOT", &root);
        Report::parse(&json, &workspace).unwrap()
    }

    #[test]
    fn a_branch_is_taken_when_any_copy_took_it() {
        let report = report(
            r#"{"filename": "ROOT/crates/session-log/src/a.rs",
                "summary": {"lines": {"count": 10, "covered": 9}},
                "branches": [[3, 4, 3, 9, 0, 2, 0, 0, 4], [3, 4, 3, 9, 1, 0, 0, 0, 4],
                             [7, 1, 7, 2, 5, 0, 0, 0, 4]]},
               {"filename": "ROOT/crates/session-log/src/b.rs",
                "summary": {"lines": {"count": 10, "covered": 10}}},
               {"filename": "/elsewhere/c.rs",
                "summary": {"lines": {"count": 10, "covered": 0}}}"#,
        );
        assert_eq!(
            report.table(),
            "| crate | lines | branches |\n|---|---|---|\n\
             | session-log | 95.0 % (19 of 20) | 75.0 % (3 of 4) |\n"
        );
        let untaken: Vec<_> = report.untaken(&["session-log"]).collect();
        assert_eq!(untaken, ["crates/session-log/src/a.rs:7:1 never false"]);
        let (lines, branches) = report.of("session-log");
        assert!(lines.reaches(95) && !lines.reaches(96));
        assert!(!branches.reaches(95));
    }

    #[test]
    fn what_was_not_measured_reaches_nothing() {
        let lines_only = report(
            r#"{"filename": "ROOT/crates/session-log/src/a.rs",
                "summary": {"lines": {"count": 4, "covered": 3}}}"#,
        );
        assert!(
            lines_only
                .table()
                .ends_with("| 75.0 % (3 of 4) | none counted |\n")
        );
        let (lines, branches) = report("").of("session-log");
        assert!(!lines.reaches(1));
        assert!(branches.reaches(100), "a crate may be without branches");
    }

    #[test]
    fn almost_all_is_not_all() {
        let share = Share {
            taken: 9_999,
            all: 10_000,
        };
        assert_eq!(share.to_string(), "99.9 % (9999 of 10000)");
        assert_eq!(Share::default().to_string(), "100.0 % (0 of 0)");
    }
}
