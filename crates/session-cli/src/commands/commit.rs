//! `compaction commit`: lands a plan that `plan --save` stored.

use std::path::PathBuf;

use clap::Args;
use session::{OnConflict, PassPlan};

use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::commands::compact::documents;
use crate::commands::pass::Pass;
use crate::failure::{Ending, Failure};
use crate::output::receipt::receipt;
use crate::output::{print, tell};
use crate::source::bytes;
use crate::store;

/// Land a plan that was saved, unchanged
///
/// The plan still lands when events were appended meanwhile: they stay in view behind what it keeps. It does not
/// land when somebody else compacted, undid, pinned or erased; nothing is written then, and it is told. Committing
/// a plan twice changes nothing.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CommitArgs {
    /// The file that `plan --save` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Do not land if anything at all was written to the session meanwhile
    #[arg(long)]
    strict: bool,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction plan talk-1 --last-turns 4 --save plan.json
  compaction commit plan.json"
);

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &CommitArgs) -> Result<Ending, Failure> {
    let text = String::from_utf8_lossy(&bytes::of_file(&args.file)?).into_owned();
    let plan = PassPlan::from_json(text.trim()).map_err(|error| {
        Failure::usage(format!("{}: {error}", args.file.display()))
            .with_causes_of(&error)
            .with_hint("`compaction plan SESSION --save FILE` writes one")
    })?;
    let sessions =
        store::open(globals.store.as_deref(), by_name(&plan.report().estimator)?).await?;
    let on_conflict = if args.strict {
        OnConflict::Skip
    } else {
        OnConflict::Rebase
    };
    let id = plan.session().clone();
    let had_landed = match plan.events().first() {
        Some(boundary) => sessions
            .log(&id)
            .await?
            .iter()
            .any(|event| event.id == boundary.id),
        None => false,
    };
    let report = sessions.commit(&plan, on_conflict).await?;
    let notes = had_landed.then(|| "this plan had landed before, so nothing was written".into());
    let pass = Pass {
        report,
        before: sessions.view_at(&id, plan.based_on()).await?,
        after: sessions.view(&id).await?,
        plan: None,
        selected_by: None,
        notes: notes.into_iter().collect(),
    };
    if globals.json {
        print(&documents(std::iter::once(&pass), &[])?)?;
    } else if !globals.quiet {
        tell(&receipt(id.as_str(), &pass, &sessions));
    }
    Ok(Ending::Done)
}
