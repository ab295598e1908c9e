//! `compaction completions`: completions for a shell.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use serde::Serialize;

use crate::args::{Cli, Globals, after_help};
use crate::failure::{Ending, Failure};
use crate::output::json::document;
use crate::output::print;

/// Print completions for a shell
///
/// Write them where your shell looks for them; it then completes commands, options and their values.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction completions bash > ~/.local/share/bash-completion/completions/compaction
  compaction completions zsh > ~/.zfunc/_compaction
  compaction completions fish > ~/.config/fish/completions/compaction.fish"
);

#[derive(Debug, Serialize)]
struct CompletionsJson<'a> {
    shell: String,
    script: &'a str,
}

/// Runs the command.
pub(crate) fn run(globals: &Globals, args: &CompletionsArgs) -> Result<Ending, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "compaction", &mut script);
    let script = String::from_utf8_lossy(&script);
    if globals.json {
        print(&document(&CompletionsJson {
            shell: args.shell.to_string(),
            script: &script,
        })?)?;
    } else {
        print(&script)?;
    }
    Ok(Ending::Done)
}
