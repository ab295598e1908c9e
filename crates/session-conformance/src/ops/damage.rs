//! Stores that are damaged, and stores of an earlier schema.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::Ran;
use crate::case::{Action, Case};
use crate::failure::Failure;
use crate::seen::{FileSeen, Reported, Snapshot};
use crate::store::{StoreKind, postgres};
use crate::world::{Runs, Setting, World};

/// Damages the stored row of an event and goes on. Looking is lenient and reports the row; what is
/// strict about it may fail, and the error is kept.
pub(super) fn corrupt(
    case: &Case,
    setting: &Setting,
    row: &str,
    column: &str,
    value: Option<&str>,
    then: &[Action],
) -> Runs<Ran> {
    if !setting.store.is_durable() {
        return Ok(Ran::Skipped(nothing_kept(setting)));
    }
    if !matches!(column, "payload" | "record" | "message") {
        return Err(format!("no column `{column}` is known to the runner"));
    }
    let mut world = World::new(case, setting)?;
    world.append_input()?;
    let before = world.look()?.ok_or("the session is gone")?;
    world.close();
    match setting.store {
        StoreKind::Postgres => damage_row(&world.home.address(), row, value)?,
        _ => damage_file(&world.home.file(), row, value)?,
    }
    world.reopen()?;
    // The log is not what it was, and that is the point.
    world.states.clear();
    world.act_all(then)?;
    let mut seen = world.seen()?;
    let after = seen.after.clone().ok_or("the session is gone")?;
    if after.damaged.is_empty() {
        seen.failures.push(Failure::broken(
            "a damaged row was read as if it were sound",
        ));
    }
    seen.file = Some(FileSeen {
        reported: after
            .damaged
            .iter()
            .map(|place| reported(*place, &before))
            .collect(),
        warnings: Vec::new(),
    });
    // A strict reading that refuses is as it must be: the damage is reported besides. It names the
    // event by its place, which is the case's event.
    let names: Vec<String> = after
        .damaged
        .iter()
        .filter_map(|place| {
            Some(format!(
                "event {place} is {}",
                reported(*place, &before).event?
            ))
        })
        .collect();
    for failure in &mut seen.failures {
        if failure.is("corrupt") && !after.damaged.is_empty() {
            failure.is_wanted = true;
            failure.message = format!("{} ({})", failure.message, names.join(", "));
        }
    }
    Ok(seen.into())
}

fn reported(place: u64, before: &Arc<Snapshot>) -> Reported {
    let mut log = before.log.iter();
    let event = log.find(|event| event.seq.as_u64() == place);
    Reported {
        line: None,
        event: event.map(|event| before.name(&event.id)),
        why: vec!["corrupt".into()],
    }
}

/// Puts `value` in the place of the record of an event in a database file that nobody has open.
/// What is shorter than the record is followed by blanks.
fn damage_file(file: &Path, row: &str, value: Option<&str>) -> Runs<()> {
    let says = |error: std::io::Error| error.to_string();
    let mut bytes = std::fs::read(file).map_err(says)?;
    let wal = PathBuf::from(format!("{}-wal", file.display()));
    if std::fs::metadata(&wal).is_ok_and(|wal| wal.len() > 0) {
        return Err("somebody still has the database open".into());
    }
    let begin = format!("{{\"v\":1,\"id\":{},", json!(row));
    let places: Vec<usize> = bytes
        .windows(begin.len())
        .enumerate()
        .filter(|(_, window)| *window == begin.as_bytes())
        .map(|(place, _)| place)
        .collect();
    if places.is_empty() {
        return Err(format!("no record of event {row} is in the file"));
    }
    for place in places {
        let rest = bytes.get(place..).unwrap_or_default();
        let mut values =
            serde_json::Deserializer::from_slice(rest).into_iter::<serde_json::Value>();
        if !matches!(values.next(), Some(Ok(_))) {
            continue;
        }
        let length = values.byte_offset();
        let with = value.unwrap_or_default().bytes();
        let with = with.chain(std::iter::repeat(b' ')).take(length);
        for (old, new) in bytes.iter_mut().skip(place).zip(with) {
            *old = new;
        }
    }
    std::fs::write(file, bytes).map_err(says)
}

/// The same in a server. A record may not be null there, so nothing at all takes its place.
fn damage_row(schema: &str, row: &str, value: Option<&str>) -> Runs<()> {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    postgres::execute(&format!(
        "UPDATE {schema}.event SET record = {} WHERE id = {}",
        quoted(value.unwrap_or_default()),
        quoted(row)
    ))
}

/// Opens a store that was written in an earlier schema, and goes on.
pub(super) fn migrate(
    case: &Case,
    setting: &Setting,
    from_schema: &str,
    then: &[Action],
) -> Runs<Ran> {
    if !setting.store.is_durable() {
        return Ok(Ran::Skipped(nothing_kept(setting)));
    }
    let mut world = World::new(case, setting)?;
    world.append_input()?;
    let before = world.look()?.ok_or("the session is gone")?;
    world.close();
    // There is one schema so far: the one an earlier release wrote is the one this one writes.
    let newest = match setting.store {
        StoreKind::Sqlite => schema_of(&world.home.file())?,
        _ => FIRST_SCHEMA,
    };
    let is_asked_for = matches!(from_schema, "previous" | "1");
    if !is_asked_for || newest != FIRST_SCHEMA {
        return Err(format!(
            "a {} store of schema {from_schema} cannot be made from here: this release writes \
             schema {newest}",
            setting.store
        ));
    }
    world.reopen()?;
    let opened = world.look()?.ok_or("the session is gone")?;
    world.act_all(then)?;
    let mut seen = world.seen()?;
    let after = seen.after.clone().ok_or("the session is gone")?;
    let is_kept = after.log.starts_with(&before.log) && opened.log == before.log;
    seen.facts
        .insert("view_after_open", json!(opened.view_names()));
    seen.facts.insert("old_rows_kept", json!(is_kept));
    Ok(seen.into())
}

/// The schema of the first release.
const FIRST_SCHEMA: u32 = 1;

/// The number of the schema, which stands in the head of a SQLite file.
fn schema_of(file: &Path) -> Runs<u32> {
    const PLACE: usize = 60;
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    match bytes.get(PLACE..).and_then(<[u8]>::first_chunk::<4>) {
        Some(number) => Ok(u32::from_be_bytes(*number)),
        None => Err("the database has no head".into()),
    }
}

fn nothing_kept(setting: &Setting) -> String {
    format!("a {} store keeps nothing between two runs", setting.store)
}
