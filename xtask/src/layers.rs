//! The arrows between crates: what the manifests say, what the table in the root `Cargo.toml`
//! allows, and what `ARCHITECTURE.md` shows must be the same map.

mod graph;
mod page;
mod purity;
mod rules;
mod table;
#[cfg(test)]
mod tests;

use crate::failure::Failure;
use crate::workspace::Workspace;

use graph::Graph;
use table::Table;

const PAGE: &str = "ARCHITECTURE.md";

pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let table = Table::of(workspace)?;
    let graph = Graph::of(workspace);
    let mut findings = rules::check(&graph, &table);
    findings.extend(page::check(&workspace.read(PAGE)?, &graph, &table));
    findings.extend(purity::check(workspace, &table)?);
    Failure::unless_empty(
        "the arrows between crates are not those of the map",
        &findings,
    )?;
    println!("{} crates, {} arrows", graph.len(), graph.arrows());
    Ok(())
}

/// The crates that must do without the standard library, for the check that links them.
pub(crate) fn without_std(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    Table::of(workspace).map(|table| table.no_std)
}
