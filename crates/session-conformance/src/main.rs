//! Runs case files; see the library.

use std::io::{stderr, stdout};
use std::process::ExitCode;

/// Room for whatever a case nests.
const STACK: usize = 64 << 20;

fn main() -> ExitCode {
    // A panic is caught where it happens and told on the line of its case.
    std::panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let run = move || {
        session_conformance::program(&arguments, &mut stdout().lock(), &mut stderr().lock())
    };
    let running = std::thread::Builder::new().stack_size(STACK).spawn(run);
    match running.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(code))) => code,
        // Nobody reads what is written, or there was no thread to be had.
        _ => ExitCode::FAILURE,
    }
}
