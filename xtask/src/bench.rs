//! Figures: each bench is a program that prints a table.

use crate::failure::Failure;
use crate::process::{cargo, run};
use crate::workspace::Workspace;

/// What can be measured: its name, the package, and the bench in it.
pub(crate) const BENCHES: &[(&str, &str, &str)] = &[
    ("cut", "compaction-core", "cut"),
    ("tokens", "compaction-tokens", "counting"),
    ("store", "session-store-sqlite", "store"),
    ("postgres", "session-store-postgres", "measure"),
];

/// Runs the bench of this name, or all of them.
pub(crate) fn bench(workspace: &Workspace, name: Option<&str>) -> Result<(), Failure> {
    let chosen: Vec<_> = BENCHES
        .iter()
        .filter(|(known, ..)| name.is_none_or(|name| name == *known))
        .collect();
    if chosen.is_empty() {
        let known: Vec<_> = BENCHES.iter().map(|(known, ..)| *known).collect();
        return Err(Failure::new(format!(
            "there is no bench {}; there are: {}",
            name.unwrap_or_default(),
            known.join(", ")
        )));
    }
    for (_, package, bench) in chosen {
        run(&mut cargo(
            workspace,
            ["bench", "--package", package, "--bench", bench],
        ))?;
    }
    Ok(())
}
