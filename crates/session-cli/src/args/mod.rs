//! What can be typed: the commands, and the options that several of them share.

pub(crate) mod moment;
pub(crate) mod number;
pub(crate) mod source;
pub(crate) mod strategy;
pub(crate) mod summarizer;
pub(crate) mod tokens;
pub(crate) mod trigger;
pub(crate) mod window;

use clap::{Args, Parser};

use crate::commands::Command;

/// Looks at session logs and transcripts of language model agents, and compacts them.
///
/// A transcript is read in the format another tool wrote it in. Compacting keeps the system prompt,
/// what stands before the first turn, and the newest turns; everything else is covered. Turns are
/// never parted, and no tool call is parted from its result.
#[derive(Debug, Parser)]
#[command(
    name = "compaction",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = AFTER_HELP
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,

    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  compaction compact talk.json > shorter.json      compact a transcript to 8,000 tokens
  compaction plan talk.json --last-turns 4         see what would go, and change nothing
  compaction stats talk.jsonl                      see where the tokens are
  compaction report talk.jsonl -o talk.html        look at it in a browser
  compaction import talk.jsonl                     keep it as a session

Exit codes:
  0  done, also when there was nothing to compact
  1  the work failed
  2  wrong usage, or input that cannot be read";

/// The end of a command's help: examples, then the exit codes.
macro_rules! after_help {
    ($examples:literal) => {
        concat!(
            $examples,
            "\n\nExit codes: 0 done, 1 the work failed, 2 wrong usage or input that cannot be read"
        )
    };
}
pub(crate) use after_help;

/// Options of every command.
#[derive(Args, Clone, Debug)]
pub(crate) struct Globals {
    /// Print one JSON document on standard output instead of text for people
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,

    /// Say nothing on standard error but errors
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,

    /// Where sessions are kept: sqlite:PATH, postgres://USER@HOST/DATABASE, or memory: for a store that
    /// is gone afterwards
    /// [default: sqlite:sessions.db in the user's data folder] [env: COMPACTION_STORE]
    // Read from the environment where it is needed: the parser would name it in every usage line.
    #[arg(
        long,
        value_name = "URL",
        global = true,
        help_heading = "Global options"
    )]
    pub(crate) store: Option<String>,
}
