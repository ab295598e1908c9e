//! The workspace as `cargo metadata` tells it: packages, what they depend on, and our own tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::process;

/// The packages of this repository, without those they get from a registry.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    #[serde(rename = "workspace_root")]
    root: PathBuf,
    #[serde(rename = "target_directory")]
    target: PathBuf,
    packages: Vec<Package>,
    #[serde(default)]
    metadata: Value,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) rust_version: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) req: String,
    pub(crate) kind: Option<String>,
    pub(crate) optional: bool,
    path: Option<PathBuf>,
}

impl Workspace {
    /// Asks cargo about the workspace that the current directory is in.
    pub(crate) fn load() -> Result<Self, Failure> {
        let text = process::read(Command::new(process::cargo_path()).args([
            "metadata",
            "--format-version=1",
            "--no-deps",
        ]))?;
        serde_json::from_str(&text)
            .map_err(|error| Failure::because("cannot understand `cargo metadata`", error))
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    pub(crate) fn packages(&self) -> &[Package] {
        &self.packages
    }

    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// The table `[workspace.metadata.NAME]` of the root manifest.
    pub(crate) fn table(&self, name: &str) -> Option<&Value> {
        self.metadata.get(name)
    }

    /// The crates that are tested apart from all others: the list `tested-apart` in
    /// `[workspace.metadata]`.
    pub(crate) fn tested_apart(&self) -> Result<Vec<String>, Failure> {
        let Some(names) = self.table("tested-apart") else {
            return Ok(Vec::new());
        };
        let names = Vec::<String>::deserialize(names)
            .map_err(|error| Failure::because("workspace.metadata.tested-apart", error))?;
        match names.iter().find(|name| self.package(name).is_none()) {
            Some(name) => Err(Failure::new(format!(
                "there is no crate {name} to test apart"
            ))),
            None => Ok(names),
        }
    }

    /// The text of a file, by its path from the root.
    pub(crate) fn read(&self, path: &str) -> Result<String, Failure> {
        fs::read_to_string(self.root.join(path))
            .map_err(|error| Failure::because(&format!("cannot read {path}"), error))
    }

    /// The files git knows or would add, as paths from the root.
    pub(crate) fn files(&self) -> Result<Vec<String>, Failure> {
        let mut command = Command::new("git");
        // A clone may belong to another user than the one who checks it; we only read.
        command.current_dir(&self.root).args([
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let mut files: Vec<String> = process::read(&mut command)?
            .split_terminator('\0')
            .filter(|path| self.root.join(path).is_file())
            .map(str::to_owned)
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }
}

impl Package {
    /// The folder of the package, as a path from the root with `/` between names.
    pub(crate) fn folder(&self, workspace: &Workspace) -> String {
        let folder = self.manifest_path.parent().unwrap_or(workspace.root());
        let folder = folder.strip_prefix(workspace.root()).unwrap_or(folder);
        folder.to_string_lossy().replace('\\', "/")
    }
}

impl Dependency {
    pub(crate) fn is_ours(&self) -> bool {
        self.path.is_some()
    }

    pub(crate) fn is_for_tests(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}
