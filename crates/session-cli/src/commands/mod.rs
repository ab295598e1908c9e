//! The commands, one module each.

mod compact;
mod completions;
mod export;
mod import;
mod plan;
mod sessions;
mod show;
mod stats;

pub(crate) mod pass;

use clap::Subcommand;

use crate::args::Cli;
use crate::failure::{Ending, Failure};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Compact(compact::CompactArgs),
    Plan(plan::PlanArgs),
    Stats(stats::StatsArgs),
    Import(import::ImportArgs),
    Sessions(sessions::SessionsArgs),
    Show(show::ShowArgs),
    Export(export::ExportArgs),
    Completions(completions::CompletionsArgs),
}

/// Runs the command that was typed.
pub(crate) async fn run(cli: Cli) -> Result<Ending, Failure> {
    let Cli { globals, command } = cli;
    match command {
        Command::Compact(args) => compact::run(&globals, &args).await,
        Command::Plan(args) => plan::run(&globals, &args).await,
        Command::Stats(args) => stats::run(&globals, &args).await,
        Command::Import(args) => import::run(&globals, &args).await,
        Command::Sessions(args) => sessions::run(&globals, &args).await,
        Command::Show(args) => show::run(&globals, &args).await,
        Command::Export(args) => export::run(&globals, &args).await,
        Command::Completions(args) => completions::run(&args),
    }
}
