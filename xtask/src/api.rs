//! What each crate offers, as a list that is committed: whoever changes it sees the change in the
//! diff. `cargo xtask bless` writes the lists anew.
//!
//! The list is made from what rustdoc writes as JSON, which it does only when told that it may. So
//! this program stands in for rustdoc and tells it; telling cargo would build everything anew.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use public_api::Builder;

use crate::failure::Failure;
use crate::process::{cargo, read};
use crate::workspace::{Package, Workspace};

/// Nobody builds on these.
const NO_LIBRARY: &[&str] = &["session-cli", "session-conformance", "xtask"];

const FOLDER: &str = "docs/api";

pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    let described = describe(workspace)?;
    let mut findings = Vec::new();
    for package in libraries(workspace) {
        let path = path_of(package);
        let committed = workspace.read(&path).unwrap_or_default();
        let found = listing(&described, package)?;
        findings.extend(difference(&path, &committed, &found));
        println!("{}: {} items", package.name, found.lines().count());
    }
    Failure::unless_empty(
        "what crates offer is not what is committed; `cargo xtask bless` writes it",
        &findings,
    )
}

pub(crate) fn bless(workspace: &Workspace) -> Result<(), Failure> {
    let folder = workspace.root().join(FOLDER);
    let cannot = |error| Failure::because(&format!("cannot write {FOLDER}"), error);
    fs::create_dir_all(&folder).map_err(cannot)?;
    let described = describe(workspace)?;
    for package in libraries(workspace) {
        let listing = listing(&described, package)?;
        let path = workspace.root().join(path_of(package));
        fs::write(path, listing).map_err(cannot)?;
    }
    Ok(())
}

fn libraries(workspace: &Workspace) -> impl Iterator<Item = &Package> {
    let packages = workspace.packages().iter();
    packages.filter(|package| !NO_LIBRARY.contains(&package.name.as_str()))
}

fn path_of(package: &Package) -> String {
    format!("{FOLDER}/{}.txt", package.name)
}

/// One line an item, without what every type has anyway.
fn listing(described: &Path, package: &Package) -> Result<String, Failure> {
    let file = described.join(package.name.replace('-', "_"));
    let api = Builder::from_rustdoc_json(file.with_extension("json"))
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .map_err(|error| Failure::because(&format!("cannot list {}", package.name), error))?;
    Ok(api.items().map(|item| format!("{item}\n")).collect())
}

/// Has rustdoc describe every crate, and says in which folder.
fn describe(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let cannot = |error| Failure::because("cannot find this program", error);
    let selection = ["--workspace", "--all-features", "--no-deps", "--lib"];
    read(
        cargo(workspace, ["doc", "--quiet"])
            .args(selection)
            .env("RUSTDOC", env::current_exe().map_err(cannot)?)
            .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json")
            .env(AS_RUSTDOC, "1"),
    )?;
    Ok(workspace.target().join("doc"))
}

/// In the environment when this program is called in the place of rustdoc.
const AS_RUSTDOC: &str = "XTASK_AS_RUSTDOC";

/// Runs rustdoc, which may use what is not stable, if this program stands in for it.
pub(crate) fn stand_in() -> Option<ExitCode> {
    env::var_os(AS_RUSTDOC)?;
    let mut command = Command::new("rustdoc");
    command.args(env::args_os().skip(1));
    let ended = command.env("RUSTC_BOOTSTRAP", "1").status();
    let code = ended.ok().and_then(|status| status.code()).unwrap_or(1);
    Some(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// The first lines that are only in one of the lists.
fn difference(path: &str, committed: &str, found: &str) -> Vec<String> {
    let lines = |sign: char, of: &str, other: &str| {
        let other: Vec<&str> = other.lines().collect();
        let only = of.lines().filter(|line| !other.contains(line));
        let told = only.map(|line| format!("{path}: {sign} {line}"));
        told.take(10).collect::<Vec<_>>()
    };
    let mut findings = lines('-', committed, found);
    findings.extend(lines('+', found, committed));
    if findings.is_empty() && committed != found {
        findings.push(format!("{path}: the same items in another order"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_and_what_is_new_are_told_apart() {
        let told = difference("a.txt", "one\ntwo\n", "two\nthree\n");
        assert_eq!(told, ["a.txt: - one", "a.txt: + three"]);
        assert_eq!(difference("a.txt", "one\n", "one\n"), Vec::<String>::new());
        assert_eq!(
            difference("a.txt", "one\ntwo\n", "two\none\n"),
            ["a.txt: the same items in another order"]
        );
    }
}
