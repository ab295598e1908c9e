//! Leases: of several processes one makes the summary.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use common::{Characters, block_on, event};
use session::{
    Clock, Compaction, EventType, Expected, Lease, MemoryStore, Outcome, Report, SessionId,
    Sessions, Timestamp, Trigger, View, Window,
};
use session_store_testkit::{BoxFuture, SteppingStore, for_each_interleaving};
use session_summarizer::{Brief, Summarizer, SummarizerError, Summary};

/// Says how often it was asked.
#[derive(Clone, Debug, Default)]
struct Asked(Arc<AtomicUsize>);

#[async_trait::async_trait]
impl Summarizer for Asked {
    async fn summarize(&self, _: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Some(Summary::new("SUM", "asked")?))
    }
}

/// Never answers.
#[derive(Debug)]
struct Hangs;

#[async_trait::async_trait]
impl Summarizer for Hangs {
    async fn summarize(&self, _: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        std::future::pending().await
    }
}

#[derive(Clone, Debug, Default)]
struct Hands(Arc<AtomicI64>);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

struct World {
    store: Arc<MemoryStore>,
    hands: Hands,
    asked: Asked,
    id: SessionId,
}

impl World {
    fn new() -> Self {
        let world = Self {
            store: Arc::new(MemoryStore::new()),
            hands: Hands::default(),
            asked: Asked::default(),
            id: SessionId::new("s").unwrap(),
        };
        block_on(async {
            let sessions = world.process();
            sessions
                .create_as(sessions.describe(world.id.clone()))
                .await
                .unwrap();
            let events = ["u1", "a1", "u2", "a2", "u3", "a3"].map(event).to_vec();
            let appended = sessions
                .append_events(&world.id, Expected::Any, events)
                .await;
            assert!(appended.unwrap().done().is_some());
        });
        world
    }

    fn process(&self) -> Sessions {
        Sessions::new(self.store.clone(), Characters).with_clock(self.hands.clone())
    }

    /// The same, a step at each call to the store.
    fn stepping(&self) -> Sessions {
        let store = SteppingStore::new(self.store.clone());
        Sessions::new(store, Characters).with_clock(self.hands.clone())
    }

    fn compaction(&self) -> Compaction {
        Compaction::builder(Window::Turns(1))
            .when(Trigger::TurnCount(2))
            .summarizer(self.asked.clone())
            .build()
            .unwrap()
    }

    fn pass(&self, holder: &str) -> Report {
        let lease = lease(holder);
        block_on(
            self.process()
                .compact_leased(&self.id, &self.compaction(), &lease),
        )
        .unwrap()
    }
}

fn lease(holder: &str) -> Lease {
    Lease::new(holder, Duration::from_millis(100))
}

#[test]
fn a_pass_takes_the_lease_and_gives_it_back_and_the_view_knows_nothing_of_it() {
    let world = World::new();
    assert_eq!(world.pass("ann").outcome, Outcome::Compacted);
    let sessions = world.process();
    block_on(async {
        let log = sessions.log(&world.id).await.unwrap();
        let leases = log
            .iter()
            .filter(|event| event.event_type() == EventType::LEASE);
        assert_eq!(leases.count(), 2);
        let view = sessions.view(&world.id).await.unwrap();
        assert_eq!(common::names(&view), "prompt summary u3 a3");
        assert_eq!(view, View::fold(log));
        let more = ["u4", "a4", "u5"].map(event).to_vec();
        let _ = sessions
            .append_events(&world.id, Expected::Any, more)
            .await
            .unwrap();
    });
    assert_eq!(
        world.pass("bob").outcome,
        Outcome::Compacted,
        "it was given back"
    );
}

#[test]
fn when_the_trigger_does_not_fire_no_lease_is_taken() {
    let world = World::new();
    world.pass("ann");
    let before = block_on(world.process().log(&world.id)).unwrap().len();
    assert_eq!(world.pass("ann").outcome, Outcome::NotTriggered);
    assert_eq!(
        block_on(world.process().log(&world.id)).unwrap().len(),
        before
    );
}

/// After one erasure, or with counters nobody knew, each call took a lease and gave it back although
/// there was nothing to do: the log grew by two events a turn.
#[test]
fn a_session_of_which_something_was_erased_takes_no_lease_either() {
    let world = World::new();
    world.pass("ann");
    let sessions = world.process();
    block_on(async {
        let erased = common::id("a3");
        sessions.erase(&world.id, &erased).await.unwrap();
        sessions.pin(&world.id, &erased).await.unwrap();
    });
    let before = block_on(sessions.log(&world.id)).unwrap().len();
    for _ in 0..2 {
        assert_eq!(world.pass("ann").outcome, Outcome::NotTriggered);
        assert_eq!(block_on(sessions.log(&world.id)).unwrap().len(), before);
    }
    // What is hidden was erased: now there is something to do.
    block_on(sessions.erase(&world.id, &common::id("a1"))).unwrap();
    assert_eq!(world.pass("ann").outcome, Outcome::Compacted);
}

#[test]
fn of_two_processes_one_pays_in_every_order() {
    let mut ends = std::collections::BTreeSet::new();
    let orders = for_each_interleaving(|schedule| {
        let world = World::new();
        let reports = std::sync::Mutex::new(Vec::new());
        let act = |holder: &'static str| {
            let (world, reports) = (&world, &reports);
            let act: BoxFuture<'_> = Box::pin(async move {
                let sessions = world.stepping();
                let compaction = world.compaction();
                let report = sessions
                    .compact_leased(&world.id, &compaction, &lease(holder))
                    .await;
                reports.lock().unwrap().push(report.unwrap());
            });
            act
        };
        schedule.run(vec![act("ann"), act("bob")]);
        assert_eq!(
            world.asked.0.load(Ordering::SeqCst),
            1,
            "one summary is paid for"
        );
        let reports = reports.lock().unwrap();
        let landed = reports
            .iter()
            .filter(|report| report.outcome == Outcome::Compacted);
        assert_eq!(landed.count(), 1);
        for report in reports.iter() {
            ends.insert(report.reason().unwrap_or("compacted").to_owned());
        }
    });
    assert!(orders > 100, "{orders}");
    assert!(ends.contains("leased"), "{ends:?}");
}

#[test]
fn a_lease_whose_holder_died_runs_out() {
    let world = World::new();
    // A summarizer that never answers, and a process that is gone.
    let compaction = Compaction::builder(Window::Turns(1))
        .summarizer(Hangs)
        .build()
        .unwrap();
    let sessions = world.process();
    let ann = lease("ann");
    let mut pass = Box::pin(sessions.compact_leased(&world.id, &compaction, &ann));
    let waker = std::task::Waker::noop();
    let polled = pass
        .as_mut()
        .poll(&mut std::task::Context::from_waker(waker));
    assert!(polled.is_pending());
    drop(pass);

    let report = world.pass("bob");
    assert_eq!(
        (report.outcome, report.reason()),
        (Outcome::Declined, Some("leased"))
    );
    assert_eq!(world.asked.0.load(Ordering::SeqCst), 0, "nobody was asked");
    world.hands.0.store(100, Ordering::SeqCst);
    assert_eq!(world.pass("bob").outcome, Outcome::Compacted);
}
