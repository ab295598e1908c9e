//! Two and three callers over one session, in every order their calls to the store can happen.
//!
//! After each order: no event is lost or doubled, the view is the fold of the log, the counters are
//! those of the view, and as many boundaries were written as passes say they landed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use common::{Always, Characters, block_on, event, id, names};
use session::{
    Compaction, Counts, EventType, Expected, FixedClock, MemoryStore, OnConflict, Outcome,
    PassPlan, Prepared, SessionId, Sessions, SystemMessages, Timestamp, View, Window,
};
use session_store_testkit::{BoxFuture, SteppingStore, for_each_interleaving};

/// What a caller does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    /// A turn of two messages under these names.
    Appends(&'static str),
    /// One pass, a single call of the service.
    Compacts,
    /// A plan that lands on what was appended meanwhile.
    PlansAndRebases,
    /// A plan that lands only on what it was made for.
    PlansAndSkips,
    /// Lands a plan that was made before the race.
    Lands,
    /// A pass that has a summary made.
    Summarizes,
    /// Takes the newest boundary back.
    Undoes,
    /// Pins the first message.
    Pins,
    /// Erases the second message.
    Erases,
    /// Erases the last one, which every pass keeps.
    ErasesKept,
}

use Caller::{
    Appends, Compacts, Erases, ErasesKept, Lands, Pins, PlansAndRebases, PlansAndSkips, Summarizes,
    Undoes,
};

struct World {
    sessions: Sessions,
    id: SessionId,
    /// Plans made before the race, by whoever lands them.
    plans: Mutex<Vec<PassPlan>>,
    outcomes: Mutex<Vec<Outcome>>,
}

impl World {
    /// A session of three turns; with a boundary after the first if `is_compacted`.
    fn new(is_compacted: bool) -> Self {
        let store = Arc::new(MemoryStore::new());
        let service = |store| {
            Sessions::new(store, Characters)
                .with_clock(FixedClock(Timestamp::from_millis(0)))
                .with_system_messages(SystemMessages::Allowed)
        };
        let id = SessionId::new("s").unwrap();
        // What comes before the race takes no steps.
        let quiet: Sessions = service(Box::new(store.clone()) as Box<dyn session::SessionStore>);
        let plans = block_on(async {
            quiet.create_as(quiet.describe(id.clone())).await.unwrap();
            let events = ["u1", "a1", "u2", "a2", "u3", "a3"].map(event).to_vec();
            let _ = quiet
                .append_events(&id, Expected::Any, events)
                .await
                .unwrap();
            if is_compacted {
                let two = Compaction::builder(Window::Turns(2)).build().unwrap();
                quiet.compact(&id, &two).await.unwrap();
            }
            let one = Compaction::builder(Window::Turns(1)).build().unwrap();
            let mut plans = Vec::new();
            for _ in 0..2 {
                if let Prepared::Plan(plan) = quiet.prepare(&id, &one).await.unwrap() {
                    plans.push(*plan);
                }
            }
            plans
        });
        let stepping = SteppingStore::new(store);
        Self {
            sessions: service(Box::new(stepping) as Box<dyn session::SessionStore>),
            id,
            plans: Mutex::new(plans),
            outcomes: Mutex::default(),
        }
    }

    /// Passes in one call wait for each other, as in one process; plans do not, as between two.
    fn act(&self, caller: Caller) -> BoxFuture<'_> {
        Box::pin(async move {
            let (sessions, id) = (&self.sessions, &self.id);
            let one_turn = Compaction::builder(Window::Turns(1));
            let on_conflict = match caller {
                Appends(turn) => {
                    let events = turn.split(' ').map(event).collect();
                    let appended = sessions.append_events(id, Expected::Any, events).await;
                    assert!(appended.unwrap().done().is_some());
                    return;
                }
                Compacts | Summarizes => {
                    let one_turn = match caller {
                        Summarizes => one_turn.summarizer(Always("S")),
                        _ => one_turn,
                    };
                    let report = sessions.compact(id, &one_turn.build().unwrap()).await;
                    self.outcomes.lock().unwrap().push(report.unwrap().outcome);
                    return;
                }
                Undoes => {
                    sessions.undo(id).await.unwrap();
                    return;
                }
                Lands => {
                    let plan = self.plans.lock().unwrap().pop().unwrap();
                    let report = sessions.commit(&plan, OnConflict::Rebase).await;
                    self.outcomes.lock().unwrap().push(report.unwrap().outcome);
                    return;
                }
                Pins => return sessions.pin(id, &common::id("u1")).await.unwrap(),
                Erases | ErasesKept => {
                    let erased = if caller == Erases { "a1" } else { "a3" };
                    sessions.erase(id, &common::id(erased)).await.unwrap();
                    return;
                }
                PlansAndRebases => OnConflict::Rebase,
                PlansAndSkips => OnConflict::Skip,
            };
            let one_turn = one_turn.build().unwrap();
            let outcome = match sessions.prepare(id, &one_turn).await.unwrap() {
                Prepared::Plan(plan) => sessions.commit(&plan, on_conflict).await.unwrap().outcome,
                Prepared::Nothing(report) => report.outcome,
            };
            self.outcomes.lock().unwrap().push(outcome);
        })
    }

    /// What holds whoever came first.
    fn check(&self, callers: &[Caller], is_compacted: bool) {
        let log = complete(self.sessions.log(&self.id));
        let seqs = log.iter().map(|event| event.seq.as_u64());
        assert!(seqs.eq(1..=log.len() as u64), "places without a gap");
        let mut expected: Vec<_> = ["u1", "a1", "u2", "a2", "u3", "a3"].map(id).to_vec();
        for caller in callers {
            if let Appends(turn) = caller {
                expected.extend(turn.split(' ').map(id));
            }
        }
        let told: BTreeSet<_> = expected.iter().collect();
        let mut messages: Vec<_> = log
            .iter()
            .filter(|event| told.contains(&event.id))
            .collect();
        messages.sort_by_key(|event| &event.id);
        expected.sort();
        assert!(
            messages.iter().map(|event| &event.id).eq(&expected),
            "nothing lost or doubled"
        );

        let view = complete(self.sessions.view(&self.id));
        assert_eq!(
            view,
            View::fold(log.iter().cloned()),
            "the view is the fold"
        );
        let last = log
            .iter()
            .rev()
            .find(|event| expected.contains(&event.id))
            .unwrap();
        assert!(
            view.events().contains(last),
            "the newest message is in view"
        );

        let session = complete(self.sessions.find(&self.id)).unwrap();
        if let Some(counters) = session.head.counters {
            let outline = view.outline(|event| {
                let shown = view.shown(event);
                shown.map_or(0, |message| self.sessions.tokens_of(&message))
            });
            let counts = Counts::from(&outline);
            assert_eq!(
                (counters.events, counters.turns),
                (counts.events, counts.turns)
            );
            let tokens = counters.tokens.map(|count| count.tokens);
            assert_eq!(tokens, Some(counts.tokens), "{}", names(&view));
        }

        let landed = self.outcomes.lock().unwrap();
        let landed = landed
            .iter()
            .filter(|outcome| **outcome == Outcome::Compacted)
            .count();
        let is_boundary =
            |event: &&Arc<session::Event>| event.event_type() == EventType::COMPACTION;
        let boundaries = log.iter().filter(is_boundary).count() - usize::from(is_compacted);
        assert_eq!(boundaries, landed, "one boundary for each pass that landed");
    }
}

/// Runs what is left to do alone.
fn complete<T>(future: impl Future<Output = Result<T, session::Error>>) -> T {
    block_on(future).unwrap()
}

fn race(is_compacted: bool, callers: &[Caller]) -> usize {
    for_each_interleaving(|schedule| {
        let world = World::new(is_compacted);
        schedule.run(callers.iter().map(|caller| world.act(*caller)).collect());
        world.check(callers, is_compacted);
        let passes = callers.iter().filter(|caller| {
            matches!(
                caller,
                Compacts | Lands | PlansAndRebases | PlansAndSkips | Summarizes
            )
        });
        let only_passes = passes.count() == callers.len();
        if only_passes {
            let outcomes = world.outcomes.lock().unwrap();
            let landed = outcomes
                .iter()
                .filter(|outcome| **outcome == Outcome::Compacted);
            assert_eq!(landed.count(), 1, "exactly one lands: {outcomes:?}");
        }
    })
}

#[test]
fn every_pair_of_callers() {
    let callers = [
        Appends("u4 a4"),
        Compacts,
        PlansAndRebases,
        PlansAndSkips,
        Lands,
        Summarizes,
        Undoes,
        Pins,
        Erases,
    ];
    let mut orders = 0;
    for is_compacted in [false, true] {
        for (at, first) in callers.iter().enumerate() {
            for second in &callers[at..] {
                let second = match second {
                    Appends(_) => Appends("u5 a5"),
                    other => *other,
                };
                orders += race(is_compacted, &[*first, second]);
            }
        }
    }
    assert!(orders > 2_000, "{orders}");
}

#[test]
fn two_passes_and_somebody_who_goes_on_talking() {
    let mut orders = race(false, &[Lands, Lands, Appends("u4 a4")]);
    orders += race(true, &[Lands, Undoes, Appends("u4 a4")]);
    assert!(orders > 500, "{orders}");
}

#[test]
fn a_plan_lands_although_somebody_went_on_talking_unless_told_to_skip() {
    let outcomes_of = |caller| {
        let mut outcomes = BTreeSet::new();
        for_each_interleaving(|schedule| {
            let world = World::new(false);
            schedule.run(vec![world.act(caller), world.act(Appends("u4 a4"))]);
            let ended = world.outcomes.lock().unwrap();
            outcomes.extend(ended.iter().map(|outcome| outcome.as_str()));
        });
        outcomes
    };
    assert_eq!(outcomes_of(PlansAndRebases), BTreeSet::from(["compacted"]));
    assert_eq!(
        outcomes_of(PlansAndSkips),
        BTreeSet::from(["compacted", "stale"])
    );
}

/// What a pass keeps was erased after the pass had looked whether anything was, and before its
/// boundary landed. The sizes that landed with it were those of the words that were gone, and every
/// trigger after it counted them.
#[test]
fn what_is_erased_while_a_pass_lands_is_not_counted_any_more() {
    let mut orders = 0;
    for caller in [Lands, Compacts, PlansAndRebases, Summarizes, Pins] {
        for is_compacted in [false, true] {
            orders += race(is_compacted, &[caller, ErasesKept]);
        }
    }
    assert!(orders > 100, "{orders}");
}
