//! Instructions counted by Valgrind: the same on every run, so their growth can be held to a law.
//!
//! Each bench named `instructions` does one piece of work on so many things, inside a function
//! `measured`; Callgrind counts what happens in there. Nothing but Valgrind is needed for that: a
//! library of instruction benches would compare runs of one size, and the laws here are between sizes.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;
use crate::process::{cargo, read};
use crate::workspace::Workspace;

/// A piece of work, the sizes it is done at, and how it may grow.
struct Work {
    package: &'static str,
    name: &'static str,
    about: &'static str,
    sizes: &'static [u64],
    law: Law,
}

#[derive(Clone, Copy)]
enum Law {
    /// No size costs more than so many hundredths of what a smaller one does.
    Total(u64),
    /// The same for the cost of one thing.
    Each(u64),
}

const TO_A_MILLION: &[u64] = &[1_000, 10_000, 100_000, 1_000_000];

const WORKS: &[Work] = &[
    Work {
        package: "compaction-core",
        name: "place",
        about: "placing a token window",
        sizes: TO_A_MILLION,
        law: Law::Total(200),
    },
    Work {
        package: "compaction-core",
        name: "plan",
        about: "a whole plan",
        sizes: TO_A_MILLION,
        law: Law::Total(200),
    },
    Work {
        package: "compaction-core",
        name: "build",
        about: "building an outline",
        sizes: TO_A_MILLION,
        law: Law::Each(120),
    },
    Work {
        package: "compaction-core",
        name: "append",
        about: "appending to an outline",
        sizes: TO_A_MILLION,
        law: Law::Each(120),
    },
    Work {
        package: "compaction-tokens",
        name: "count",
        about: "counting a text, a byte",
        sizes: TO_A_MILLION,
        law: Law::Each(120),
    },
    Work {
        package: "session-log",
        name: "fold",
        about: "folding a log without boundaries",
        sizes: TO_A_MILLION,
        law: Law::Each(120),
    },
    Work {
        package: "session-log",
        name: "load",
        about: "the view behind a boundary",
        sizes: TO_A_MILLION,
        law: Law::Total(110),
    },
];

pub(super) fn run(workspace: &Workspace) -> Result<(), Failure> {
    println!("instructions; of all of it, or of one entry, event or byte");
    println!(
        "| work | 10³ | 10⁴ | 10⁵ | 10⁶ | growth | at most | |\n|---|---:|---:|---:|---:|---:|---:|---|"
    );
    let mut broken = Vec::new();
    let mut built: Option<(&str, PathBuf)> = None;
    for work in WORKS {
        let program = match built.take() {
            Some((package, program)) if package == work.package => program,
            _ => build(workspace, work.package)?,
        };
        let mut counts = Vec::new();
        for size in work.sizes {
            counts.push(count(&program, work.name, *size)?);
        }
        built = Some((work.package, program));
        let row = Row::of(work, &counts);
        println!("{}", row.line);
        if !row.is_kept {
            broken.push(format!("{} ({})", work.about, work.package));
        }
    }
    Failure::unless_empty("these grow more than they may", &broken)
}

/// Builds the bench and says where it is.
fn build(workspace: &Workspace, package: &str) -> Result<PathBuf, Failure> {
    let messages = read(&mut cargo(
        workspace,
        [
            "bench",
            "--quiet",
            "--package",
            package,
            "--bench",
            "instructions",
            "--no-run",
            "--message-format=json",
        ],
    ))?;
    executable(&messages)
        .ok_or_else(|| Failure::new(format!("`{package}` has no bench `instructions`")))
}

fn executable(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message.pointer("/target/name") == Some(&Value::from("instructions")))
        .find_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?)))
}

/// How many instructions the work takes.
fn count(program: &Path, work: &str, size: u64) -> Result<u64, Failure> {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(["--collect-atstart=no", "--toggle-collect=*measured*"])
        .arg(program)
        .args([work, &size.to_string()]);
    let output = crate::process::capture(&mut command).map_err(|failure| {
        Failure::new(format!("{failure}\nValgrind counts: install `valgrind`"))
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    match collected(&said) {
        Some(count) if output.status.success() && count > 0 => Ok(count),
        _ => Err(Failure::new(format!(
            "nothing was counted of `{work}` at {size}:\n{said}"
        ))),
    }
}

/// The count in `==12== Collected : 345`.
fn collected(said: &str) -> Option<u64> {
    said.lines()
        .find_map(|line| line.split_once("Collected : "))
        .and_then(|(_, count)| count.trim().parse().ok())
}

struct Row {
    line: String,
    is_kept: bool,
}

impl Row {
    fn of(work: &Work, counts: &[u64]) -> Self {
        // In thousandths, so that a few instructions a byte can be told apart.
        let costs: Vec<u64> = counts
            .iter()
            .zip(work.sizes)
            .map(|(count, size)| match work.law {
                Law::Total(_) => count * 1000,
                Law::Each(_) => count * 1000 / size,
            })
            .collect();
        let growth = growth(&costs);
        let (Law::Total(limit) | Law::Each(limit)) = work.law;
        let is_kept = growth <= limit;
        let cells: Vec<String> = costs
            .iter()
            .map(|cost| match work.law {
                Law::Total(_) => format!("{}", cost / 1000),
                Law::Each(_) => format!("{}.{}", cost / 1000, cost % 1000 / 100),
            })
            .collect();
        let line = format!(
            "| {} | {} | {} | {} | {} |",
            work.about,
            cells.join(" | "),
            times(growth),
            times(limit),
            if is_kept { "met" } else { "MISSED" }
        );
        Self { line, is_kept }
    }
}

/// The most that a size costs of what a smaller one did, in hundredths. To cost less is no growth.
fn growth(costs: &[u64]) -> u64 {
    let mut least = u64::MAX;
    let mut growth = 0;
    for cost in costs {
        least = least.min(*cost);
        growth = growth.max((cost * 100).checked_div(least).unwrap_or(u64::MAX));
    }
    growth
}

fn times(hundredths: u64) -> String {
    format!("{}.{:02} ×", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_what_valgrind_says() {
        let said = "==7== Events    : Ir\n==7== Collected : 271\n==7==\n";
        assert_eq!(collected(said), Some(271));
        assert_eq!(collected("==7== Collected :"), None);
    }

    #[test]
    fn the_program_is_the_bench_and_no_library() {
        let messages = r#"{"target": {"name": "compaction_core"}, "executable": null}
{"target": {"name": "instructions"}, "executable": "/t/instructions-1"}
{"reason": "build-finished"}"#;
        assert_eq!(executable(messages), Some("/t/instructions-1".into()));
        assert_eq!(executable("{}"), None);
    }

    #[test]
    fn growth_is_over_any_smaller_size() {
        assert_eq!(growth(&[300, 200, 260]), 130);
        assert_eq!(growth(&[300, 200, 100]), 100);
        assert_eq!(growth(&[0, 5]), u64::MAX);
    }

    #[track_caller]
    fn check_row(law: Law, counts: &[u64], line: &str) {
        let work = Work {
            package: "p",
            name: "n",
            about: "it",
            sizes: &[1_000, 1_000_000],
            law,
        };
        assert_eq!(Row::of(&work, counts).line, line);
        assert_eq!(Row::of(&work, counts).is_kept, line.ends_with("| met |"));
    }

    #[test]
    fn a_law_is_about_all_of_it_or_about_each() {
        let total = Law::Total(200);
        let each = Law::Each(120);
        check_row(
            total,
            &[271, 433],
            "| it | 271 | 433 | 1.59 × | 2.00 × | met |",
        );
        check_row(
            total,
            &[271, 543],
            "| it | 271 | 543 | 2.00 × | 2.00 × | met |",
        );
        check_row(
            total,
            &[271, 9_000],
            "| it | 271 | 9000 | 33.21 × | 2.00 × | MISSED |",
        );
        check_row(
            total,
            &[900, 300],
            "| it | 900 | 300 | 1.00 × | 2.00 × | met |",
        );
        check_row(
            each,
            &[23_339, 21_354_589],
            "| it | 23.3 | 21.3 | 1.00 × | 1.20 × | met |",
        );
        check_row(
            each,
            &[20_000, 40_000_000],
            "| it | 20.0 | 40.0 | 2.00 × | 1.20 × | MISSED |",
        );
    }
}
