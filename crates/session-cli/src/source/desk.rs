//! Conversations laid into sessions: of a file into a store in memory, or of an import into the
//! store that stays.

use std::collections::HashMap;
use std::sync::Arc;

use session::{
    Appended, EventId, Expected, MemoryStore, NewEvent, Seq, SessionId, Sessions, TokenEstimator,
    Version, attribute,
};
use session_log::{EventBody, Fields, Json};
use session_transcript::{Conversation, Envelope};

use crate::failure::Failure;
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
}

/// What became of a conversation in a store.
#[derive(Debug)]
pub(crate) struct TakenIn {
    pub(crate) id: SessionId,
    /// Events that were there already.
    pub(crate) known: usize,
    /// Events that are new.
    pub(crate) new: usize,
}

impl Desk {
    /// Lays the conversations of a file into a store in memory.
    pub(crate) async fn lay(
        mut input: Input,
        estimator: Arc<dyn TokenEstimator>,
    ) -> Result<Self, Failure> {
        let sessions = service(MemoryStore::new(), estimator);
        let conversations = std::mem::take(&mut input.conversations);
        let ids: Vec<String> = conversations
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
            talks.push(Talk {
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
    count::count(sessions, &mut events, is_long);

    let names_places = events.iter().any(|event| {
        matches!(
            event.body,
            EventBody::Compaction(_) | EventBody::Revert(_) | EventBody::Pin(_)
        )
    });
    let count = events.len();
    let mut version = session.head.version;
    for _ in 0..TRIES {
        // What names no places may go in behind whatever others append, and need not be kept.
        let (expected, batch) = if names_places {
            let mut batch = events.clone();
            places(sessions, &id, version, &events)
                .await?
                .apply(&mut batch);
            (Expected::Exact(version), batch)
        } else {
            (Expected::Any, std::mem::take(&mut events))
        };
        match sessions.append_events(&id, expected, batch).await? {
            Appended::Done(written) => {
                let new = written.new;
                return Ok(TakenIn {
                    id,
                    known: count.saturating_sub(new),
                    new,
                });
            }
            Appended::Conflict { actual, .. } => version = actual,
        }
    }
    Err(
        Failure::work(format!("others keep writing to session {id}"))
            .with_hint("try again when they have stopped"),
    )
}

/// Where the events stand in a session at `version`, or will.
async fn places(
    sessions: &Sessions,
    id: &SessionId,
    version: Version,
    events: &[NewEvent],
) -> Result<Places, Failure> {
    let mut taken: HashMap<EventId, Seq> = HashMap::new();
    if version > Version::EMPTY {
        for event in sessions.log(id).await? {
            taken.insert(event.id.clone(), event.seq);
        }
    }
    let mut next = version.next_seq();
    let seqs = events.iter().map(|event| match taken.get(&event.id) {
        Some(seq) => *seq,
        None => {
            let seq = next;
            next = next.plus(1);
            taken.insert(event.id.clone(), seq);
            seq
        }
    });
    Ok(Places::new(seqs.collect()))
}
