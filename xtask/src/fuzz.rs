//! Fuzzing, guided by coverage, with the compiler at hand: no nightly toolchain and no other tool.
//!
//! The crate `fuzz` is no member of the workspace, since all of it is built with counters. Each run
//! is bounded by a number of inputs and starts from the same seed; a longer one is for a person:
//! `cargo xtask fuzz cut 5000000`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process::{self, cargo_path, run};
use crate::workspace::Workspace;

struct Target {
    name: &'static str,
    /// Inputs tried when nobody says how many.
    runs: u32,
    /// A folder of inputs to begin with, from the root.
    seeds: Option<&'static str>,
}

const TARGETS: &[Target] = &[
    Target {
        name: "cut",
        runs: 100_000,
        seeds: None,
    },
    Target {
        name: "notation",
        runs: 50_000,
        seeds: None,
    },
    Target {
        name: "record",
        runs: 100_000,
        seeds: Some("fuzz/seeds/record"),
    },
    Target {
        name: "tokens",
        runs: 10_000,
        seeds: None,
    },
    Target {
        name: IMPORT,
        runs: 2_000,
        seeds: Some("crates/session-transcript/tests/fixtures"),
    },
];

/// It is run once for each format it knows.
const IMPORT: &str = "import";

/// How `import` says that there is no format of this number.
const NO_SUCH_IMPORTER: i32 = 64;

/// What makes the compiler count which branches an input takes.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

pub(crate) fn run_all(workspace: &Workspace) -> Result<(), Failure> {
    let programs = build(workspace)?;
    for target in TARGETS {
        run_target(workspace, &programs, target, target.runs)?;
    }
    Ok(())
}

/// Runs one target, for `runs` inputs or as many as in the gate.
pub(crate) fn run_one(
    workspace: &Workspace,
    name: &str,
    runs: Option<&str>,
) -> Result<(), Failure> {
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        let known: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        let known = known.join(", ");
        return Err(Failure::new(format!(
            "there is no fuzz target {name}; there are: {known}"
        )));
    };
    let runs = match runs {
        Some(runs) => runs.parse().map_err(|error| {
            Failure::because(&format!("`{runs}` is no number of inputs"), error)
        })?,
        None => target.runs,
    };
    run_target(workspace, &build(workspace)?, target, runs)
}

/// Builds all targets and says where they are.
fn build(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let host = host()?;
    let folder = workspace.target().join("fuzz");
    let mut command = Command::new(cargo_path());
    // Naming the machine keeps the counters out of build scripts and macros.
    command
        .args(["build", "--release", "--quiet", "--target", &host])
        .current_dir(workspace.root().join("fuzz"))
        .env("CARGO_TARGET_DIR", &folder)
        .env("RUSTFLAGS", COVERAGE);
    run(&mut command)?;
    Ok(folder.join(host).join("release"))
}

fn host() -> Result<String, Failure> {
    let about = process::read(Command::new("rustc").arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| Failure::new("`rustc -vV` names no host".to_owned()))
}

fn run_target(
    workspace: &Workspace,
    programs: &Path,
    target: &Target,
    runs: u32,
) -> Result<(), Failure> {
    if target.name != IMPORT {
        fuzz(workspace, programs, target, runs, None)?;
        return Ok(());
    }
    let mut importer = 0_u32;
    while fuzz(workspace, programs, target, runs, Some(importer))? == Ended::Tried {
        importer += 1;
    }
    if importer == 0 {
        return Err(Failure::new("no importer was tried".to_owned()));
    }
    println!("{importer} importers tried");
    Ok(())
}

#[derive(PartialEq, Eq)]
enum Ended {
    Tried,
    NoSuchImporter,
}

fn fuzz(
    workspace: &Workspace,
    programs: &Path,
    target: &Target,
    runs: u32,
    importer: Option<u32>,
) -> Result<Ended, Failure> {
    let folder = workspace.target().join("fuzz");
    let found = fresh(&folder.join("found").join(target.name))?;
    let mut command = Command::new(programs.join(target.name));
    command
        .args(["-seed=1", "-timeout=30", "-rss_limit_mb=2048"])
        .arg(format!("-runs={runs}"))
        .arg(format!("-artifact_prefix={}/", found.display()))
        .arg(fresh(&folder.join("inputs").join(target.name))?)
        .current_dir(&folder);
    if let Some(seeds) = target.seeds {
        command.arg(workspace.root().join(seeds));
    }
    if let Some(importer) = importer {
        command.env("IMPORTER", importer.to_string());
    }
    let output = process::capture(&mut command)?;
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {
            let done = said.lines().rfind(|line| line.starts_with("Done "));
            let number = importer.map_or(String::new(), |importer| format!(" {importer}"));
            println!("{}{number}: {}", target.name, done.unwrap_or_default());
            Ok(Ended::Tried)
        }
        Some(NO_SUCH_IMPORTER) if importer.is_some() => Ok(Ended::NoSuchImporter),
        _ => Err(Failure::new(format!(
            "{} found an input that breaks a promise; it is in {}\n{}",
            target.name,
            found.display(),
            last_lines(&said, 40)
        ))),
    }
}

/// The folder, new and empty.
fn fresh(folder: &Path) -> Result<PathBuf, Failure> {
    let cannot = |error| Failure::because(&format!("cannot empty {}", folder.display()), error);
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(cannot)?;
    }
    fs::create_dir_all(folder).map_err(cannot)?;
    Ok(folder.to_owned())
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<_> = text.lines().collect();
    let start = lines.len().saturating_sub(count);
    lines.get(start..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_built() {
        let workspace = Workspace::load().unwrap();
        let manifest = workspace.read("fuzz/Cargo.toml").unwrap();
        let built: Vec<_> = manifest
            .lines()
            .filter_map(|line| line.strip_prefix("path = \"targets/"))
            .filter_map(|line| line.strip_suffix(".rs\""))
            .collect();
        let mut run: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        run.sort_unstable();
        let mut built = built;
        built.sort_unstable();
        assert_eq!(built, run);
    }

    #[test]
    fn a_failure_shows_the_end_of_what_was_said() {
        assert_eq!(last_lines("a\nb\nc", 2), "b\nc");
        assert_eq!(last_lines("a", 2), "a");
    }
}
