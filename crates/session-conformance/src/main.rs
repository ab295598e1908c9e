//! Runs case files; see the library.

use std::io::{stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    // A panic is caught where it happens and told on the line of its case.
    std::panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match session_conformance::program(&arguments, &mut stdout().lock(), &mut stderr().lock()) {
        Ok(code) => code,
        // Nobody reads what is written any more.
        Err(_) => ExitCode::FAILURE,
    }
}
