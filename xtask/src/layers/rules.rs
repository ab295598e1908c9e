//! The rules for arrows. Each takes the graph and the table and tells what it found.

use super::graph::{Arrow, Crate, Graph};
use super::table::{Table, has, is_test_kit, suffix};

pub(super) fn check(graph: &Graph, table: &Table) -> Vec<String> {
    let mut findings = Vec::new();
    names_are_those_of_the_workspace(graph, table, &mut findings);
    for (name, node) in &graph.crates {
        only_allowed_arrows(name, node, table, &mut findings);
        no_test_kit_outside_tests(name, node, table, &mut findings);
        foreign_crates_stay_with_their_owners(name, node, table, &mut findings);
        an_adapter_sees_one_port(name, node, table, &mut findings);
    }
    if let Some(facade) = graph.crates.get(&table.facade) {
        adapters_hide_behind_features(facade, table, &mut findings);
    }
    findings
}

fn names_are_those_of_the_workspace(graph: &Graph, table: &Table, findings: &mut Vec<String>) {
    for name in graph.crates.keys() {
        if !table.may_use.contains_key(name) {
            findings.push(format!("`{name}` has no line in may-use"));
        }
    }
    let lists = table.may_use.iter().chain(&table.tests_may_use);
    let listed = lists.flat_map(|(name, used)| std::iter::once(name).chain(used));
    let listed = listed.chain(&table.no_std).chain(&table.ports);
    let mut unknown: Vec<&String> = listed
        .chain(std::iter::once(&table.facade))
        .filter(|name| !graph.crates.contains_key(*name))
        .collect();
    unknown.sort();
    unknown.dedup();
    for name in unknown {
        findings.push(format!(
            "the table names `{name}`, which is not in the workspace"
        ));
    }
}

fn only_allowed_arrows(name: &str, node: &Crate, table: &Table, findings: &mut Vec<String>) {
    for arrow in ours(&node.normal) {
        if !table.allows(name, &arrow.to) {
            findings.push(format!("`{name}` may not use `{}`", arrow.to));
        }
    }
    for arrow in ours(&node.tests) {
        if !table.allows_in_tests(name, &arrow.to) {
            findings.push(format!("tests of `{name}` may not use `{}`", arrow.to));
        }
    }
}

fn no_test_kit_outside_tests(name: &str, node: &Crate, table: &Table, findings: &mut Vec<String>) {
    if table.uses_test_kits.iter().any(|allowed| allowed == name) {
        return;
    }
    for arrow in ours(&node.normal).filter(|arrow| is_test_kit(&arrow.to)) {
        findings.push(format!(
            "`{name}` has the test kit `{}` as a normal dependency",
            arrow.to
        ));
    }
}

fn foreign_crates_stay_with_their_owners(
    name: &str,
    node: &Crate,
    table: &Table,
    findings: &mut Vec<String>,
) {
    for arrow in node.normal.iter().chain(&node.tests) {
        if let Some(owner) = table.known_to_one.get(&arrow.to)
            && owner != name
        {
            findings.push(format!(
                "`{name}` knows `{}`, which is only for `{owner}`",
                arrow.to
            ));
        }
    }
    for arrow in &node.normal {
        let allowed = table.outside_tests.get(&arrow.to);
        if allowed.is_some_and(|allowed| !has(Some(allowed), name)) {
            findings.push(format!("`{name}` uses `{}` outside of tests", arrow.to));
        }
    }
}

fn an_adapter_sees_one_port(name: &str, node: &Crate, table: &Table, findings: &mut Vec<String>) {
    let Some(port) = table.port_of(name) else {
        return;
    };
    let is_port = |to: &String| table.ports.contains(to);
    let seen: Vec<&str> = ours(&node.normal)
        .map(|arrow| &arrow.to)
        .filter(|to| is_port(to))
        .map(String::as_str)
        .collect();
    if seen != [port] {
        findings.push(format!(
            "the adapter `{name}` must see the port `{port}` and no other, it sees {}",
            list(&seen)
        ));
    }
}

fn adapters_hide_behind_features(facade: &Crate, table: &Table, findings: &mut Vec<String>) {
    for arrow in ours(&facade.normal) {
        let Some(port) = table.port_of(&arrow.to) else {
            continue;
        };
        let feature = suffix(&arrow.to, port).unwrap_or_default();
        let switch = format!("dep:{}", arrow.to);
        if !arrow.optional || !has(facade.features.get(feature), &switch) {
            findings.push(format!(
                "`{}` must see the adapter `{}` only behind a feature `{feature} = [\"{switch}\", …]`",
                table.facade, arrow.to
            ));
        }
    }
}

fn ours(arrows: &[Arrow]) -> impl Iterator<Item = &Arrow> {
    arrows.iter().filter(|arrow| arrow.ours)
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(", ")
}
