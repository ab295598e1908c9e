//! Appending. Three round trips: lock the session and look up the ids; write the events and the
//! head; commit. Very large batches take more, since one statement writes only so much.

use std::collections::HashMap;
use std::sync::Arc;

use deadpool_postgres::ClientWrapper;
use futures_util::future::{join, join3};
use session_log::{Event, EventBody, EventId, NewEvent, SessionId};
use session_store::{
    Appended, Batch, BoundaryMark, Entry as _, EntryKind, Expected, Head, Place, Session, Settled,
    StoreError,
};

use crate::connect::Lease;
use crate::fault::{Fault, Trouble};
use crate::rows::{self, Stored, event_columns};
use crate::store::Inner;
use crate::text;
use crate::transaction::{End, finish_and, lock_statement, locked_session, move_head, retry};

/// One visit of the index for each id. Asked for a list of ids instead, the database may go through
/// all events, if it made its plan while there were few.
const LOOK_UP: &str = "\
    SELECT known.* FROM unnest($1::text[]) AS wanted (id) CROSS JOIN LATERAL (\
    SELECT session_id, seq, tokens, estimator, \
    CASE WHEN session_id = $2 THEN record END AS record, event.id \
    FROM session_store.event WHERE event.id = wanted.id LIMIT 1) AS known";

const INSERT: &str = "\
    INSERT INTO session_store.event (session_id, owner_key, seq, id, happened_at, event_type, \
    role, kind, is_synthetic, branch, tokens, estimator, folded, record) \
    SELECT $1::text, $2::text, fresh.* \
    FROM unnest($3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], \
    $9::boolean[], $10::text[], $11::bigint[], $12::text[], $13::text[], $14::text[]) AS fresh \
    ON CONFLICT DO NOTHING";

const INSERT_POINTS: &str = "\
    INSERT INTO session_store.turning_point (session_id, seq) SELECT $1::text, seq \
    FROM unnest($2::bigint[]) AS seq";

const POINTS: &str = concat!(
    "SELECT point.* FROM session_store.turning_point AS place CROSS JOIN LATERAL (SELECT ",
    event_columns!(),
    " FROM session_store.event WHERE session_id = $1 AND event.seq = place.seq LIMIT 1) AS point \
     WHERE place.session_id = $1 ORDER BY point.seq"
);

/// How many events one statement writes, and about how many bytes.
const MAX_ROWS: usize = 500;
const MAX_BYTES: usize = 4 << 20;

/// The columns of an event that do not depend on its place. They are made before the session is
/// locked, once, however often the transaction is tried.
pub(crate) struct Draft {
    happened_at: i64,
    pub(crate) event_type: String,
    pub(crate) role: Option<String>,
    is_synthetic: bool,
    branch: Option<String>,
    tokens: Option<i64>,
    estimator: Option<String>,
    pub(crate) folded: Option<String>,
    pub(crate) record: String,
}

impl Draft {
    pub(crate) fn of(event: &mut NewEvent) -> Result<Self, Fault> {
        let record = rows::encode(event)?;
        let role = match &event.body {
            EventBody::Message(message) => Some(text::role_key(&message.role)),
            _ => None,
        };
        let tokens = event.tokens.as_ref();
        Ok(Self {
            happened_at: event.timestamp.as_millis(),
            event_type: event.body.event_type().as_str().to_owned(),
            role,
            is_synthetic: event.origin.is_synthetic(),
            branch: event
                .branch
                .as_ref()
                .map(|it| text::escape(it.as_str()).into_owned()),
            tokens: tokens.map(|it| it.tokens.cast_signed()),
            estimator: tokens.map(|it| text::escape(&it.estimator).into_owned()),
            folded: text::searched(&event.body, &event.origin),
            record,
        })
    }

    fn size(&self) -> usize {
        let folded = self.folded.as_ref().map_or(0, String::len);
        self.record.len().saturating_add(folded)
    }
}

/// Appends as [`SessionStore::append`](session_store::SessionStore::append) says.
pub(crate) async fn append(
    store: &Inner,
    id: &SessionId,
    expected: Expected,
    mut batch: Batch,
) -> Result<Appended, StoreError> {
    batch.check(expected)?;
    let mut drafts = HashMap::with_capacity(batch.events.len());
    for event in &mut batch.events {
        let draft = Draft::of(event).map_err(Fault::into_error)?;
        drafts.entry(event.id.clone()).or_insert(draft);
    }
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let work = try_append(store, &lease, id, expected, &batch, &drafts).await;
        let tell = |appended: &Appended, client: &ClientWrapper| {
            if let Appended::Done(written) = appended {
                store.tell(client, id, written.head.version);
            }
        };
        finish_and(lease, work, tell).await
    })
    .await
}

async fn try_append(
    store: &Inner,
    lease: &Lease,
    id: &SessionId,
    expected: Expected,
    batch: &Batch,
    drafts: &HashMap<EventId, Draft>,
) -> Result<End<Appended>, Fault> {
    let client = lease.client()?;
    let (session, places) = lock_and_look_up(store, client, id, batch).await?;
    let find = |event: &EventId| Ok(places.get(event).cloned().unwrap_or(Place::Free));
    let settled = batch.clone().settle(&session.head, expected, find)?;
    let (fresh, mut written) = match settled {
        Settled::Conflict { actual } => return Ok(End::Leave(Appended::Conflict { actual })),
        Settled::Write { fresh, written } => (fresh, written),
    };
    if fresh.is_empty() {
        return Ok(End::Leave(Appended::Done(written)));
    }
    if Head::needs_refold(&fresh) {
        let mut points = turning_points(store, client, id).await?;
        points.extend(fresh.iter().cloned());
        let points = points.iter().map(Arc::as_ref);
        written.head.boundary = BoundaryMark::newest_live(points);
    }
    let head = move_head(store, client, id, &written.head);
    let events = insert_all(store, client, &session, &fresh, drafts);
    let (inserted, moved) = join(events, head).await;
    inserted?;
    moved?;
    Ok(End::Commit(Appended::Done(written)))
}

type Places = HashMap<EventId, Place>;

async fn lock_and_look_up(
    store: &Inner,
    client: &ClientWrapper,
    id: &SessionId,
    batch: &Batch,
) -> Result<(Session, Places), Fault> {
    let lock = client
        .prepare_cached(&store.schema.sql(lock_statement()))
        .await?;
    let look_up = client.prepare_cached(&store.schema.sql(LOOK_UP)).await?;
    let id_text = id.as_str();
    let ids: Vec<&str> = batch.events.iter().map(|event| event.id.as_str()).collect();
    // Sent at once and answered in order. The look-up begins when the session is locked, so it
    // sees every event of it.
    let (begun, locked, found) = join3(
        client.batch_execute("BEGIN"),
        client.query_opt(&lock, &[&id_text]),
        client.query(&look_up, &[&ids, &id_text]),
    )
    .await;
    begun?;
    let session = locked_session(id, locked?.as_ref())?;
    let mut places = Places::new();
    for row in found? {
        let event = EventId::new(row.try_get::<_, &str>(5)?).map_err(StoreError::failed)?;
        let place = if row.try_get::<_, &str>(0)? == id.as_str() {
            Place::Here(Stored::of(&row)?.strict()?)
        } else {
            Place::Elsewhere
        };
        places.insert(event, place);
    }
    Ok((session, places))
}

/// The boundaries and reverts of a log, in log order.
async fn turning_points(
    store: &Inner,
    client: &ClientWrapper,
    id: &SessionId,
) -> Result<Vec<Arc<Event>>, Fault> {
    let statement = client.prepare_cached(&store.schema.sql(POINTS)).await?;
    let rows = client.query(&statement, &[&id.as_str()]).await?;
    let strict = |row| Stored::of(row)?.strict();
    rows.iter().map(strict).collect()
}

async fn insert_all(
    store: &Inner,
    client: &ClientWrapper,
    session: &Session,
    fresh: &[Arc<Event>],
    drafts: &HashMap<EventId, Draft>,
) -> Result<(), Fault> {
    let mut rest = fresh;
    while !rest.is_empty() {
        let mut bytes = 0_usize;
        let fits = |event: &&Arc<Event>| {
            let is_first = bytes == 0;
            bytes = bytes.saturating_add(drafts.get(&event.id).map_or(0, Draft::size));
            is_first || bytes <= MAX_BYTES
        };
        let count = rest.iter().take(MAX_ROWS).take_while(fits).count();
        let Some((now, later)) = rest.split_at_checked(count.max(1)) else {
            break;
        };
        insert(store, client, session, now, drafts).await?;
        rest = later;
    }
    let is_point = |event: &&Arc<Event>| rows::is_turning_point(&event.body);
    let points = fresh.iter().filter(is_point);
    let points: Vec<i64> = points.map(|event| rows::number(event.seq)).collect();
    if !points.is_empty() {
        let statement = client
            .prepare_cached(&store.schema.sql(INSERT_POINTS))
            .await?;
        let id = session.id.as_str();
        client.execute(&statement, &[&id, &points]).await?;
    }
    Ok(())
}

async fn insert(
    store: &Inner,
    client: &ClientWrapper,
    session: &Session,
    events: &[Arc<Event>],
    drafts: &HashMap<EventId, Draft>,
) -> Result<(), Fault> {
    let statement = client.prepare_cached(&store.schema.sql(INSERT)).await?;
    let owner = session.owner.as_deref().map(text::key);
    let seqs: Vec<i64> = events.iter().map(|event| rows::number(event.seq)).collect();
    let ids: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
    let drafts: Vec<&Draft> = events.iter().filter_map(|it| drafts.get(&it.id)).collect();
    let happened_at: Vec<i64> = drafts.iter().map(|it| it.happened_at).collect();
    let types: Vec<&str> = drafts.iter().map(|it| it.event_type.as_str()).collect();
    let roles: Vec<Option<&str>> = drafts.iter().map(|it| it.role.as_deref()).collect();
    let kinds: Vec<Option<&str>> = events.iter().map(|it| kind_of(it)).collect();
    let synthetic: Vec<bool> = drafts.iter().map(|it| it.is_synthetic).collect();
    let branches: Vec<Option<&str>> = drafts.iter().map(|it| it.branch.as_deref()).collect();
    let tokens: Vec<Option<i64>> = drafts.iter().map(|it| it.tokens).collect();
    let estimators: Vec<Option<&str>> = drafts.iter().map(|it| it.estimator.as_deref()).collect();
    let folded: Vec<Option<&str>> = drafts.iter().map(|it| it.folded.as_deref()).collect();
    let records: Vec<&str> = drafts.iter().map(|it| it.record.as_str()).collect();
    let inserted = client
        .execute(
            &statement,
            &[
                &session.id.as_str(),
                &owner,
                &seqs,
                &ids,
                &happened_at,
                &types,
                &roles,
                &kinds,
                &synthetic,
                &branches,
                &tokens,
                &estimators,
                &folded,
                &records,
            ],
        )
        .await?;
    // One id was taken by another session since the look-up. The next attempt sees by which.
    if usize::try_from(inserted).ok() != Some(events.len()) {
        return Err(Fault::Again(StoreError::unavailable(Trouble::Contended)));
    }
    Ok(())
}

pub(crate) fn kind_of(event: &Event) -> Option<&'static str> {
    event.as_message().map(|_| kind_key(event.kind()))
}

/// What messages of a kind are looked up by.
pub(crate) fn kind_key(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::System => "system",
        EntryKind::Summary => "summary",
        EntryKind::TurnStart => "turn",
        EntryKind::StepStart => "step",
        EntryKind::Continuation => "continuation",
    }
}
