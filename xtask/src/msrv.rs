//! The lowest crates build with the oldest compiler they promise, and not only by review.
//!
//! Their `rust-version` is tried with a compiler and a cargo of that version: rustup's where it has
//! them, else those of the Debian release that ships them, whatever this machine runs. Their packages
//! are unpacked under `target/tools` and run with their own C library; apt checks their signatures. The
//! linker is the machine's own.

mod debian;

use std::path::PathBuf;
use std::process::Command;

use crate::failure::Failure;
use crate::layers;
use crate::process::{capture, read, run as run_command};
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let crates = layers::without_std(workspace)?;
    let version = oldest(workspace, &crates)?;
    let toolchain = Toolchain::find(workspace, &version)?;
    println!("{}", toolchain.about(&version)?);
    for features in ["--no-default-features", "--all-features"] {
        let mut command = toolchain.cargo();
        command
            .current_dir(workspace.root())
            .args(["check", "--locked", "--lib", features])
            // What is only checked need not run fast.
            .args(["--config", "profile.dev.package.\"*\".opt-level=0"])
            .arg("--target-dir")
            .arg(workspace.target().join("msrv"))
            .env("CARGO_INCREMENTAL", "0");
        for name in &crates {
            command.args(["--package", name]);
        }
        run_command(&mut command)?;
    }
    Ok(())
}

/// The one version that all of the crates promise.
fn oldest(workspace: &Workspace, crates: &[String]) -> Result<String, Failure> {
    let promised = |name: &String| workspace.package(name)?.rust_version.clone();
    let mut versions: Vec<Option<String>> = crates.iter().map(promised).collect();
    versions.dedup();
    match versions.as_slice() {
        [Some(version)] => Ok(version.clone()),
        other => Err(Failure::new(format!(
            "the lowest crates promise no one version: {other:?}"
        ))),
    }
}

/// A compiler and a cargo of one version.
enum Toolchain {
    /// Of rustup, by its name there.
    Rustup(String),
    /// A folder with `rustc` and `cargo`.
    Folder(PathBuf),
}

impl Toolchain {
    fn find(workspace: &Workspace, version: &str) -> Result<Self, Failure> {
        let installed = capture(Command::new("rustup").args(["toolchain", "list", "--quiet"]));
        let installed = installed.map(|output| output.stdout).unwrap_or_default();
        let installed = String::from_utf8_lossy(&installed);
        if let Some(name) = of_version(&installed, version) {
            return Ok(Self::Rustup(name.to_owned()));
        }
        debian::find_or_install(workspace, version).map(Self::Folder)
    }

    fn cargo(&self) -> Command {
        match self {
            Self::Rustup(name) => {
                let mut command = Command::new("rustup");
                command.args(["run", name, "cargo"]);
                // Ours names the compiler that runs this program.
                command.env_remove("RUSTC");
                command
            }
            Self::Folder(folder) => {
                let mut command = Command::new(folder.join("cargo"));
                command.env("RUSTC", folder.join("rustc"));
                command
            }
        }
    }

    /// What the compiler says of itself, which must be the version.
    fn about(&self, version: &str) -> Result<String, Failure> {
        let mut command = match self {
            Self::Rustup(name) => {
                let mut command = Command::new("rustup");
                command.args(["run", name, "rustc"]);
                command
            }
            Self::Folder(folder) => Command::new(folder.join("rustc")),
        };
        let about = read(command.arg("--version"))?.trim().to_owned();
        if about.starts_with(&format!("rustc {version}.")) {
            return Ok(about);
        }
        Err(Failure::new(format!(
            "wanted a compiler {version}, and found {about}"
        )))
    }
}

/// The installed toolchain of this version: `1.85.0-x86_64-unknown-linux-gnu` for `1.85`.
fn of_version<'a>(installed: &'a str, version: &str) -> Option<&'a str> {
    installed.lines().map(str::trim).find(|name| {
        name.strip_prefix(version)
            .is_some_and(|rest| rest.starts_with(['.', '-']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_is_found_by_its_version() {
        let installed = "stable-x86_64\n1.8-x86_64\n1.85.0-x86_64\n";
        assert_eq!(of_version(installed, "1.85"), Some("1.85.0-x86_64"));
        assert_eq!(of_version(installed, "1.8"), Some("1.8-x86_64"));
        assert_eq!(of_version(installed, "1.89"), None);
    }

    #[test]
    fn the_lowest_crates_promise_one_version() {
        let workspace = Workspace::load().unwrap();
        let crates = layers::without_std(&workspace).unwrap();
        assert!(!oldest(&workspace, &crates).unwrap().is_empty());
        assert!(oldest(&workspace, &["absent".to_owned()]).is_err());
        assert!(oldest(&workspace, &[]).is_err());
        let mixed = ["compaction-core", "xtask"].map(str::to_owned);
        assert!(oldest(&workspace, &mixed).is_err());
    }
}
