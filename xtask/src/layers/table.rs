//! The table `[workspace.metadata.layers]`: the map in its shortest form.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::failure::Failure;
use crate::workspace::Workspace;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Table {
    /// Crates that link without the standard library and have no `async`.
    pub(super) no_std: Vec<String>,
    /// Crates whose traits adapters implement.
    pub(super) ports: Vec<String>,
    /// The crate that wires ports to adapters, each adapter behind a feature.
    pub(super) facade: String,
    /// Crates that may have a test kit as a normal dependency.
    pub(super) uses_test_kits: Vec<String>,
    /// Crate → crates of the workspace it may depend on.
    pub(super) may_use: BTreeMap<String, Vec<String>>,
    /// Crate → further crates of the workspace that its tests may use.
    pub(super) tests_may_use: BTreeMap<String, Vec<String>>,
    /// Foreign crate → the one crate that may know it.
    pub(super) known_to_one: BTreeMap<String, String>,
    /// Foreign crate → the crates that may use it outside of tests.
    pub(super) outside_tests: BTreeMap<String, Vec<String>>,
}

impl Table {
    pub(super) fn of(workspace: &Workspace) -> Result<Self, Failure> {
        let Some(value) = workspace.table("layers") else {
            return Err(Failure::new(
                "Cargo.toml has no table [workspace.metadata.layers]",
            ));
        };
        Self::deserialize(value)
            .map_err(|error| Failure::because("[workspace.metadata.layers]", error))
    }

    pub(super) fn allows(&self, from: &str, to: &str) -> bool {
        has(self.may_use.get(from), to)
    }

    pub(super) fn allows_in_tests(&self, from: &str, to: &str) -> bool {
        self.allows(from, to) || is_test_kit(to) || has(self.tests_may_use.get(from), to)
    }

    /// The port that a crate is an adapter of, by its name: `<port>-<tech>`.
    pub(super) fn port_of<'a>(&'a self, adapter: &str) -> Option<&'a str> {
        if is_test_kit(adapter) {
            return None;
        }
        let is_port = |port: &&String| suffix(adapter, port).is_some();
        self.ports.iter().find(is_port).map(String::as_str)
    }
}

/// `sqlite` for the adapter `session-store-sqlite` of the port `session-store`.
pub(super) fn suffix<'a>(adapter: &'a str, port: &str) -> Option<&'a str> {
    adapter.strip_prefix(port)?.strip_prefix('-')
}

pub(super) fn is_test_kit(name: &str) -> bool {
    name.ends_with("-testkit")
}

pub(super) fn has(names: Option<&Vec<String>>, name: &str) -> bool {
    names.is_some_and(|names| names.iter().any(|found| found == name))
}
