//! Every package says what it is, has a front page, names its oldest compiler, and takes the
//! workspace's lints.

use crate::failure::Failure;
use crate::workspace::{Package, Workspace};

pub(super) fn check(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let mut findings = Vec::new();
    for package in workspace.packages() {
        let folder = package.folder(workspace);
        let manifest = workspace.read(&format!("{folder}/Cargo.toml"))?;
        let has_readme = workspace.read(&format!("{folder}/README.md")).is_ok();
        let root = ["lib", "main"].map(|name| workspace.read(&format!("{folder}/src/{name}.rs")));
        let root = root.into_iter().find_map(Result::ok).unwrap_or_default();
        findings.extend(lacks(package, &manifest, has_readme, &root));
    }
    Ok(findings)
}

/// The compiler itself then says which dependency is for nothing. In tests there are more of them.
const NO_UNUSED: &str = "#![cfg_attr(not(test), deny(unused_crate_dependencies))]";

fn lacks(package: &Package, manifest: &str, has_readme: bool, root: &str) -> Vec<String> {
    let described = package.description.as_deref().unwrap_or_default();
    let wants = [
        (!described.trim().is_empty(), "a description"),
        (package.rust_version.is_some(), "a rust-version"),
        (takes_lints(manifest), "`[lints] workspace = true`"),
        (has_readme, "a README.md"),
        (
            root.lines().any(|line| line == NO_UNUSED),
            "the refusal of unused dependencies in its lib.rs or main.rs",
        ),
    ];
    let missing = wants.iter().filter(|(there, _)| !there);
    missing
        .map(|(_, what)| format!("`{}` lacks {what}", package.name))
        .collect()
}

fn takes_lints(manifest: &str) -> bool {
    let mut section = "";
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        }
        let line: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        let here = section == "[lints]" && line == "workspace=true";
        if here || section.is_empty() && line == "lints.workspace=true" {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_lacks(description: Option<&str>, rust_version: Option<&str>, expected: &[&str]) {
        let package: Package = serde_json::from_value(json!({
            "name": "p", "description": description, "rust_version": rust_version,
            "manifest_path": "Cargo.toml", "dependencies": [], "features": {},
        }))
        .unwrap();
        assert_eq!(
            lacks(&package, "[lints]\nworkspace = true", true, NO_UNUSED),
            expected
        );
    }

    #[test]
    fn a_manifest_says_what_it_is_and_its_oldest_compiler() {
        check_lacks(Some("What it is."), Some("1.89"), &[]);
        check_lacks(
            Some(" "),
            None,
            &["`p` lacks a description", "`p` lacks a rust-version"],
        );
    }

    #[test]
    fn lints_are_taken_in_their_own_section_only() {
        assert!(takes_lints(
            "[package]\nname = \"p\"\n[lints]\nworkspace = true\n"
        ));
        assert!(takes_lints("lints.workspace = true\n"));
        assert!(!takes_lints(
            "[lints]\n[dependencies.a]\nworkspace = true\n"
        ));
        assert!(!takes_lints("[package]\n"));
    }
}
