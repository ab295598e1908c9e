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
///
/// A crate that turns on features of what others depend on too is tested apart from them, so that
/// these are tested as their users build them.
pub(crate) fn test(workspace: &Workspace) -> Result<(), Failure> {
    let apart = workspace.tested_apart()?;
    let mut together = cargo(workspace, ["test", "--workspace", "--all-features"]);
    let mut alone = cargo(workspace, ["test", "--all-features"]);
    for name in &apart {
        together.args(["--exclude", name]);
        alone.args(["--package", name]);
    }
    run(&mut together)?;
    match apart.is_empty() {
        true => Ok(()),
        false => run(&mut alone),
    }
}

pub(crate) fn doc(workspace: &Workspace) -> Result<(), Failure> {
    run(cargo(
        workspace,
        ["doc", "--workspace", "--all-features", "--no-deps"],
    )
    .env("RUSTDOCFLAGS", "--deny=warnings"))
}
