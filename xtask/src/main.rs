//! The repository's commands: `cargo xtask NAME`.
//!
//! Each check is one module with one `run`; [`steps::STEPS`] lists them in the order in which `ci`
//! runs them. A check that finds something returns a [`Failure`] that says what to do about it.

#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a command speaks on its two streams"
)]

mod api;
mod bench;
mod book;
mod coverage;
mod deny;
mod examples;
mod failure;
mod features;
mod fuzz;
mod layers;
mod msrv;
mod no_std;
mod process;
mod source;
mod sqlite_range;
mod steps;
mod tidy;
mod toolchain;
mod wheels;
mod workspace;

use std::env;
use std::process::ExitCode;

use failure::Failure;
use workspace::Workspace;

fn main() -> ExitCode {
    if let Some(code) = api::stand_in() {
        return code;
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[&str]) -> Result<(), Failure> {
    match arguments {
        [] | ["help" | "--help" | "-h"] => {
            print!("{}", steps::help());
            Ok(())
        }
        ["ci"] => steps::ci(&Workspace::load()?),
        ["bench"] => bench::bench(&Workspace::load()?, None),
        ["bench", name] => bench::bench(&Workspace::load()?, Some(name)),
        ["bless"] => api::bless(&Workspace::load()?),
        ["coverage", "--all"] => coverage::print_all(&Workspace::load()?),
        ["book"] => book::book(&Workspace::load()?),
        ["fuzz", target] => fuzz::run_one(&Workspace::load()?, target, None),
        ["fuzz", target, runs] => fuzz::run_one(&Workspace::load()?, target, Some(runs)),
        ["fmt"] => toolchain::format(&Workspace::load()?),
        _ => match steps::find(&arguments.join(" ")) {
            Some(step) => (step.run)(&Workspace::load()?),
            None => Err(unknown(arguments)),
        },
    }
}

fn unknown(arguments: &[&str]) -> Failure {
    Failure::new(format!(
        "there is no `cargo xtask {}`\n\n{}",
        arguments.join(" "),
        steps::help()
    ))
}
