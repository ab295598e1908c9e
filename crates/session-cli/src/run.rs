//! From what was typed to an exit code.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Cli;
use crate::commands;
use crate::failure::{Ending, Kind};
use crate::wait::wait;

/// Runs the command that `words` spell out, the program's own name first.
pub(crate) fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too. When nobody reads them there is nothing to do.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let kind = match wait(commands::run(cli)) {
        Ok(Ending::Done) => return ExitCode::SUCCESS,
        Ok(Ending::Partly(kind)) => kind,
        Err(failure) => {
            if failure.kind() != Kind::Closed {
                let _ = anstream::stderr().write_all(failure.render().as_bytes());
            }
            failure.kind()
        }
    };
    ExitCode::from(kind.exit_code())
}
