//! Other programs: shown before they run, and a failure when they fail.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};

use crate::failure::Failure;
use crate::workspace::Workspace;

/// The `cargo` that runs this program, in the workspace's root.
pub(crate) fn cargo<'a>(
    workspace: &Workspace,
    arguments: impl IntoIterator<Item = &'a str>,
) -> Command {
    let mut command = Command::new(cargo_path());
    command.args(arguments).current_dir(workspace.root());
    command
}

pub(crate) fn cargo_path() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs a command with our streams.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let line = line_of(command);
    println!("$ {line}");
    let status = command
        .status()
        .map_err(|error| Failure::because(&format!("cannot run `{line}`"), error))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("`{line}` failed ({status})")))
}

/// Runs a command quietly and returns what it printed, whether it failed or not.
pub(crate) fn capture(command: &mut Command) -> Result<Output, Failure> {
    command
        .output()
        .map_err(|error| Failure::because(&format!("cannot run `{}`", line_of(command)), error))
}

/// Runs a command quietly; its standard output, or a failure with its standard error.
pub(crate) fn read(command: &mut Command) -> Result<String, Failure> {
    let output = capture(command)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Failure::new(format!(
        "`{}` failed ({})\n{}",
        line_of(command),
        output.status,
        String::from_utf8_lossy(&output.stderr).trim_end()
    )))
}

/// The command as one would type it: the program without its folder, then its arguments.
fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut line = program
        .file_name()
        .unwrap_or(command.get_program())
        .to_string_lossy()
        .into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
