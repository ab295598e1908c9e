//! Rows as they are stored, and what they stand for.

use std::collections::BTreeMap;
use std::sync::Arc;

use session_log::{
    Event, EventBody, Fields, Json, NewEvent, Seq, SessionId, Timestamp, TokenCount, Version, wire,
};
use session_store::{
    Attributes, BoundaryMark, BoxError, Counters, Head, NewSession, Session, StoreError,
};
use tokio_postgres::Row;

use crate::fault::{Fault, Trouble};
use crate::text::{escape, unescape};

/// What a session is read from, in this order.
macro_rules! session_columns {
    () => {
        "id, owner, parent, created_at, expires_at, attributes, metadata, version, boundary_seq, \
         boundary_kept_from, boundary_pinned, view_events, view_turns, view_tokens, \
         view_estimator, erasures"
    };
}
pub(crate) use session_columns;

/// What an event is read from, in this order.
macro_rules! event_columns {
    () => {
        "session_id, seq, tokens, estimator, record"
    };
}
pub(crate) use event_columns;

/// The session in a row of `session_columns`.
pub(crate) fn session(row: &Row) -> Result<Session, Fault> {
    let id = session_id(row.try_get(0)?)?;
    let corrupt = |source: BoxError| StoreError::Corrupt {
        session: id.clone(),
        what: String::from("the row"),
        source,
    };
    let mut new = NewSession::new(id.clone(), Timestamp::from_millis(row.try_get(3)?));
    let owner: Option<&str> = row.try_get(1)?;
    new.owner = owner.map(plain).transpose().map_err(corrupt)?;
    let parent: Option<&str> = row.try_get(2)?;
    new.parent = parent.map(session_id).transpose()?;
    let expires_at: Option<i64> = row.try_get(4)?;
    new.expires_at = expires_at.map(Timestamp::from_millis);
    new.attributes = attributes(row.try_get(5)?).map_err(corrupt)?;
    new.metadata = wire::decode_fields(row.try_get(6)?).map_err(|error| corrupt(error.into()))?;
    let mut session = new.into_stored();
    session.head = HeadRow::of(row)?.head().map_err(corrupt)?;
    Ok(session)
}

pub(crate) fn session_id(text: &str) -> Result<SessionId, Fault> {
    SessionId::new(text).map_err(|error| StoreError::failed(error).into())
}

/// Attributes as a column holds them: JSON, which has a way to write NUL.
pub(crate) fn encode_attributes(attributes: &Attributes) -> String {
    let fields = attributes.iter();
    let fields = fields.map(|(name, value)| (name.clone(), Json::string(value)));
    wire::encode_fields(&fields.collect::<Fields>())
}

fn attributes(text: &str) -> Result<Attributes, BoxError> {
    let mut attributes = BTreeMap::new();
    for (name, value) in wire::decode_fields(text)? {
        let value = value.to_value()?;
        let value = value.as_str().ok_or(Trouble::Column)?;
        attributes.insert(name, value.to_owned());
    }
    Ok(attributes)
}

/// The part of a session's row that moves with its log.
pub(crate) struct HeadRow {
    pub(crate) version: i64,
    pub(crate) boundary_seq: Option<i64>,
    pub(crate) boundary_kept_from: Option<i64>,
    pub(crate) boundary_pinned: Option<String>,
    pub(crate) view_events: Option<i64>,
    pub(crate) view_turns: Option<i64>,
    pub(crate) view_tokens: Option<i64>,
    pub(crate) view_estimator: Option<String>,
    pub(crate) erasures: i64,
}

impl From<&Head> for HeadRow {
    fn from(head: &Head) -> Self {
        let boundary = head.boundary.as_ref();
        let counters = head.counters.as_ref();
        let tokens = counters.and_then(|counters| counters.tokens.as_ref());
        Self {
            version: head.version.as_u64().cast_signed(),
            boundary_seq: boundary.map(|it| number(it.seq)),
            boundary_kept_from: boundary.map(|it| number(it.kept_from)),
            boundary_pinned: boundary.map(|it| list(&it.pinned)),
            view_events: counters.map(|it| it.events.cast_signed()),
            view_turns: counters.map(|it| it.turns.cast_signed()),
            view_tokens: tokens.map(|it| it.tokens.cast_signed()),
            view_estimator: tokens.map(|it| escape(&it.estimator).into_owned()),
            erasures: head.erasures.cast_signed(),
        }
    }
}

impl HeadRow {
    fn of(row: &Row) -> Result<Self, Fault> {
        Ok(Self {
            version: row.try_get(7)?,
            boundary_seq: row.try_get(8)?,
            boundary_kept_from: row.try_get(9)?,
            boundary_pinned: row.try_get(10)?,
            view_events: row.try_get(11)?,
            view_turns: row.try_get(12)?,
            view_tokens: row.try_get(13)?,
            view_estimator: row.try_get(14)?,
            erasures: row.try_get(15)?,
        })
    }

    fn head(self) -> Result<Head, BoxError> {
        let tokens = match (self.view_tokens, self.view_estimator) {
            (Some(tokens), Some(estimator)) => {
                Some(TokenCount::new(plain(&estimator)?, tokens.cast_unsigned()))
            }
            _ => None,
        };
        let counters = match (self.view_events, self.view_turns) {
            (Some(events), Some(turns)) => {
                let (events, turns) = (events.cast_unsigned(), turns.cast_unsigned());
                Some(Counters::new(events, turns, tokens))
            }
            _ => None,
        };
        let pinned = self.boundary_pinned.unwrap_or_default();
        let boundary = match (self.boundary_seq, self.boundary_kept_from) {
            (Some(at), Some(kept_from)) => {
                Some(BoundaryMark::new(seq(at)?, seq(kept_from)?, seqs(&pinned)?))
            }
            _ => None,
        };
        let version = Version::new(self.version.cast_unsigned());
        Ok(Head::new(
            version,
            boundary,
            counters,
            self.erasures.cast_unsigned(),
        ))
    }
}

/// An event as it was read, or why it cannot be.
pub(crate) struct Stored {
    pub(crate) session: SessionId,
    pub(crate) seq: Seq,
    pub(crate) event: Result<Arc<Event>, BoxError>,
}

impl Stored {
    /// The event in a row of `event_columns`.
    pub(crate) fn of(row: &Row) -> Result<Self, Fault> {
        let seq = seq(row.try_get(1)?).map_err(StoreError::failed)?;
        Ok(Self {
            session: session_id(row.try_get(0)?)?,
            seq,
            event: decode(row.try_get(4)?, row.try_get(2)?, row.try_get(3)?)
                .map(|event| Arc::new(event.at(seq))),
        })
    }

    /// The event, if it can be read.
    pub(crate) fn strict(self) -> Result<Arc<Event>, Fault> {
        let corrupt = |source| StoreError::corrupt_event(self.session, self.seq, source);
        Ok(self.event.map_err(corrupt)?)
    }
}

fn decode(
    record: &str,
    tokens: Option<i64>,
    estimator: Option<&str>,
) -> Result<NewEvent, BoxError> {
    let mut event = wire::decode(record)?;
    if let (Some(tokens), Some(estimator)) = (tokens, estimator) {
        event.tokens = Some(TokenCount::new(plain(estimator)?, tokens.cast_unsigned()));
    }
    Ok(event)
}

/// The record of an event. Its count has columns of its own, which change while the record stays.
pub(crate) fn encode(event: &mut NewEvent) -> Result<String, Fault> {
    let tokens = event.tokens.take();
    let record = wire::encode(event).map_err(StoreError::failed);
    event.tokens = tokens;
    Ok(record?)
}

/// Whether an event plays a part in which boundary counts.
pub(crate) fn is_turning_point(body: &EventBody) -> bool {
    matches!(body, EventBody::Compaction(_) | EventBody::Revert(_))
}

/// A place as a column holds it. No log reaches the places beyond the last number.
pub(crate) fn number(seq: Seq) -> i64 {
    i64::try_from(seq.as_u64()).unwrap_or(i64::MAX)
}

pub(crate) fn seq(number: i64) -> Result<Seq, BoxError> {
    let seq = u64::try_from(number).ok().and_then(Seq::new);
    seq.ok_or_else(|| Trouble::Column.into())
}

fn list(seqs: &[Seq]) -> String {
    let numbers: Vec<String> = seqs.iter().map(ToString::to_string).collect();
    numbers.join(",")
}

fn seqs(list: &str) -> Result<Vec<Seq>, BoxError> {
    let numbers = list.split(',').filter(|number| !number.is_empty());
    numbers.map(|it| seq(it.parse()?)).collect()
}

fn plain(text: &str) -> Result<String, BoxError> {
    unescape(text).ok_or_else(|| Trouble::Column.into())
}
