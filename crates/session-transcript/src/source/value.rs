//! The value that a text begins with, and where it cannot be read any further.

use serde_json::value::RawValue;

/// A value cannot be read here.
pub(super) struct Fault {
    /// The text ends inside of it.
    pub(super) is_cut: bool,
    /// How many bytes were read until that was clear.
    pub(super) read: usize,
}

/// The length of the value that `text` begins with.
pub(super) fn first_value(text: &str) -> Result<usize, Fault> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    match values.next() {
        Some(Ok(_)) => Ok(values.byte_offset()),
        Some(Err(error)) => Err(Fault {
            is_cut: error.is_eof(),
            read: place_of(&error, text),
        }),
        None => Err(Fault {
            is_cut: true,
            read: text.len(),
        }),
    }
}

/// The byte at which an error was found.
fn place_of(error: &serde_json::Error, text: &str) -> usize {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>() + error.column()
}
