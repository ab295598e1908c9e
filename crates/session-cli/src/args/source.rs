//! SOURCE: a file, standard input, or a session in the store.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;
use session_transcript::Format;

use crate::failure::Failure;

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

impl SourceArgs {
    /// Refuses to write over the input, which is promised to stay.
    pub(crate) fn keep(&self, output: Option<&Path>) -> Result<(), Failure> {
        let Some(output) = output else {
            return Ok(());
        };
        let input = Path::new(&self.source).canonicalize();
        match (input, output.canonicalize()) {
            (Ok(input), Ok(target)) if input == target => Err(Failure::usage(format!(
                "{} is the input, which is never changed",
                output.display()
            ))
            .with_hint(
                "write another file, and move it over the input when you have looked at it",
            )),
            _ => Ok(()),
        }
    }
}

/// How transcripts are read.
#[derive(Args, Clone, Debug)]
pub(crate) struct FromArgs {
    #[arg(long, value_name = "FORMAT", value_parser = format, help = from_help(), help_heading = "Input")]
    pub(crate) from: Option<Format>,
}

fn from_help() -> String {
    format!(
        "Read files as this format: {} [default: found out by looking at the content]",
        names(|_| true)
    )
}

/// The help of an option that names a format to write.
pub(crate) fn to_help(default: &str) -> String {
    format!(
        "Write this format: {} [default: {default}]",
        names(Format::can_write)
    )
}

fn names(is_named: fn(Format) -> bool) -> String {
    let formats = Format::ALL
        .iter()
        .copied()
        .filter(|format| is_named(*format));
    formats.map(Format::name).collect::<Vec<_>>().join(", ")
}

/// Reads the name of a format.
pub(crate) fn format(name: &str) -> Result<Format, String> {
    name.parse::<Format>()
        .map_err(|_| format!("expected one of {}", names(|_| true)))
}

/// Reads the name of a format that can be written.
pub(crate) fn writable(name: &str) -> Result<Format, String> {
    match name.parse::<Format>() {
        Ok(format) if format.can_write() => Ok(format),
        Ok(format) => Err(format!(
            "{format} can be read but not written\nhint: choose one of {}",
            names(Format::can_write)
        )),
        Err(_) => Err(format!("expected one of {}", names(Format::can_write))),
    }
}

/// The formats that a provider takes.
pub(crate) fn requests() -> String {
    names(Format::is_request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_named_by_itself_and_written_only_where_it_can_be() {
        for known in Format::ALL {
            assert_eq!(format(known.name()), Ok(*known));
            let is_named = |help: &str| help.split([' ', ',']).any(|word| word == known.name());
            assert!(is_named(&from_help()), "{known}");
            assert_eq!(is_named(&to_help("x")), known.can_write(), "{known}");
            match writable(known.name()) {
                Ok(format) => assert!(format == *known && known.can_write()),
                Err(why) => {
                    assert!(!known.can_write());
                    assert!(why.contains("can be read but not written\nhint: choose one of"));
                }
            }
        }
    }
}
