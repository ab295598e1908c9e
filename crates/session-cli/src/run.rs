//! From what was typed to an exit code.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

use crate::args::Cli;
use crate::commands;
use crate::failure::{Ending, Failure, Kind};
use crate::output::tell;
use crate::wait::wait;

/// Runs the command that `words` spell out, the program's own name first.
pub(crate) fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.len() < 2 {
        // The whole help, not a line about a command that is missing.
        tell(&Cli::command().render_help().ansi().to_string());
        return ExitCode::from(Kind::Usage.exit_code());
    }
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => {
            if let Some(failure) = a_file_alone(&error, &words) {
                tell(&failure.render());
                return ExitCode::from(failure.kind().exit_code());
            }
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
                tell(&failure.render());
            }
            failure.kind()
        }
    };
    ExitCode::from(kind.exit_code())
}

/// What to say when somebody gives a file and no command.
fn a_file_alone(error: &clap::Error, words: &[OsString]) -> Option<Failure> {
    let first = Path::new(words.get(1)?);
    if error.kind() != ErrorKind::InvalidSubcommand || !first.is_file() {
        return None;
    }
    let file = first.display();
    Some(
        Failure::usage(format!(
            "{file} is a file, and no command says what to do with it"
        ))
        .with_hint(format!(
            "`compaction compact {file}`, or `compaction stats {file}` to look at it"
        )),
    )
}
