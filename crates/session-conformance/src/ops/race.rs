//! A pass, and something at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use async_trait::async_trait;
use session::{Error, Expected, Report, Sessions};
use session_log::{NewEvent, SessionId};

use crate::case::{Case, Race};
use crate::failure::Failure;
use crate::fakes::Meanwhile;
use crate::seen::{Seen, Snapshot};
use crate::world::{Ready, Runs, Setting, World, wait};

pub(super) fn race(case: &Case, setting: &Setting, race: &Race) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    let session = world.session.clone();
    world.ensure(&session)?;
    for record in &case.input.all {
        if !race.append_during_summarizer.contains(&record.id) {
            world.append_one(&record.id)?;
        }
    }
    let before = world.look()?.ok_or("the session is gone")?;
    let seen = match race.parallel_compactions {
        0 | 1 => overtaken(&mut world, race, &before)?,
        passes => parallel(&mut world, race, passes, &before)?,
    };
    Ok(Seen {
        before: Some(before),
        ..seen
    })
}

/// Messages arrive while the summarizer works.
fn overtaken(world: &mut World, race: &Race, before: &Arc<Snapshot>) -> Runs<Seen> {
    let arrival = Arrival {
        sessions: world.sessions.clone(),
        session: world.session.clone(),
        events: world.events(&race.append_during_summarizer)?,
        has_come: AtomicBool::new(false),
    };
    let arrival = Arc::new(arrival);
    let meanwhile: Arc<dyn Meanwhile> = arrival.clone();
    let ready = match world.ready(&race.pass, Some(meanwhile)) {
        Ok(ready) => ready,
        Err(failure) => {
            world.failures.push(failure);
            return world.seen();
        }
    };
    let outcome = wait(world.sessions.compact(&world.session, &ready.compaction));
    if !arrival.has_come.load(Ordering::SeqCst) && !arrival.events.is_empty() {
        return Err("the summarizer was not asked, so nothing could arrive meanwhile".into());
    }
    land(world, vec![outcome], before, &ready)?;
    world.seen()
}

/// What arrives while a summarizer works, once.
struct Arrival {
    sessions: Sessions,
    session: SessionId,
    events: Vec<NewEvent>,
    has_come: AtomicBool,
}

#[async_trait]
impl Meanwhile for Arrival {
    async fn happen(&self) {
        if self.has_come.load(Ordering::SeqCst) {
            return;
        }
        let events = self.events.clone();
        let appended = self
            .sessions
            .append_events(&self.session, Expected::Any, events)
            .await;
        self.has_come.store(appended.is_ok(), Ordering::SeqCst);
    }
}

/// Several passes at once, through services that do not know of each other: all of them ask their
/// summarizer before any of them lands. Then the same through one service, where one waits for
/// the other, on a copy.
fn parallel(world: &mut World, race: &Race, passes: u64, before: &Arc<Snapshot>) -> Runs<Seen> {
    let mut copy = world.fresh()?;
    copy.ensure(&world.session.clone())?;
    for event in before.messages() {
        copy.append_one(event.id.as_str())?;
    }
    let copied = copy.look()?.ok_or("the copy is gone")?;
    let shared = vec![copy.sessions.clone(); usize::try_from(passes).unwrap_or(1)];
    all_at_once(&mut copy, race, &shared, None, &copied)?;
    let one_service = copy.seen()?;

    let strangers: Vec<Sessions> = (0..passes).map(|_| world.stranger()).collect::<Runs<_>>()?;
    let gate = Arc::new(Gate::new(strangers.len()));
    all_at_once(world, race, &strangers, Some(&gate), before)?;
    let mut seen = world.seen()?;
    let views = |seen: &Seen| seen.after.as_ref().map(|after| after.view_names());
    if views(&one_service) != views(&seen) {
        seen.failures.push(Failure::broken(format!(
            "one service leaves {:?}, several leave {:?}",
            views(&one_service),
            views(&seen)
        )));
    }
    Ok(seen)
}

fn all_at_once(
    world: &mut World,
    race: &Race,
    services: &[Sessions],
    gate: Option<&Arc<Gate>>,
    before: &Arc<Snapshot>,
) -> Runs<()> {
    let meanwhile = gate.map(|gate| Arc::clone(gate) as Arc<dyn Meanwhile>);
    let ready = match world.ready(&race.pass, meanwhile) {
        Ok(ready) => ready,
        Err(failure) => {
            world.failures.push(failure);
            return Ok(());
        }
    };
    let session = &world.session;
    let outcomes: Vec<Result<Report, Error>> = std::thread::scope(|scope| {
        let run = |sessions: &Sessions| {
            let sessions = sessions.clone();
            let (ready, gate) = (&ready, gate.cloned());
            scope.spawn(move || {
                let outcome = wait(sessions.compact(session, &ready.compaction));
                if let Some(gate) = gate {
                    gate.leave();
                }
                outcome
            })
        };
        let threads: Vec<_> = services.iter().map(run).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.filter_map(Result::ok).collect()
    });
    if outcomes.len() != services.len() {
        return Err("a pass panicked".into());
    }
    land(world, outcomes, before, &ready)
}

/// Keeps what was seen of passes that ran at once. The one that landed is seen with what the
/// others asked.
fn land(
    world: &mut World,
    outcomes: Vec<Result<Report, Error>>,
    before: &Arc<Snapshot>,
    ready: &Ready,
) -> Runs<()> {
    let mut landed = 0_usize;
    for outcome in outcomes {
        match outcome {
            Ok(report) => {
                let is_landed = report.outcome == session::Outcome::Compacted;
                landed = landed.saturating_add(usize::from(is_landed));
                let pass = world.pass_of_race(report, before, ready, is_landed)?;
                world.passes.push(pass);
            }
            Err(error) => world.failures.push(Failure::of(&error)),
        }
    }
    let after = world.look()?.ok_or("the session is gone")?;
    let written = after
        .boundaries()
        .count()
        .saturating_sub(before.boundaries().count());
    if written != landed {
        return Err(format!(
            "{landed} passes say that they wrote a boundary, {written} were written"
        ));
    }
    Ok(())
}

/// Lets nobody through before all have come, or left without coming.
struct Gate {
    of: usize,
    come: Mutex<usize>,
    changed: Condvar,
}

impl Gate {
    fn new(of: usize) -> Self {
        Self {
            of,
            come: Mutex::new(0),
            changed: Condvar::new(),
        }
    }

    fn count_one(&self) {
        let mut come = self.come.lock().unwrap_or_else(PoisonError::into_inner);
        *come = come.saturating_add(1);
        self.changed.notify_all();
    }

    /// Says that a pass is over, whether it came to the gate or not.
    fn leave(&self) {
        self.count_one();
    }
}

#[async_trait]
impl Meanwhile for Gate {
    async fn happen(&self) {
        self.count_one();
        let come = self.come.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_while(come, |come| *come < self.of);
        drop(waited);
    }
}
