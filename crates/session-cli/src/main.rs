//! The command `compaction`: looks at session logs and transcripts, and compacts them.
//!
//! It parses what was typed, calls the service, prints, and exits. What is pinned, covered or kept is
//! decided below; nothing here knows a rule of a pass.

#![cfg_attr(not(test), deny(unused_crate_dependencies))]

mod args;
mod commands;
mod failure;
mod job;
mod output;
mod parallel;
mod pins;
mod progress;
mod report;
mod run;
mod source;
mod store;
mod wait;

use std::process::ExitCode;

fn main() -> ExitCode {
    run::run(std::env::args_os())
}
