//! Ids that mean something to somebody else: paths, names of devices, nothing at all.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;
use session::{Error, Expected, SessionQuery};
use session_log::{EventId, SessionId};
use session_store::{NewSession, SearchQuery};

use crate::case::Case;
use crate::export;
use crate::failure::Failure;
use crate::seen::Seen;
use crate::world::{Runs, Setting, World, wait};

/// Every id either works as the text it is, or is refused with a clear error.
pub(super) fn ids(
    case: &Case,
    setting: &Setting,
    session_ids: &[String],
    user_ids: &[String],
    actions: &[String],
) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    let base = world.home.folder().to_owned();
    let named: Vec<&String> = session_ids.iter().chain(user_ids).collect();
    let outside: Vec<PathBuf> = named
        .iter()
        .flat_map(|id| places(&base, id))
        .filter(|place| !place.exists())
        .collect();

    let mut wrong = Vec::new();
    for (number, id) in session_ids.iter().enumerate() {
        let mut users = user_ids.iter().map(Some).collect::<Vec<_>>();
        if users.is_empty() {
            users.push(None);
        }
        for (user_number, user) in users.into_iter().enumerate() {
            // One session for each user: the id of the first is the id itself.
            let id = match user_number {
                0 => id.clone(),
                other => format!("{id}{other}"),
            };
            let label = format!("{number}-{user_number}");
            let user = user.map(String::as_str);
            if let Err(reason) = use_id(&mut world, &id, user, &label, actions) {
                wrong.push(format!("{id:?}: {reason}"));
            }
        }
    }

    let made = outside.iter().filter(|place| place.exists()).count();
    let each = match wrong.first() {
        None => "works_as_opaque_text_or_clear_error".to_owned(),
        Some(reason) => reason.clone(),
    };
    world.facts.insert("each", json!(each));
    world
        .facts
        .insert("files_outside_base", json!(made + strays(&base)));
    world.seen()
}

/// Where a careless program would put things under this id, if that is outside of `base`.
fn places(base: &Path, id: &str) -> Vec<PathBuf> {
    if id.is_empty() || id.contains('\0') {
        return Vec::new();
    }
    let mut places = Vec::new();
    for name in [id.to_owned(), id.replace('\\', "/")] {
        for end in ["", ".json", ".jsonl", ".db"] {
            places.push(base.join(format!("{name}{end}")));
        }
    }
    places.retain(|place| !is_below(place, base));
    places
}

/// Whether the path stays below `base` when its `..` are followed.
fn is_below(path: &Path, base: &Path) -> bool {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain.starts_with(base)
}

/// What is beside the folder of the store, where nothing else should be.
fn strays(base: &Path) -> usize {
    let beside = base
        .parent()
        .and_then(|parent| std::fs::read_dir(parent).ok());
    let entries = beside.into_iter().flatten().filter_map(Result::ok);
    entries.filter(|entry| entry.path() != base).count()
}

/// Does everything with one id. An id that is refused is fine, if the error says so.
fn use_id(
    world: &mut World,
    id: &str,
    user: Option<&str>,
    label: &str,
    actions: &[String],
) -> Result<(), String> {
    let session = match SessionId::new(id) {
        Ok(session) => session,
        Err(error) if error.to_string().trim().is_empty() => {
            return Err("it is refused without a reason".into());
        }
        Err(_) => return Ok(()),
    };
    let event = world.event(&format!("u-{label}"))?;
    let described: NewSession = match user {
        Some(user) => world.sessions.describe(session.clone()).with_owner(user),
        None => world.sessions.describe(session.clone()),
    };
    let says = |error: Error| Failure::of(&error).message;
    let created = wait(world.sessions.create_as(described)).map_err(says)?;
    if created.id.as_str() != id || created.owner.as_deref() != user {
        return Err("it came back as something else".into());
    }
    let wanted = [event.id.clone()];
    let events = vec![event];
    let appended = world
        .sessions
        .append_events(&session, Expected::Any, events);
    wait(appended).map(drop).map_err(says)?;
    let log = wait(world.sessions.log(&session)).map_err(says)?;
    let ids: Vec<EventId> = log.iter().map(|event| event.id.clone()).collect();
    if ids != wanted {
        return Err("its log is not what was appended".into());
    }
    let search = SearchQuery::new([format!("u-{label}")]);
    let hits = wait(world.sessions.search(&session, &search)).map_err(says)?;
    if hits.items.iter().any(|hit| hit.session != session) || hits.items.len() != 1 {
        return Err("its message is not found in it alone".into());
    }
    if let Some(user) = user {
        let page = wait(world.sessions.scoped(user).list(&SessionQuery::all())).map_err(says)?;
        let listed: BTreeSet<&str> = page.items.iter().map(|it| it.id.as_str()).collect();
        if !listed.contains(id) {
            return Err("its user does not see it".into());
        }
    }
    for action in actions {
        act(world, &session, label, action, &log)?;
    }
    Ok(())
}

fn act(
    world: &mut World,
    session: &SessionId,
    label: &str,
    action: &str,
    log: &[std::sync::Arc<session_log::Event>],
) -> Result<(), String> {
    let says = |error: Error| Failure::of(&error).message;
    match action {
        "export to dir" => {
            let written = export::log(log.iter().map(std::sync::Arc::as_ref), "jsonl")?;
            let file = world.home.folder().join(format!("export-{label}.jsonl"));
            std::fs::write(file, written.text).map_err(|error| error.to_string())
        }
        "import" => {
            let written = export::log(log.iter().map(std::sync::Arc::as_ref), "jsonl")?;
            let mut copy = world.fresh()?;
            copy.session = session.clone();
            copy.import(written.text.as_bytes(), Some("jsonl"))?;
            let state = copy.look()?.ok_or("nothing was imported")?;
            match state.messages().count() == log.len() {
                true => Ok(()),
                false => Err("an export of it does not read back".into()),
            }
        }
        "delete" => {
            if !wait(world.sessions.delete(session)).map_err(says)? {
                return Err("it was there and could not be deleted".into());
            }
            match wait(world.sessions.find(session)).map_err(says)? {
                None => Ok(()),
                Some(_) => Err("it is there after it was deleted".into()),
            }
        }
        // The rest was done already.
        _ => Ok(()),
    }
}
