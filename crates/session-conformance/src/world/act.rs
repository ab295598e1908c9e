//! Doing one action and seeing what comes of it.

use std::sync::Arc;

use serde_json::json;
use session::{Appended, Error, Expected, Message, Sessions, Version, Window};
use session_log::{EventBody, EventId, EventType, Json, NewEvent, SessionId};
use session_store::{SessionQuery, SessionStoreExt as _};

use super::{Runs, World, wait};
use crate::case::{Action, Lifetime, PassSpec};
use crate::export;
use crate::failure::{Failure, with_causes};
use crate::seen::Seen;

impl World {
    /// Does the actions in order, and keeps what was seen of each.
    pub(crate) fn act_all(&mut self, actions: &[Action]) -> Runs<()> {
        let mut versions: Vec<u64> = Vec::new();
        for action in actions {
            let step = self.act(action)?;
            versions.push(step.after.as_ref().map_or(0, |after| after.version));
            self.steps.push(step);
        }
        self.facts.insert("version_after", json!(versions));
        let sessions = wait(self.sessions.store().all_sessions(SessionQuery::all()));
        let sessions = sessions.map_err(|error| with_causes(&error))?;
        self.facts.insert("sessions", json!(sessions.len()));
        Ok(())
    }

    /// Does one action; the step is what was seen of it alone.
    fn act(&mut self, action: &Action) -> Runs<Seen> {
        let before = self.look()?;
        let passes = self.passes.len();
        let failures = self.failures.len();
        let facts = std::mem::take(&mut self.facts);
        let (export, file) = (self.export.take(), self.file.take());
        self.perform(action, export.as_ref())?;
        let after = self.look()?;
        let step = Seen {
            records: Arc::clone(&self.records),
            states: [&before, &after].into_iter().flatten().cloned().collect(),
            before,
            after,
            passes: self.passes.get(passes..).unwrap_or_default().to_vec(),
            failures: self.failures.get(failures..).unwrap_or_default().to_vec(),
            export: self.export.clone(),
            file: self.file.clone(),
            facts: self.facts.clone(),
            ..Seen::default()
        };
        // What came last stands for the whole.
        self.export = self.export.take().or(export);
        self.file = self.file.take().or(file);
        for (name, fact) in facts {
            self.facts.entry(name).or_insert(fact);
        }
        Ok(step)
    }

    fn perform(&mut self, action: &Action, export: Option<&crate::seen::Export>) -> Runs<()> {
        match action {
            Action::Create {
                ttl_s,
                session,
                user,
            } => self.create(*ttl_s, session.as_deref(), user.as_deref()),
            Action::Append {
                ids,
                is_batch: false,
                fail_at: None,
                expected_version: None,
            } => ids.iter().try_for_each(|id| self.append_one(id)),
            Action::Append {
                ids,
                fail_at,
                expected_version,
                ..
            } => self.append_batch(ids, *fail_at, *expected_version),
            Action::Compact(spec) => self.compact(spec),
            Action::Export { format, is_log } => self.write(format, *is_log),
            Action::Import { format } => self.read_back(format.as_deref(), export),
            Action::Reopen => self.reopen(),
            Action::Crash => {
                // Nobody is there any more to close the store.
                std::mem::forget(self.sessions.clone());
                self.reopen()
            }
            Action::View {
                branch,
                session,
                user,
            } => self.view(branch.as_deref(), session.as_deref(), user.as_deref()),
            Action::Search { search, user } => self.search(search, user.as_deref()),
            Action::List { user } => self.list(user.as_deref()),
            Action::Delete { session, user } => self.delete(session.as_deref(), user.as_deref()),
            Action::Advance { millis } => {
                self.clock.advance(*millis);
                Ok(())
            }
            Action::Sweep => {
                let swept = wait(self.sessions.expire());
                self.note(swept.map(|_| ()));
                Ok(())
            }
            Action::Touch {
                verb,
                session,
                user,
            } => self.touch(verb, session, user),
            Action::Undo => self.undo(),
            Action::Redo => {
                let redone = wait(self.sessions.redo(&self.session));
                if let Ok(Some(_)) = &redone {
                    self.mark_undone();
                }
                self.note(redone.map(|_| ()));
                Ok(())
            }
            Action::Pin { id } | Action::Unpin { id } => {
                let id = EventId::new(id).map_err(|error| error.to_string())?;
                let done = match action {
                    Action::Pin { .. } => wait(self.sessions.pin(&self.session, &id)),
                    _ => wait(self.sessions.unpin(&self.session, &id)),
                };
                self.note(done);
                Ok(())
            }
        }
    }

    /// Keeps an error that came.
    pub(super) fn note(&mut self, done: Result<(), Error>) {
        if let Err(error) = done {
            self.failures.push(Failure::of(&error));
        }
    }

    /// The service in a user's name, or in nobody's.
    pub(super) fn in_name_of(&self, user: Option<&str>) -> Sessions {
        match user {
            Some(user) => self.sessions.scoped(user),
            None => self.sessions.clone(),
        }
    }

    pub(super) fn named(&self, session: Option<&str>) -> Runs<SessionId> {
        match session {
            Some(session) => SessionId::new(session).map_err(|error| error.to_string()),
            None => Ok(self.session.clone()),
        }
    }

    fn create(&mut self, ttl_s: Lifetime, session: Option<&str>, user: Option<&str>) -> Runs<()> {
        use session::Clock as _;

        let id = self.named(session)?;
        let mut described = self.sessions.describe(id.clone());
        match ttl_s {
            Lifetime::Usual => {}
            Lifetime::Endless => described.expires_at = None,
            Lifetime::Seconds(seconds) => {
                let millis = i64::try_from(seconds.saturating_mul(1000)).unwrap_or(i64::MAX);
                described = described.with_expiry(self.clock.now().plus_millis(millis));
            }
        }
        if let Some(user) = user {
            described = described.with_owner(user);
        }
        self.made.insert(id);
        let created = wait(self.sessions.create_as(described));
        self.note(created.map(|_| ()));
        Ok(())
    }

    /// Appends one message to its session, which is made if nobody made it.
    pub(crate) fn append_one(&mut self, id: &str) -> Runs<()> {
        let session = self.session_of(id)?;
        self.ensure(&session)?;
        let event = self.event(id)?;
        self.append(&session, Expected::Any, vec![event]);
        Ok(())
    }

    fn append(&mut self, session: &SessionId, expected: Expected, events: Vec<NewEvent>) {
        let appended = wait(self.sessions.append_events(session, expected, events));
        let failure = match &appended {
            Ok(Appended::Done(_)) => None,
            Ok(Appended::Conflict { actual }) => Some(Failure::conflict(*actual)),
            Err(error) => Some(Failure::of(error)),
        };
        let fact = failure.as_ref().map_or("ok", Failure::kind);
        self.facts.insert("last_append", json!(fact));
        self.failures.extend(failure);
    }

    /// Appends a batch, one event of which may be one that cannot be stored. Then the batch must
    /// fail, and nothing of it may be there.
    fn append_batch(
        &mut self,
        ids: &[String],
        fail_at: Option<u64>,
        expected_version: Option<u64>,
    ) -> Runs<()> {
        let session = self.session.clone();
        self.ensure(&session)?;
        let mut events = self.events(ids)?;
        let expected = match expected_version {
            Some(version) => Expected::Exact(Version::new(version)),
            None => Expected::Any,
        };
        let Some(fail_at) = fail_at else {
            self.append(&session, expected, events);
            return Ok(());
        };
        let at = usize::try_from(fail_at.saturating_sub(1)).unwrap_or(usize::MAX);
        let Some(event) = events.get_mut(at) else {
            return Err(format!("the batch has no event {fail_at}"));
        };
        *event = self.unstorable(event)?;
        let before = self.look()?.map_or(0, |state| state.version);
        self.append(&session, expected, events);
        let after = self.look()?.map_or(0, |state| state.version);
        let unchanged = json!(before == after);
        self.facts
            .insert("version_unchanged_by_failed_batch", unchanged);
        match self.failures.last_mut() {
            Some(failure) => failure.is_wanted = true,
            None => self.failures.push(Failure::broken(
                "a batch with an event that cannot be stored went in",
            )),
        }
        Ok(())
    }

    /// An event that clashes with one in the log; or, in an empty log, one of a type that is not
    /// the application's to write.
    fn unstorable(&self, event: &NewEvent) -> Runs<NewEvent> {
        let log = self.states.last().map(|state| state.log.as_slice());
        Ok(match log.and_then(<[_]>::first) {
            Some(taken) => {
                NewEvent::message(taken.id.clone(), event.timestamp, Message::user("a clash"))
            }
            None => NewEvent::new(
                event.id.clone(),
                event.timestamp,
                EventBody::Custom {
                    event_type: EventType::COMPACTION,
                    payload: Json::null(),
                },
            ),
        })
    }

    fn write(&mut self, format: &str, is_log: bool) -> Runs<()> {
        let Some(state) = self.look()? else {
            self.note(Err(Error::UnknownSession {
                session: self.session.clone(),
            }));
            return Ok(());
        };
        let is_file = export::by_name(format).is_ok_and(|format| !format.is_request());
        let written = match is_log || is_file {
            true => export::log(state.log.iter().map(Arc::as_ref), format),
            false => export::request(&state.view, format),
        };
        match written {
            Ok(export) => self.export = Some(export),
            Err(reason) => self
                .failures
                .push(Failure::new(&["export", "format"], reason)),
        }
        Ok(())
    }

    /// Reads what was exported last into a store of its own, which is looked at from then on.
    fn read_back(
        &mut self,
        format: Option<&str>,
        export: Option<&crate::seen::Export>,
    ) -> Runs<()> {
        let Some(export) = export else {
            return Err("an import needs an export before it".into());
        };
        let format = format.unwrap_or(&export.format).to_owned();
        let bytes = export.text.clone().into_bytes();
        let mut other = self.fresh()?;
        other.import(&bytes, Some(&format))?;
        self.home = other.home;
        self.sessions = other.sessions;
        self.session = other.session;
        self.made = other.made;
        self.file = other.file;
        self.failures.extend(other.failures);
        // The log of the copy is another log.
        self.states.clear();
        Ok(())
    }

    /// Deletes a session. That there is none for this user is an error of the case's kind.
    fn delete(&mut self, session: Option<&str>, user: Option<&str>) -> Runs<()> {
        let id = self.named(session)?;
        let deleted = wait(self.in_name_of(user).delete(&id));
        self.note(match deleted {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::UnknownSession { session: id }),
            Err(error) => Err(error),
        });
        Ok(())
    }

    /// Touches a session in a user's name: what is refused is kept as an error.
    fn touch(&mut self, verb: &str, session: &str, user: &str) -> Runs<()> {
        let sessions = self.sessions.scoped(user);
        let id = self.named(Some(session))?;
        let spec = PassSpec::with_window(Window::Turns(1));
        let done = match verb {
            "append" => wait(sessions.append(&id, Message::user("touched"))).map(drop),
            "compact" => match self.ready(&spec, None) {
                Ok(ready) => wait(sessions.compact(&id, &ready.compaction)).map(drop),
                Err(failure) => return Err(failure.message),
            },
            "undo" => wait(sessions.undo(&id)).map(drop),
            _ => wait(sessions.view(&id)).map(drop),
        };
        self.note(done);
        Ok(())
    }

    fn undo(&mut self) -> Runs<()> {
        let undone = wait(self.sessions.undo(&self.session));
        if let Ok(Some(_)) = &undone {
            self.mark_undone();
        }
        self.note(undone.map(|_| ()));
        Ok(())
    }

    /// Takes note of which passes count: those whose boundary is not taken back.
    fn mark_undone(&mut self) {
        let reverts = self.look().ok().flatten();
        let log = reverts.map(|state| state.log.clone()).unwrap_or_default();
        let mut dead = std::collections::BTreeSet::new();
        for event in log.iter().rev() {
            if let EventBody::Revert(revert) = &event.body
                && !dead.contains(&event.seq)
            {
                dead.insert(revert.of);
            }
        }
        for pass in &mut self.passes {
            let boundary = pass.report.as_ref().and_then(|report| report.boundary);
            pass.is_undone = boundary.is_some_and(|seq| dead.contains(&seq));
        }
    }
}
