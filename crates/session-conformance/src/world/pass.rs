//! Running passes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use session::{Compaction, Condition, Counts, Sessions, Trigger, Window};
use session_summarizer::Chunked;

use super::{Runs, World, wait};
use crate::case::PassSpec;
use crate::failure::Failure;
use crate::fakes::{CaseSummarizer, Meanwhile};
use crate::seen::{Drive, PassSeen, Snapshot};

/// A pass made ready, and who counts the failures it reports.
pub(crate) struct Ready {
    pub(crate) compaction: Compaction,
    pub(crate) failures: Arc<AtomicU64>,
}

impl World {
    /// Makes the settings of a pass.
    ///
    /// # Errors
    ///
    /// The failure, where the library refuses them.
    pub(crate) fn ready(
        &self,
        spec: &PassSpec,
        meanwhile: Option<Arc<dyn Meanwhile>>,
    ) -> Result<Ready, Failure> {
        match self.ready_with(spec, spec.trigger.clone(), meanwhile.clone()) {
            // A case about a pass means the condition, whether or not it makes a good setting.
            Err(failure) if failure.is("never_satisfied") && !self.wants_refusals => {
                let trigger = spec.trigger.clone().map(as_condition);
                self.ready_with(spec, trigger, meanwhile)
            }
            ready => ready,
        }
    }

    fn ready_with(
        &self,
        spec: &PassSpec,
        trigger: Option<Trigger>,
        meanwhile: Option<Arc<dyn Meanwhile>>,
    ) -> Result<Ready, Failure> {
        let window = spec.window.unwrap_or(Window::Turns(1));
        let mut builder = Compaction::builder(window);
        if let Some(trigger) = trigger {
            builder = builder.when(trigger);
        }
        if let Some(overlap) = spec.overlap {
            builder = builder.overlap(overlap);
        }
        if let Some(grain) = spec.grain {
            builder = builder.grain(grain);
        }
        if let Some(on_conflict) = spec.on_conflict {
            builder = builder.on_conflict(on_conflict);
        }
        if let Some(Some(summarizer)) = &spec.summarizer {
            let written = self.states.last().map_or(0, |state| {
                let boundaries = state.boundaries().filter_map(|event| event.as_boundary());
                boundaries.filter(|it| !it.summary.is_empty()).count()
            });
            let fake = CaseSummarizer {
                spec: summarizer.clone(),
                estimator: self.estimator.clone(),
                recorder: self.recorder.clone(),
                earlier: self.answers,
                name: format!("S{}", written.saturating_add(1)),
                meanwhile,
            };
            // A summarizer with a limit is used as the library has it: in chunks.
            builder = match summarizer.max_input_tokens {
                Some(limit) => {
                    builder.summarizer(Chunked::new(fake, limit, self.estimator.clone()))
                }
                None => builder.summarizer(fake),
            };
        }
        let failures = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&failures);
        builder = builder.on_failure(move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
        });
        match builder.build() {
            Ok(compaction) => Ok(Ready {
                compaction,
                failures,
            }),
            Err(error) => Err(Failure::of(&error.into())),
        }
    }

    /// Runs one pass and keeps what was seen of it. What goes wrong is kept as well.
    pub(crate) fn compact(&mut self, spec: &PassSpec) -> Runs<()> {
        let session = self.session.clone();
        self.ensure(&session)?;
        let Some(before) = self.look()? else {
            let error = session::Error::UnknownSession { session };
            self.failures.push(Failure::of(&error));
            return Ok(());
        };
        let ready = match self.ready(spec, None) {
            Ok(ready) => ready,
            Err(failure) => {
                self.failures.push(failure);
                return Ok(());
            }
        };
        let failures = self.failures.len();
        self.reads.refuse_writes(spec.cannot_write);
        let pass = self.one_pass(&ready, before);
        self.reads.refuse_writes(false);
        let pass = pass?;
        if spec.cannot_write {
            match self.failures.get_mut(failures) {
                Some(failure) => failure.is_wanted = true,
                None if pass.calls.is_empty() => {}
                None => return Err("a pass says that it wrote what could not be written".into()),
            }
            let unchanged = pass.before.version == pass.after.version;
            self.facts
                .insert("version_unchanged_by_failed_batch", json!(unchanged));
        }
        self.passes.push(pass);
        Ok(())
    }

    fn one_pass(&mut self, ready: &Ready, before: Arc<Snapshot>) -> Runs<PassSeen> {
        let outcome = wait(self.sessions.compact(&self.session, &ready.compaction));
        let report = match outcome {
            Ok(report) => Some(report),
            Err(error) => {
                self.failures.push(Failure::of(&error));
                None
            }
        };
        self.pass_seen(report, before, ready)
    }

    /// What was seen of a pass that just ended.
    pub(crate) fn pass_seen(
        &mut self,
        report: Option<session::Report>,
        before: Arc<Snapshot>,
        ready: &Ready,
    ) -> Runs<PassSeen> {
        let after = self.look()?;
        let after = after.ok_or("the session is gone after a pass")?;
        let calls = self.recorder.take();
        self.answers = self.answers.saturating_add(calls.len());
        let pass = PassSeen {
            report,
            before,
            after,
            calls,
            failure_callbacks: ready.failures.swap(0, Ordering::SeqCst),
            is_undone: false,
            turn: None,
        };
        tells_the_truth(&pass)?;
        Ok(pass)
    }

    /// What was seen of one of several passes that ran at once.
    pub(crate) fn pass_of_race(
        &mut self,
        report: session::Report,
        before: &Arc<Snapshot>,
        ready: &Ready,
        is_landed: bool,
    ) -> Runs<PassSeen> {
        let after = self.look()?;
        let after = after.ok_or("the session is gone after a pass")?;
        let before = match is_landed {
            true => Arc::clone(before),
            false => Arc::clone(&after),
        };
        Ok(PassSeen {
            report: Some(report),
            before,
            after,
            calls: self.recorder.take(),
            failure_callbacks: ready.failures.swap(0, Ordering::SeqCst),
            is_undone: false,
            turn: None,
        })
    }

    /// Runs a pass again and again until it changes nothing, as a driver does, but not for ever.
    pub(crate) fn drive(&mut self, spec: &PassSpec) -> Runs<Drive> {
        let mut drive = Drive {
            passes: Vec::new(),
            has_ended: false,
        };
        let Some(state) = self.look()? else {
            return Ok(drive);
        };
        let most = state.turns().saturating_add(3);
        while !drive.has_ended && drive.passes.len() < most {
            let Some(before) = self.look()? else { break };
            let Ok(ready) = self.ready(spec, None) else {
                drive.has_ended = true;
                break;
            };
            let pass = self.one_pass(&ready, before)?;
            drive.has_ended = !pass.is_written();
            drive.passes.push(pass);
        }
        Ok(drive)
    }

    /// Whether the session can be used after a failed pass: it takes a message, and a pass with a
    /// summarizer that works runs.
    pub(crate) fn is_usable(&mut self) -> Runs<bool> {
        const PROBE: &str = "u-probe";
        let event = self.event(PROBE)?;
        let sessions: Sessions = self.sessions.clone();
        let expected = session::Expected::Any;
        let appended = wait(sessions.append_events(&self.session, expected, vec![event]));
        let view = wait(sessions.view(&self.session));
        let is_shown = view.is_ok_and(|view| {
            let events = view.events().iter();
            events.rev().take(1).any(|event| event.id.as_str() == PROBE)
        });
        let works = crate::case::SummarizerSpec::returning("SUM");
        let spec = PassSpec {
            summarizer: Some(Some(works)),
            ..PassSpec::with_window(Window::Turns(1))
        };
        let Ok(ready) = self.ready(&spec, None) else {
            return Ok(false);
        };
        let compacted = wait(sessions.compact(&self.session, &ready.compaction));
        self.recorder.take();
        Ok(appended.is_ok() && is_shown && compacted.is_ok())
    }
}

/// The same trigger as a condition, into which nobody looks.
fn as_condition(trigger: Trigger) -> Trigger {
    let holds = move |counts: &Counts| trigger.check(counts).fired;
    Trigger::When(Condition::new("the trigger of the case", holds))
}

/// A report says that something was written if and only if a boundary was.
fn tells_the_truth(pass: &PassSeen) -> Runs<()> {
    let Some(report) = &pass.report else {
        return Ok(());
    };
    let is_told = report.outcome == session::Outcome::Compacted;
    if is_told == pass.is_written() {
        return Ok(());
    }
    Err(format!(
        "the report says {}, but {} boundary was written",
        report.outcome.as_str(),
        if pass.is_written() { "a" } else { "no" }
    ))
}
