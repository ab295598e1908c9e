//! `compaction doctor`: whether the store is well.

use std::path::Path;

use clap::Args;
use compaction_tokens::Estimators;
use serde::Serialize;
use session::SessionQuery;

use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::commands::expire::expired;
use crate::failure::{Ending, Failure, Kind};
use crate::output::json::document;
use crate::output::style::{BOLD, ERROR, KEPT};
use crate::output::text::{counted, number};
use crate::output::{print, print_styled};
use crate::store::{StoreUrl, open_sqlite, service};

/// Examine the store
///
/// Opens it, reads all of it, and reports what is broken, what belongs to nothing, what is expired, and how much space
/// it takes. It changes nothing. The exit code is 1 when something is wrong.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct DoctorArgs {}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction doctor
  compaction --store sqlite:work.db doctor --json | jq .findings"
);

#[derive(Debug, Serialize)]
struct DoctorJson {
    store: String,
    exists: bool,
    sessions: u64,
    expired: u64,
    bytes: Option<u64>,
    findings: Vec<String>,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, _: &DoctorArgs) -> Result<Ending, Failure> {
    let url = StoreUrl::parse(globals.store.as_deref())?;
    let seen = examine(&url).await?;
    if globals.json {
        print(&document(&seen)?)?;
    } else {
        print_styled(&text(&seen))?;
    }
    Ok(if seen.findings.is_empty() {
        Ending::Done
    } else {
        Ending::Partly(Kind::Work)
    })
}

async fn examine(url: &StoreUrl) -> Result<DoctorJson, Failure> {
    let mut seen = DoctorJson {
        store: url.to_string(),
        exists: false,
        sessions: 0,
        expired: 0,
        bytes: None,
        findings: Vec::new(),
    };
    let sessions = match url {
        StoreUrl::Memory => return Ok(seen),
        StoreUrl::Postgres(_) => url.open(by_name(Estimators::DEFAULT)?).await?,
        StoreUrl::Sqlite(path) if !path.exists() => return Ok(seen),
        StoreUrl::Sqlite(path) => {
            let store = open_sqlite(path)?;
            seen.findings = store
                .doctor()
                .await?
                .iter()
                .map(ToString::to_string)
                .collect();
            seen.bytes = Some(space(path));
            service(store, by_name(Estimators::DEFAULT)?)
        }
    };
    seen.exists = true;
    seen.expired = u64::try_from(expired(&sessions).await?.len()).unwrap_or(u64::MAX);
    let mut query = SessionQuery::all().with_limit(1000);
    loop {
        let page = sessions.list(&query).await?;
        seen.sessions += u64::try_from(page.items.len()).unwrap_or(0);
        match page.next {
            Some(mark) => query.after = Some(mark),
            None => return Ok(seen),
        }
    }
}

/// What the file takes on disk, with what SQLite keeps beside it.
fn space(path: &Path) -> u64 {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        std::fs::metadata(name).map_or(0, |metadata| metadata.len())
    };
    ["", "-wal", "-shm"].into_iter().map(beside).sum()
}

fn text(seen: &DoctorJson) -> String {
    if !seen.exists {
        return format!(
            "{BOLD}{}{BOLD:#}: there is no store yet; `compaction import` makes one\n",
            seen.store
        );
    }
    let mut text = format!(
        "{BOLD}{}{BOLD:#}: {}, {} expired{}\n",
        seen.store,
        counted(seen.sessions, "session"),
        number(seen.expired),
        seen.bytes
            .map(|bytes| format!(", {} bytes", number(bytes)))
            .unwrap_or_default(),
    );
    if seen.findings.is_empty() {
        text.push_str(&format!(
            "{KEPT}sound{KEPT:#}: every record was read, and nothing disagrees\n"
        ));
    }
    for finding in &seen.findings {
        text.push_str(&format!("{ERROR}wrong:{ERROR:#} {finding}\n"));
    }
    text
}
