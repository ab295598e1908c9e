//! The commands, one module each.

mod commit;
mod compact;
mod compare;
mod completions;
mod delete;
mod diff;
mod doctor;
mod expire;
mod export;
mod fork;
mod import;
mod plan;
mod report;
mod search;
pub(crate) mod sessions;
pub(crate) mod show;
mod stats;
mod tokens;
mod undo;

pub(crate) mod pass;

use clap::Subcommand;

use crate::args::Cli;
use crate::failure::{Ending, Failure};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Compact(compact::CompactArgs),
    Plan(plan::PlanArgs),
    Commit(commit::CommitArgs),
    Stats(stats::StatsArgs),
    Compare(compare::CompareArgs),
    Report(report::ReportArgs),
    Import(import::ImportArgs),
    Sessions(sessions::SessionsArgs),
    Show(show::ShowArgs),
    Export(export::ExportArgs),
    Search(search::SearchArgs),
    Undo(undo::UndoArgs),
    Redo(undo::RedoArgs),
    Fork(fork::ForkArgs),
    Diff(diff::DiffArgs),
    Delete(delete::DeleteArgs),
    Expire(expire::ExpireArgs),
    Tokens(tokens::TokensArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
}

/// Runs the command that was typed.
pub(crate) async fn run(cli: Cli) -> Result<Ending, Failure> {
    let Cli { globals, command } = cli;
    match command {
        Command::Compact(args) => compact::run(&globals, &args).await,
        Command::Plan(args) => plan::run(&globals, &args).await,
        Command::Commit(args) => commit::run(&globals, &args).await,
        Command::Stats(args) => stats::run(&globals, &args).await,
        Command::Compare(args) => compare::run(&globals, &args).await,
        Command::Report(args) => report::run(&globals, &args).await,
        Command::Import(args) => import::run(&globals, &args).await,
        Command::Sessions(args) => sessions::run(&globals, &args).await,
        Command::Show(args) => show::run(&globals, &args).await,
        Command::Export(args) => export::run(&globals, &args).await,
        Command::Search(args) => search::run(&globals, &args).await,
        Command::Undo(args) => undo::undo(&globals, &args).await,
        Command::Redo(args) => undo::redo(&globals, &args).await,
        Command::Fork(args) => fork::run(&globals, &args).await,
        Command::Diff(args) => diff::run(&globals, &args).await,
        Command::Delete(args) => delete::run(&globals, &args).await,
        Command::Expire(args) => expire::run(&globals, &args).await,
        Command::Tokens(args) => tokens::run(&globals, &args).await,
        Command::Doctor(args) => doctor::run(&globals, &args).await,
        Command::Completions(args) => completions::run(&globals, &args),
    }
}
