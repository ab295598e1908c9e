//! Each crate builds alone with every selection of its features, without a warning.
//!
//! A build of the whole workspace hides a missing feature: another crate has turned it on.

use crate::failure::Failure;
use crate::process::{capture, cargo};
use crate::workspace::{Package, Workspace};

pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let apart = workspace.tested_apart()?;
    let mut findings = Vec::new();
    for package in workspace.packages() {
        if package.features.is_empty() && apart.contains(&package.name) {
            println!("{}: its tests are built alone already", package.name);
            continue;
        }
        let selections = selections(package);
        println!("{}: {} builds", package.name, selections.len());
        for selection in selections {
            if let Some(finding) = check(workspace, package, &selection)? {
                findings.push(finding);
            }
        }
    }
    Failure::unless_empty("these builds fail or warn", &findings)
}

/// The arguments of `cargo check` for each selection of features. `default` stands for others.
fn selections(package: &Package) -> Vec<Vec<String>> {
    let names = package.features.keys().filter(|name| *name != "default");
    let mut chosen: Vec<Vec<&str>> = vec![Vec::new()];
    for name in names {
        let with_it: Vec<Vec<&str>> = chosen
            .iter()
            .map(|others| others.iter().copied().chain([name.as_str()]).collect())
            .collect();
        chosen.extend(with_it);
    }
    let arguments = |features: &Vec<&str>| {
        let mut arguments = vec!["--no-default-features".to_owned()];
        if !features.is_empty() {
            arguments.extend(["--features".to_owned(), features.join(",")]);
        }
        arguments
    };
    chosen.iter().map(arguments).collect()
}

fn check(
    workspace: &Workspace,
    package: &Package,
    selection: &[String],
) -> Result<Option<String>, Failure> {
    let mut command = cargo(workspace, ["check", "--quiet", "--package", &package.name]);
    let output = capture(command.args(selection))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim();
    if output.status.success() && said.is_empty() {
        return Ok(None);
    }
    Ok(Some(format!(
        "cargo check --package {} {}\n{said}",
        package.name,
        selection.join(" ")
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_selections(features: &serde_json::Value, expected: &[&str]) {
        let package: Package = serde_json::from_value(json!({
            "name": "p", "description": null, "rust_version": null, "manifest_path": "Cargo.toml",
            "dependencies": [], "features": features,
        }))
        .unwrap();
        let found: Vec<String> = selections(&package).iter().map(|s| s.join(" ")).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_crate_without_features_is_built_once() {
        check_selections(&json!({}), &["--no-default-features"]);
    }

    #[test]
    fn every_selection() {
        check_selections(
            &json!({"default": ["a"], "a": [], "b": [], "c": []}),
            &[
                "--no-default-features",
                "--no-default-features --features a",
                "--no-default-features --features b",
                "--no-default-features --features a,b",
                "--no-default-features --features c",
                "--no-default-features --features a,c",
                "--no-default-features --features b,c",
                "--no-default-features --features a,b,c",
            ],
        );
    }
}
