//! What is printed: results on standard output, messages and reports on standard error.

pub(crate) mod fates;
pub(crate) mod file;
pub(crate) mod json;
pub(crate) mod receipt;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod transcript;
pub(crate) mod words;

use std::io::{self, Write};

use crate::failure::{Failure, plainly};

/// Writes `text` to standard output as it is.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes `text` to standard output; styles are taken off where nobody would see them.
pub(crate) fn print_styled(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes `text` to standard error; styles are taken off where nobody would see them. That it
/// cannot be written is nobody's fault.
pub(crate) fn tell(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

fn written(outcome: io::Result<()>) -> Result<(), Failure> {
    match outcome {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::closed()),
        Err(error) => Err(Failure::work(format!(
            "cannot write to standard output: {}",
            plainly(&error)
        ))),
    }
}
