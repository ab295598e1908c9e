//! Who depends on whom, as the manifests say.

use std::collections::BTreeMap;

use crate::workspace::{Dependency, Workspace};

/// The crates of the workspace by name.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) crates: BTreeMap<String, Crate>,
}

#[derive(Debug, Default)]
pub(super) struct Crate {
    /// What the crate is built with: normal and build dependencies.
    pub(super) normal: Vec<Arrow>,
    /// What only its tests, benches and examples are built with.
    pub(super) tests: Vec<Arrow>,
    pub(super) features: BTreeMap<String, Vec<String>>,
}

#[derive(Debug)]
pub(super) struct Arrow {
    pub(super) to: String,
    pub(super) optional: bool,
    /// Whether it stays in the workspace.
    pub(super) ours: bool,
}

impl Graph {
    pub(super) fn of(workspace: &Workspace) -> Self {
        let mut graph = Self::default();
        for package in workspace.packages() {
            let mut node = Crate {
                features: package.features.clone(),
                ..Crate::default()
            };
            for dependency in &package.dependencies {
                let arrows = if dependency.is_for_tests() {
                    &mut node.tests
                } else {
                    &mut node.normal
                };
                arrows.push(Arrow::of(dependency));
            }
            graph.crates.insert(package.name.clone(), node);
        }
        graph
    }

    pub(super) fn len(&self) -> usize {
        self.crates.len()
    }

    /// How many normal arrows stay in the workspace.
    pub(super) fn arrows(&self) -> usize {
        let arrows = self.crates.values().flat_map(|node| &node.normal);
        arrows.filter(|arrow| arrow.ours).count()
    }
}

impl Arrow {
    fn of(dependency: &Dependency) -> Self {
        Self {
            to: dependency.name.clone(),
            optional: dependency.optional,
            ours: dependency.is_ours(),
        }
    }
}
