//! The world of a case: one service over one store, and what is seen of it.

mod act;
mod file;
mod pass;
mod read;
mod recall;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use session::{Sessions, SystemMessages};
use session_log::{NewEvent, SessionId};
use session_store::{NewSession, SessionStore};

pub(crate) use self::file::ID;
pub(crate) use self::pass::Ready;
use crate::case::{Case, Op, Records};
use crate::failure::Failure;
use crate::fakes::{CaseClock, CaseEstimator, Counting, Reads, Recorder};
use crate::seen::{Export, FileSeen, PassSeen, Seen, Snapshot};
use crate::stopwatch::Stopwatch;
use crate::store::{Home, StoreKind};

/// What a case runs in.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) store: StoreKind,
    /// The program of the runner, for cases that need other processes.
    pub(crate) program: Option<PathBuf>,
    pub(crate) stopwatch: Stopwatch,
}

/// Something that the runner itself could not do.
pub(crate) type Runs<T> = Result<T, String>;

/// The session that messages go to which name none.
const SESSION: &str = "s";

pub(crate) struct World {
    pub(crate) records: Arc<Records>,
    pub(crate) home: Home,
    pub(crate) sessions: Sessions,
    pub(crate) clock: CaseClock,
    pub(crate) estimator: CaseEstimator,
    pub(crate) recorder: Recorder,
    pub(crate) reads: Reads,
    pub(crate) session: SessionId,
    /// Whether settings that never work are refused, as the library does, also where a pass is
    /// what the case is about.
    pub(crate) wants_refusals: bool,
    /// Sessions that were made, whether they are still there or not.
    made: BTreeSet<SessionId>,
    /// How often summarizers answered.
    answers: usize,
    /// How often a message was taken from the input, by id.
    appended: BTreeMap<String, usize>,
    pub(crate) states: Vec<Arc<Snapshot>>,
    pub(crate) passes: Vec<PassSeen>,
    pub(crate) failures: Vec<Failure>,
    pub(crate) export: Option<Export>,
    pub(crate) file: Option<FileSeen>,
    pub(crate) facts: BTreeMap<&'static str, Value>,
    pub(crate) steps: Vec<Seen>,
}

/// Runs a future to its end.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    futures_executor::block_on(future)
}

impl World {
    /// An empty store for the case.
    pub(crate) fn new(case: &Case, setting: &Setting) -> Runs<Self> {
        let mut world = Self::over(
            Arc::new(case.input.clone()),
            CaseEstimator::new(&case.settings.estimator),
            setting.store,
        )?;
        let is_settings = matches!(case.settings.op, Op::Settings(_));
        world.wants_refusals = is_settings || case.expect.speaks_of_errors_anywhere();
        Ok(world)
    }

    fn over(records: Arc<Records>, estimator: CaseEstimator, store: StoreKind) -> Runs<Self> {
        let home = Home::new(store)?;
        let clock = CaseClock::new();
        let reads = Reads::default();
        let sessions = service(home.open()?, &clock, &estimator, &reads);
        let named = records
            .all
            .first()
            .and_then(|record| record.session.as_deref());
        let session = SessionId::new(named.unwrap_or(SESSION)).map_err(|e| e.to_string())?;
        Ok(Self {
            records,
            home,
            sessions,
            clock,
            estimator,
            recorder: Recorder::default(),
            reads,
            session,
            wants_refusals: true,
            made: BTreeSet::new(),
            answers: 0,
            appended: BTreeMap::new(),
            states: Vec::new(),
            passes: Vec::new(),
            failures: Vec::new(),
            export: None,
            file: None,
            facts: BTreeMap::new(),
            steps: Vec::new(),
        })
    }

    /// The same case in a new store.
    pub(crate) fn fresh(&self) -> Runs<Self> {
        Self::over(
            Arc::clone(&self.records),
            self.estimator.clone(),
            self.home.kind(),
        )
    }

    /// Closes the store: nobody has it open any more.
    pub(crate) fn close(&mut self) {
        let empty = Arc::new(session::MemoryStore::new());
        self.sessions = service(empty, &self.clock, &self.estimator, &self.reads);
    }

    /// Closes the store and opens it again.
    pub(crate) fn reopen(&mut self) -> Runs<()> {
        self.close();
        let store = self.home.open()?;
        self.sessions = service(store, &self.clock, &self.estimator, &self.reads);
        Ok(())
    }

    /// Another service over the same store, which knows nothing of this one.
    pub(crate) fn stranger(&self) -> Runs<Sessions> {
        let store = self.home.open()?;
        Ok(service(store, &self.clock, &self.estimator, &self.reads))
    }

    /// Makes the session if nobody did yet.
    pub(crate) fn ensure(&mut self, session: &SessionId) -> Runs<()> {
        if self.made.contains(session) {
            return Ok(());
        }
        let owner = self.records.all.iter().find_map(|record| {
            let named = record.session.as_deref().unwrap_or(SESSION);
            let user = record.user.as_ref().filter(|_| named == session.as_str());
            user.cloned()
        });
        let described = self.sessions.describe(session.clone());
        self.make(match owner {
            Some(owner) => described.with_owner(owner),
            None => described,
        })
    }

    pub(crate) fn make(&mut self, session: NewSession) -> Runs<()> {
        self.made.insert(session.id.clone());
        let made = wait(self.sessions.create_as(session));
        made.map(|_| ()).map_err(|error| error.to_string())
    }

    /// The events of messages of the input, each with the cost the case gives it.
    pub(crate) fn events(&mut self, ids: &[String]) -> Runs<Vec<NewEvent>> {
        ids.iter().map(|id| self.event(id)).collect()
    }

    /// The event of a message of the input; one that is not there is made up. Of several with one
    /// id each comes in its turn.
    pub(crate) fn event(&mut self, id: &str) -> Runs<NewEvent> {
        use session::Clock as _;

        let now = self.clock.now();
        let times = self.appended.entry(id.to_owned()).or_default();
        let earlier = *times;
        *times = times.saturating_add(1);
        let mut event = match self.records.find_next(id, earlier) {
            Some(record) => record.event(now).map_err(|error| error.reason)?,
            None => made_up(id, now)?,
        };
        event.tokens = self.estimator.cost_of(id);
        if let session_log::EventBody::Message(message) = &event.body {
            self.estimator.learn_input(id, message);
        }
        Ok(event)
    }

    /// The session that the message of the input which comes next under this id belongs to.
    pub(crate) fn session_of(&self, id: &str) -> Runs<SessionId> {
        let earlier = self.appended.get(id).copied().unwrap_or(0);
        let record = self.records.find_next(id, earlier);
        match record.and_then(|record| record.session.as_deref()) {
            Some(session) => SessionId::new(session).map_err(|error| error.to_string()),
            None => Ok(self.session.clone()),
        }
    }

    /// Appends the whole input, message by message.
    pub(crate) fn append_input(&mut self) -> Runs<()> {
        let session = self.session.clone();
        self.ensure(&session)?;
        let ids: Vec<String> = self.records.all.iter().map(|it| it.id.clone()).collect();
        for id in ids {
            self.append_one(&id)?;
        }
        self.look()?;
        Ok(())
    }

    /// The state of the session now, added to what was seen; `None` when it is not there.
    pub(crate) fn look(&mut self) -> Runs<Option<Arc<Snapshot>>> {
        let Some(state) = self.snapshot()? else {
            return Ok(None);
        };
        let state = Arc::new(state);
        self.states.push(Arc::clone(&state));
        Ok(Some(state))
    }

    /// All that was seen. What is done with the world afterwards is no part of it.
    pub(crate) fn seen(&mut self) -> Runs<Seen> {
        let after = self.look()?;
        Ok(Seen {
            records: Arc::clone(&self.records),
            after,
            states: std::mem::take(&mut self.states),
            passes: std::mem::take(&mut self.passes),
            failures: std::mem::take(&mut self.failures),
            export: self.export.take(),
            file: self.file.take(),
            facts: std::mem::take(&mut self.facts),
            steps: std::mem::take(&mut self.steps),
            ..Seen::default()
        })
    }
}

/// A service with a clock of its own.
pub(crate) fn service_over(
    store: Arc<dyn SessionStore>,
    estimator: &CaseEstimator,
    reads: &Reads,
) -> Sessions {
    service(store, &CaseClock::new(), estimator, reads)
}

fn service(
    store: Arc<dyn SessionStore>,
    clock: &CaseClock,
    estimator: &CaseEstimator,
    reads: &Reads,
) -> Sessions {
    let store = Counting {
        store,
        reads: reads.clone(),
    };
    Sessions::new(store, estimator.clone())
        .with_clock(clock.clone())
        .with_system_messages(SystemMessages::Allowed)
}

/// A message that a case names and does not have: the first letter tells who speaks.
fn made_up(id: &str, now: session::Timestamp) -> Runs<NewEvent> {
    let message = match id.chars().next() {
        Some('a') => session_log::Message::assistant(id),
        _ => session_log::Message::user(id),
    };
    let event = session_log::EventId::new(id).map_err(|error| error.to_string())?;
    Ok(NewEvent::message(event, now, message))
}
