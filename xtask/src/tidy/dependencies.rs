//! Every foreign crate that the workspace names has a line in `docs/dependencies.md`, with the
//! version as the manifests have it, and no line is left over.

use std::collections::{BTreeMap, BTreeSet};

use crate::failure::Failure;
use crate::workspace::Workspace;

const PAGE: &str = "docs/dependencies.md";

/// Crate → the versions that manifests ask for.
type Versions = BTreeMap<String, BTreeSet<String>>;

pub(super) fn check(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let mut used = in_the_root(&workspace.read("Cargo.toml")?);
    for package in workspace.packages() {
        for dependency in package.dependencies.iter().filter(|it| !it.is_ours()) {
            let versions = used.entry(dependency.name.clone()).or_default();
            versions.insert(plain(&dependency.req));
        }
    }
    Ok(compare(&used, &workspace.read(PAGE)?))
}

fn compare(used: &Versions, page: &str) -> Vec<String> {
    let rows = rows(page);
    let mut findings = Vec::new();
    for (name, versions) in used {
        let wanted: Vec<&str> = versions.iter().map(String::as_str).collect();
        let wanted = wanted.join(" and ");
        match rows.get(name.as_str()) {
            None => findings.push(format!("{PAGE} has no line for `{name}` {wanted}")),
            Some(version) if *version != wanted => findings.push(format!(
                "{PAGE} has `{name}` {version}, the manifests have {wanted}"
            )),
            Some(_) => {}
        }
    }
    for name in rows.keys().filter(|name| !used.contains_key(**name)) {
        findings.push(format!("{PAGE} explains `{name}`, which nothing names"));
    }
    findings
}

/// The foreign crates in `[workspace.dependencies]`, used by now or not.
fn in_the_root(manifest: &str) -> Versions {
    let mut versions = Versions::new();
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
        }
        let Some((name, value)) = line.split_once('=').filter(|_| inside) else {
            continue;
        };
        if value.contains("path =") {
            continue;
        }
        let quoted = match value.split_once("version =") {
            Some((_, version)) => version,
            None => value,
        };
        if let Some(version) = quoted.split('"').nth(1) {
            let name = name.trim().to_owned();
            versions.entry(name).or_default().insert(plain(version));
        }
    }
    versions
}

/// The first two cells of each row whose first is one name in backticks.
fn rows(page: &str) -> BTreeMap<&str, &str> {
    page.lines()
        .filter_map(|line| line.trim().strip_prefix('|'))
        .filter_map(|row| {
            let mut cells = row.split('|').map(str::trim);
            let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
            Some((name, cells.next()?))
        })
        .collect()
}

/// `1.2` for what cargo writes as `^1.2`.
fn plain(version: &str) -> String {
    version.trim_start_matches('^').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "\
[package]
zero = \"0\"
[workspace.dependencies]
ours = { path = \"crates/ours\", version = \"0.1.0\" }
one = \"1\"
two = { default-features = false, version = \">=2, <4\" }
[profile.dev]
three = \"3\"
";

    #[track_caller]
    fn check_page(page: &str, expected: &[&str]) {
        assert_eq!(compare(&in_the_root(MANIFEST), page), expected);
    }

    #[test]
    fn a_line_for_each_is_enough() {
        check_page("|crate|v|\n|`one`|1|\n|`two`|>=2, <4|", &[]);
    }

    #[test]
    fn a_missing_an_old_and_a_left_over_line_are_found() {
        check_page(
            "| `two` | 2 | why |\n| `old` | 1 | |",
            &[
                "docs/dependencies.md has no line for `one` 1",
                "docs/dependencies.md has `two` 2, the manifests have >=2, <4",
                "docs/dependencies.md explains `old`, which nothing names",
            ],
        );
    }
}
