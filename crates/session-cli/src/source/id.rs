//! The id of a session, whole or its beginning.

use session::{Session, SessionId, SessionQuery, Sessions};

use crate::failure::Failure;
use crate::output::text::{counted, line};

/// The shortest beginning that is looked for: less would be luck.
const SHORTEST: usize = 4;

/// The session that `text` names: by its whole id, or by a beginning that no other id has.
pub(crate) async fn session(sessions: &Sessions, text: &str) -> Result<Session, Failure> {
    match find(sessions, text).await? {
        Some(session) => Ok(session),
        None => Err(
            Failure::usage(format!("no session is named {}", line(text, 100)))
                .with_hint("`compaction sessions` lists what is in the store"),
        ),
    }
}

/// The session that `text` names, if there is one.
pub(crate) async fn find(sessions: &Sessions, text: &str) -> Result<Option<Session>, Failure> {
    let Ok(id) = SessionId::new(text) else {
        return Ok(None);
    };
    if let Some(session) = sessions.find(&id).await? {
        return Ok(Some(session));
    }
    if text.chars().count() < SHORTEST {
        return Ok(None);
    }
    let mut found: Vec<Session> = Vec::new();
    let mut query = SessionQuery::all().with_limit(1000);
    loop {
        let page = sessions.list(&query).await?;
        let begins = |session: &Session| session.id.as_str().starts_with(text);
        found.extend(page.items.into_iter().filter(begins));
        match page.next {
            Some(mark) => query.after = Some(mark),
            None => break,
        }
    }
    // The id of a copy begins with that of its original, which is then meant.
    found.sort_by_key(|session| session.id.as_str().len());
    let is_original = found.first().is_some_and(|first| {
        let begins = |session: &Session| session.id.as_str().starts_with(first.id.as_str());
        found.iter().all(begins)
    });
    if is_original {
        return Ok(Some(found.swap_remove(0)));
    }
    if found.is_empty() {
        return Ok(None);
    }
    let count = u64::try_from(found.len()).unwrap_or(u64::MAX);
    let some: Vec<String> = found
        .iter()
        .take(3)
        .map(|session| line(session.id.as_str(), 80))
        .collect();
    let more = if found.len() > some.len() {
        ", …"
    } else {
        ""
    };
    Err(
        Failure::usage(format!("{} begin with {text}", counted(count, "session")))
            .with_hint(format!("write more of one: {}{more}", some.join(", "))),
    )
}
