//! The lowest crates link without the standard library.
//!
//! A throw-away static library is `#![no_std]`, has its own panic handler and allocator, and uses each
//! of the crates. Were one of them, or anything below them, to bring `std`, there would be two panic
//! handlers, and the build stops. That is stronger than `#![no_std]` in a source file, and needs no
//! other target than the one at hand.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::workspace::{Package, Workspace};
use crate::{layers, process};

const LIBRARY: &str = include_str!("no_std/lib.rs.in");

pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut crates = Vec::new();
    for name in layers::without_std(workspace)? {
        let Some(package) = workspace.package(&name) else {
            return Err(Failure::new(format!("there is no crate `{name}`")));
        };
        crates.push(package);
    }
    let lock = fs::read(workspace.root().join("Cargo.lock"))
        .map_err(|error| Failure::because("cannot read Cargo.lock", error))?;
    let target = workspace.target().join("no-std");
    for features in [Features::None, Features::All] {
        let folder = target.join(features.name());
        let linked: Vec<Linked<'_>> = crates.iter().map(|it| Linked::of(it, features)).collect();
        write(&folder, &linked)?;
        write_file(&folder.join("Cargo.lock"), &lock)?;
        build(&folder, &target)?;
        println!(
            "{} crates link with {} features",
            linked.len(),
            features.name()
        );
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Features {
    None,
    All,
}

impl Features {
    fn name(self) -> &'static str {
        match self {
            Self::None => "no",
            Self::All => "all",
        }
    }
}

/// A crate to link, and the features to link it with.
struct Linked<'a> {
    name: &'a str,
    folder: &'a Path,
    features: Vec<&'a str>,
}

impl<'a> Linked<'a> {
    fn of(package: &'a Package, features: Features) -> Self {
        let features = match features {
            Features::None => Vec::new(),
            Features::All => package.features.keys().map(String::as_str).collect(),
        };
        Self {
            name: &package.name,
            folder: package.manifest_path.parent().unwrap_or(Path::new(".")),
            features,
        }
    }
}

/// Writes the throw-away package. Its empty `[workspace]` keeps it out of ours.
fn write(folder: &Path, crates: &[Linked<'_>]) -> Result<(), Failure> {
    let mut manifest = String::from(
        "[package]\nname = \"no-std-check\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         publish = false\n\n[lib]\ncrate-type = [\"staticlib\"]\n\n\
         [profile.dev]\npanic = \"abort\"\n\n[workspace]\n\n[dependencies]\n",
    );
    let mut library = String::from(LIBRARY);
    for linked in crates {
        let _ = writeln!(
            manifest,
            "{} = {{ path = {:?}, default-features = false, features = {:?} }}",
            linked.name, linked.folder, linked.features
        );
        let _ = writeln!(library, "use {} as _;", linked.name.replace('-', "_"));
    }
    fs::create_dir_all(folder.join("src"))
        .map_err(|error| Failure::because(&format!("cannot create {}", folder.display()), error))?;
    write_file(&folder.join("Cargo.toml"), manifest.as_bytes())?;
    write_file(&folder.join("src/lib.rs"), library.as_bytes())
}

fn write_file(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fs::write(path, content)
        .map_err(|error| Failure::because(&format!("cannot write {}", path.display()), error))
}

fn build(folder: &Path, target: &Path) -> Result<(), Failure> {
    let mut command = Command::new(process::cargo_path());
    command
        .current_dir(folder)
        .args(["build", "--quiet", "--target-dir"])
        .arg(target.join("target"));
    process::read(&mut command).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links one made-up crate and returns what the build said, if it failed.
    fn link(name: &str, source: &str) -> Result<(), Failure> {
        let target = Workspace::load().unwrap().target().join("no-std-tests");
        let below = target.join(name);
        fs::create_dir_all(below.join("src")).unwrap();
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n"
        );
        fs::write(below.join("Cargo.toml"), manifest).unwrap();
        fs::write(below.join("src/lib.rs"), source).unwrap();
        let folder = target.join(format!("links-{name}"));
        let linked = Linked {
            name,
            folder: &below,
            features: Vec::new(),
        };
        write(&folder, &[linked])?;
        build(&folder, &target)
    }

    #[test]
    fn a_crate_that_does_without_std_links() {
        link("without", "#![no_std]\npub fn one() -> u8 { 1 }").unwrap();
    }

    #[test]
    fn a_crate_that_brings_std_does_not_link() {
        for (name, source) in [
            ("with", "pub fn one() -> u8 { 1 }"),
            ("with-late", "#![no_std]\nextern crate std;"),
        ] {
            let failure = link(name, source).unwrap_err().to_string();
            assert!(failure.contains("duplicate lang item"), "{failure}");
            assert!(failure.contains("panic_impl"), "{failure}");
        }
    }
}
