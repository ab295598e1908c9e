//! SOURCE: a file, standard input, or a session in the store.

use std::ffi::OsString;

use clap::Args;
use session_transcript::Format;

/// Where a conversation comes from.
#[derive(Args, Clone, Debug)]
pub(crate) struct SourceArgs {
    /// A transcript file, - for standard input, or the id of a session in the store
    #[arg(value_name = "SOURCE")]
    pub(crate) source: OsString,

    /// Take SOURCE for the id of a session, also when there is a file of this name
    #[arg(long, help_heading = "Input")]
    pub(crate) as_session: bool,

    #[command(flatten)]
    pub(crate) from: FromArgs,

    /// Of a file with several conversations take only this one, by its number or id
    #[arg(long, value_name = "N|ID", help_heading = "Input")]
    pub(crate) conversation: Option<String>,
}

/// How transcripts are read.
#[derive(Args, Clone, Debug)]
pub(crate) struct FromArgs {
    /// Read files as this format: openai-chat, anthropic, claude-code or jsonl [default: found out
    /// by looking at the content]
    #[arg(long, value_name = "FORMAT", value_parser = format, help_heading = "Input")]
    pub(crate) from: Option<Format>,
}

/// Reads the name of a format.
pub(crate) fn format(name: &str) -> Result<Format, String> {
    name.parse::<Format>().map_err(|_| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Reads the name of a format that can be written.
pub(crate) fn writable(name: &str) -> Result<Format, String> {
    let format = format(name)?;
    if format.can_write() {
        return Ok(format);
    }
    Err("this format can be read but not written".into())
}
