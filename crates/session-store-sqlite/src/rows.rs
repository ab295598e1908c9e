//! Rows and what they stand for.

use rusqlite::{Connection, OptionalExtension as _, Row};
use session_log::{
    Event, EventBody, EventType, Fields, Json, NewEvent, Role, Seq, SessionId, Timestamp,
    TokenCount, Version, wire,
};
use session_store::{
    Attributes, BoundaryMark, BoxError, Counters, EntryKind, Head, Session, StoreError,
};

use crate::error::OrFailed;

/// The columns of [`session`], for a query over `session s LEFT JOIN owner o`.
pub(crate) const SESSION: &str = "s.key, s.id, o.name, s.parent, s.created_at, s.expires_at,
    s.attributes, s.metadata, s.version, s.boundary_seq, s.boundary_kept_from, s.boundary_pinned,
    s.view_events, s.view_turns, s.view_tokens, s.view_estimator, s.erasures";

/// Where the columns of [`SESSION`] come from.
pub(crate) const SESSION_FROM: &str = "session s LEFT JOIN owner o ON o.key = s.owner";

/// The columns of [`event`], for a query over `event e`.
pub(crate) const EVENT: &str = "e.seq, e.tokens, e.estimator, e.record";

/// A number for a column. No number gets here that does not fit, see `Batch::check`.
pub(crate) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number from a column that holds none below zero.
fn natural(number: i64) -> Result<u64, BoxError> {
    u64::try_from(number).map_err(Into::into)
}

fn seq(number: i64) -> Result<Seq, BoxError> {
    Seq::new(natural(number)?).ok_or_else(|| "a place is zero".into())
}

/// The key and the session of a row with the columns of [`SESSION`].
pub(crate) fn session(row: &Row<'_>) -> Result<(i64, Session), StoreError> {
    let id: String = row.get(1).or_failed()?;
    let id = SessionId::new(&id).map_err(StoreError::failed)?;
    session_of(row, &id).map_err(|source| StoreError::Corrupt {
        session: id,
        what: "the row".into(),
        source,
    })
}

fn session_of(row: &Row<'_>, id: &SessionId) -> Result<(i64, Session), BoxError> {
    let created_at = Timestamp::from_millis(row.get(4)?);
    let new = session_store::NewSession::new(id.clone(), created_at);
    let mut session = new.into_stored();
    session.owner = row.get(2)?;
    let parent: Option<String> = row.get(3)?;
    session.parent = parent.map(SessionId::new).transpose()?;
    session.expires_at = row.get::<_, Option<i64>>(5)?.map(Timestamp::from_millis);
    session.attributes = read_attributes(row.get_ref(6)?.as_str()?)?;
    session.metadata = wire::decode_fields(row.get_ref(7)?.as_str()?)?;
    session.head = head_of(row, 8)?;
    Ok((row.get(0)?, session))
}

/// The key, the owner's key and the head of a session.
pub(crate) fn head(
    connection: &Connection,
    id: &SessionId,
) -> Result<Option<(i64, Head)>, StoreError> {
    let sql = "SELECT key, version, boundary_seq, boundary_kept_from, boundary_pinned,
        view_events, view_turns, view_tokens, view_estimator, erasures
        FROM session WHERE id = ?1";
    let mut statement = connection.prepare_cached(sql).or_failed()?;
    let mut rows = statement.query([id.as_str()]).or_failed()?;
    let Some(row) = rows.next().or_failed()? else {
        return Ok(None);
    };
    let head = head_of(row, 1).map_err(|source| StoreError::Corrupt {
        session: id.clone(),
        what: "the head".into(),
        source,
    })?;
    Ok(Some((row.get(0).or_failed()?, head)))
}

/// The key of a session.
pub(crate) fn key(connection: &Connection, id: &SessionId) -> Result<Option<i64>, StoreError> {
    connection
        .prepare_cached("SELECT key FROM session WHERE id = ?1")
        .or_failed()?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()
        .or_failed()
}

/// The head in the nine columns from `at` on.
fn head_of(row: &Row<'_>, at: usize) -> Result<Head, BoxError> {
    let version = Version::new(natural(row.get(at)?)?);
    let boundary = match row.get::<_, Option<i64>>(at + 1)? {
        None => None,
        Some(place) => {
            let kept_from = seq(row.get(at + 2)?)?;
            let pinned: Option<String> = row.get(at + 3)?;
            let pinned = read_places(pinned.as_deref().unwrap_or_default())?;
            Some(BoundaryMark::new(seq(place)?, kept_from, pinned))
        }
    };
    let counters = match row.get::<_, Option<i64>>(at + 4)? {
        None => None,
        Some(events) => {
            let tokens = count(row.get(at + 6)?, row.get(at + 7)?)?;
            let turns = natural(row.get(at + 5)?)?;
            Some(Counters::new(natural(events)?, turns, tokens))
        }
    };
    let erasures = natural(row.get(at + 8)?)?;
    Ok(Head::new(version, boundary, counters, erasures))
}

fn count(tokens: Option<i64>, estimator: Option<String>) -> Result<Option<TokenCount>, BoxError> {
    match (tokens, estimator) {
        (Some(tokens), Some(estimator)) => Ok(Some(TokenCount::new(estimator, natural(tokens)?))),
        _ => Ok(None),
    }
}

/// Places as they stand in `boundary_pinned`: numbers with commas between.
pub(crate) fn write_places(places: &[Seq]) -> String {
    let numbers: Vec<String> = places.iter().map(ToString::to_string).collect();
    numbers.join(",")
}

fn read_places(text: &str) -> Result<Vec<Seq>, BoxError> {
    let numbers = text.split(',').filter(|number| !number.is_empty());
    numbers.map(|number| seq(number.parse()?)).collect()
}

pub(crate) fn write_attributes(attributes: &Attributes) -> String {
    let field = |(name, value): (&String, &String)| (name.clone(), Json::string(value));
    wire::encode_fields(&attributes.iter().map(field).collect())
}

fn read_attributes(text: &str) -> Result<Attributes, BoxError> {
    let fields: Fields = wire::decode_fields(text)?;
    let attribute = |(name, json): (String, Json)| {
        let value = json.to_value()?;
        let text = value.as_str().ok_or("an attribute is no text")?;
        Ok((name, text.into()))
    };
    fields.into_iter().map(attribute).collect()
}

/// What [`EVENT`] selects.
#[derive(Debug)]
pub(crate) struct EventRow {
    /// The place; the row may be damaged beyond it.
    pub(crate) seq: Seq,
    /// The event, or why there is none.
    pub(crate) event: Result<Event, BoxError>,
}

/// The event in the columns from `at` on.
pub(crate) fn event(row: &Row<'_>, at: usize) -> Result<EventRow, StoreError> {
    let place: i64 = row.get(at).or_failed()?;
    let seq = seq(place).map_err(StoreError::failed)?;
    let event = event_of(row, at, seq);
    Ok(EventRow { seq, event })
}

fn event_of(row: &Row<'_>, at: usize, seq: Seq) -> Result<Event, BoxError> {
    let mut event = wire::decode(row.get_ref(at + 3)?.as_str()?)?;
    event.tokens = count(row.get(at + 1)?, row.get(at + 2)?)?;
    Ok(event.at(seq))
}

/// The record of an event. Its count has columns of its own and may change.
pub(crate) fn record(event: &mut NewEvent) -> Result<String, StoreError> {
    let tokens = event.tokens.take();
    let record = wire::encode(event).map_err(StoreError::failed);
    event.tokens = tokens;
    record
}

/// What an event is to the cut, in a column: 0 for what is no message.
pub(crate) fn kind(event: &Event) -> i64 {
    use session_store::Entry as _;

    if event.as_message().is_none() {
        return 0;
    }
    kind_number(event.kind())
}

pub(crate) fn kind_number(kind: EntryKind) -> i64 {
    match kind {
        EntryKind::System => 1,
        EntryKind::Summary => 2,
        EntryKind::TurnStart => 3,
        EntryKind::StepStart => 4,
        EntryKind::Continuation => 5,
    }
}

/// A role in a column. Names that we do not know cannot be mistaken for those we do.
pub(crate) fn role_name(role: &Role) -> String {
    match role {
        Role::Other(name) => format!("other:{name}"),
        known => known.as_str().into(),
    }
}

pub(crate) fn role(body: &EventBody) -> Option<String> {
    match body {
        EventBody::Message(message) => Some(role_name(&message.role)),
        _ => None,
    }
}

pub(crate) fn type_name(event_type: &EventType) -> String {
    event_type.as_str().into()
}
