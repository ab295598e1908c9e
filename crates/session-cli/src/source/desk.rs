//! Conversations laid into sessions: of a file into a store in memory, or of an import into the
//! store that stays.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use session::{
    Appended, Event, EventId, Expected, MemoryStore, NewEvent, Seq, SessionId, Sessions,
    TokenEstimator, Version, attribute,
};
use session_log::{Fields, Json};
use session_transcript::{Conversation, Envelope, SOURCE};

use crate::failure::Failure;
use crate::source::grown::{Reconciled, reconcile};
use crate::source::place::Places;
use crate::source::{Input, count};
use crate::store::service;

/// The metadata entry with what stood around the messages of an imported conversation.
pub(crate) const ENVELOPE: &str = "envelope";
/// The metadata entry with the title another tool gave it.
pub(crate) const TITLE: &str = "title";
/// The metadata entry with the tools that were offered.
const TOOLS: &str = "tools";
/// The metadata entry with the name of the file.
pub(crate) const FILE: &str = "file";

/// How often an import is tried again while somebody else appends to the same session.
const TRIES: usize = 16;

/// A file whose conversations are sessions in memory.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) sessions: Sessions,
    /// The file, its conversations taken out.
    pub(crate) input: Input,
    pub(crate) talks: Vec<Talk>,
}

/// One conversation of a file.
#[derive(Debug)]
pub(crate) struct Talk {
    pub(crate) id: SessionId,
    pub(crate) envelope: Envelope,
    /// Whether another conversation of the file started it.
    pub(crate) is_side: bool,
    /// The version at which it is as it was read.
    pub(crate) version: Version,
}

/// What became of a conversation in a store.
#[derive(Debug)]
pub(crate) struct TakenIn {
    pub(crate) id: SessionId,
    /// Events that were there already.
    pub(crate) known: usize,
    /// Events that are new.
    pub(crate) new: usize,
    /// Events that say something else than the stored ones, which stayed.
    pub(crate) changed: usize,
    /// Stored events of an earlier import that the conversation has no more, and which stayed.
    pub(crate) gone: usize,
}

impl TakenIn {
    fn new(id: SessionId, total: usize, new: usize) -> Self {
        Self {
            changed: 0,
            gone: 0,
            id,
            known: total.saturating_sub(new),
            new,
        }
    }
}

impl Desk {
    /// Lays the conversations of a file into a store in memory.
    pub(crate) async fn lay(
        mut input: Input,
        estimator: Arc<dyn TokenEstimator>,
    ) -> Result<Self, Failure> {
        let sessions = service(MemoryStore::new(), estimator);
        let conversations = std::mem::take(&mut input.conversations);
        let ids: HashSet<String> = conversations
            .iter()
            .map(|conversation| conversation.id.clone())
            .collect();
        let mut talks = Vec::with_capacity(conversations.len());
        for conversation in conversations {
            let envelope = conversation.envelope.clone();
            let is_side = conversation
                .parent
                .as_ref()
                .is_some_and(|parent| ids.contains(parent));
            let taken =
                take_in(&sessions, conversation, &Keeping::default(), input.is_long).await?;
            let session = sessions.find(&taken.id).await?;
            talks.push(Talk {
                version: session.map_or(Version::EMPTY, |session| session.head.version),
                id: taken.id,
                envelope,
                is_side,
            });
        }
        Ok(Self {
            sessions,
            input,
            talks,
        })
    }
}

/// What is kept with the session of an imported conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keeping {
    pub(crate) owner: Option<String>,
    pub(crate) file: Option<String>,
}

/// Appends what is new of a conversation to the session of its id, which is made if there is none.
pub(crate) async fn take_in(
    sessions: &Sessions,
    conversation: Conversation,
    keeping: &Keeping,
    is_long: bool,
) -> Result<TakenIn, Failure> {
    let id = SessionId::new(&conversation.id).map_err(session::Error::from)?;
    let Conversation {
        title,
        model,
        parent,
        tools,
        envelope,
        mut events,
        ..
    } = conversation;
    let mut metadata = Fields::from([(ENVELOPE.into(), envelope.to_json())]);
    metadata.extend(title.map(|title| (TITLE.into(), Json::string(&title))));
    metadata.extend(tools.map(|tools| (TOOLS.into(), tools)));
    metadata.extend(
        keeping
            .file
            .as_ref()
            .map(|file| (FILE.into(), Json::string(file))),
    );
    let mut new = sessions.describe(id.clone()).with_metadata(metadata);
    if let Some(owner) = &keeping.owner {
        new = new.with_owner(owner);
    }
    if let Some(model) = model {
        new = new.with_attribute(attribute::MODEL, model);
    }
    if let Some(parent) = parent.and_then(|parent| SessionId::new(parent).ok()) {
        new = new.with_parent(parent);
    }
    let session = sessions.find_or_create(new).await?;
    if keeping.owner.is_some() && session.owner != keeping.owner {
        return Err(Failure::work(format!(
            "session {id} belongs to somebody else"
        )));
    }
    let total = events.len();
    if session.head.version == Version::EMPTY {
        count::count(sessions, &mut events, is_long);
        let expected = Expected::Exact(Version::EMPTY);
        return match sessions.append_events(&id, expected, events).await? {
            Appended::Done(written) => Ok(TakenIn::new(id, total, written.new)),
            Appended::Conflict { .. } => Err(busy(&id)),
        };
    }
    for _ in 0..TRIES {
        let log = sessions.log(&id).await?;
        let version = log.last().map_or(Version::EMPTY, |event| event.seq.into());
        let ids: Vec<EventId> = events.iter().map(|event| event.id.clone()).collect();
        let Reconciled {
            events: mut batch,
            changed,
        } = reconcile(events.clone(), &log);
        let places = places(&ids, &log, version, &batch);
        places.apply(&mut batch);
        count::count(sessions, &mut batch, is_long);
        match sessions
            .append_events(&id, Expected::Exact(version), batch)
            .await?
        {
            Appended::Done(written) => {
                return Ok(TakenIn {
                    changed,
                    gone: gone(&log, &ids),
                    ..TakenIn::new(id, total, written.new)
                });
            }
            Appended::Conflict { .. } => {}
        }
    }
    Err(busy(&id))
}

/// How many messages of a log came from a file and are not among `ids`.
fn gone(log: &[Arc<Event>], ids: &[EventId]) -> usize {
    let ids: HashSet<&EventId> = ids.iter().collect();
    let is_gone = |event: &&Arc<Event>| {
        event.as_message().is_some()
            && event.metadata.contains_key(SOURCE)
            && !ids.contains(&event.id)
    };
    log.iter().filter(is_gone).count()
}

fn busy(id: &SessionId) -> Failure {
    Failure::work(format!("others keep writing to session {id}"))
        .with_hint("try again when they have stopped")
}

/// Where the events with these ids stand in a log, or will once `new` are behind it.
fn places(ids: &[EventId], log: &[Arc<Event>], version: Version, new: &[NewEvent]) -> Places {
    let mut taken: HashMap<&EventId, Seq> =
        log.iter().map(|event| (&event.id, event.seq)).collect();
    let following = std::iter::successors(Some(version.next_seq()), |seq| Some(seq.plus(1)));
    taken.extend(new.iter().map(|event| &event.id).zip(following));
    let behind = version
        .next_seq()
        .plus(u64::try_from(new.len()).unwrap_or(u64::MAX));
    Places::new(
        ids.iter()
            .map(|id| taken.get(id).copied().unwrap_or(behind))
            .collect(),
    )
}
