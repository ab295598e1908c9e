//! What cargo checks by itself: format, lints, tests, documentation.

use crate::failure::Failure;
use crate::process::{cargo, run};
use crate::workspace::Workspace;

pub(crate) fn format(workspace: &Workspace) -> Result<(), Failure> {
    run(&mut cargo(workspace, ["fmt", "--all"]))
}

pub(crate) fn check_format(workspace: &Workspace) -> Result<(), Failure> {
    run(&mut cargo(workspace, ["fmt", "--all", "--check"]))
}

pub(crate) fn clippy(workspace: &Workspace) -> Result<(), Failure> {
    run(&mut cargo(
        workspace,
        [
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--",
            "--deny=warnings",
        ],
    ))
}

/// Unit tests, integration tests, examples that build, and every example in the documentation.
pub(crate) fn test(workspace: &Workspace) -> Result<(), Failure> {
    run(&mut cargo(
        workspace,
        ["test", "--workspace", "--all-features"],
    ))
}

pub(crate) fn doc(workspace: &Workspace) -> Result<(), Failure> {
    run(cargo(
        workspace,
        ["doc", "--workspace", "--all-features", "--no-deps"],
    )
    .env("RUSTDOCFLAGS", "--deny=warnings"))
}
