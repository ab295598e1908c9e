//! The crate table of `ARCHITECTURE.md`, read back.
//!
//! A row counts where the header of its table is `crate | may use | …`. The second cell names crates
//! in backticks; any other words in it are for people.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Graph;
use super::table::Table;

pub(super) fn check(page: &str, graph: &Graph, table: &Table) -> Vec<String> {
    let rows = rows(page);
    let mut findings = Vec::new();
    for name in graph.crates.keys() {
        if !rows.contains_key(name.as_str()) {
            findings.push(format!("the page has no row for `{name}`"));
        }
    }
    for (name, shown) in rows {
        let Some(allowed) = table.may_use.get(name) else {
            findings.push(format!("the page shows `{name}`, which the table lacks"));
            continue;
        };
        let allowed: BTreeSet<&str> = allowed.iter().map(String::as_str).collect();
        for to in allowed.difference(&shown) {
            findings.push(format!(
                "the page does not show that `{name}` may use `{to}`"
            ));
        }
        for to in shown.difference(&allowed) {
            findings.push(format!(
                "the page shows that `{name}` may use `{to}`, the table does not"
            ));
        }
    }
    findings
}

/// Crate → the crates in its second cell.
fn rows(page: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut rows = BTreeMap::new();
    let mut inside = false;
    for line in page.lines() {
        let mut cells = line.trim().trim_matches('|').split('|').map(str::trim);
        match (line.trim().starts_with('|'), cells.next(), cells.next()) {
            (true, Some("crate"), Some("may use")) => inside = true,
            (true, Some(first), Some(second)) if inside => {
                if let Some(name) = names(first).next() {
                    rows.insert(name, names(second).collect());
                }
            }
            _ => inside = false,
        }
    }
    rows
}

/// The words in backticks.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}
