//! Any sequence of operations: the view is the fold of the log, only what a pass reported has left
//! it, undoing restores it exactly, and a fork leaves its parent alone.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::{Always, World, block_on, id, names};
use proptest::prelude::*;
use session::{
    Clearing, Compaction, Event, EventId, EventType, Grain, Message, Outcome, Seq, SessionId, View,
    Window,
};

#[derive(Clone, Debug)]
enum Op {
    /// A person's message, and so many steps of call and result.
    Turn(usize),
    /// A system message.
    System,
    Compact(Window, Grain, bool),
    Clear,
    CompactAndUndo(Window),
    Undo,
    Redo,
    Pin(prop::sample::Index),
    Unpin(prop::sample::Index),
    Erase(prop::sample::Index),
    Fork,
}

fn op() -> impl Strategy<Value = Op> {
    let window = || {
        prop_oneof![
            (1_usize..8).prop_map(Window::Events),
            (1_usize..4).prop_map(Window::Turns),
            (20_u64..200).prop_map(|budget| Window::Tokens { budget, reserve: 0 }),
        ]
    };
    let grain = prop_oneof![Just(Grain::Turn), Just(Grain::Step)];
    let which = any::<prop::sample::Index>;
    prop_oneof![
        6 => (0_usize..4).prop_map(Op::Turn),
        1 => Just(Op::System),
        4 => (window(), grain, any::<bool>()).prop_map(|(w, g, s)| Op::Compact(w, g, s)),
        1 => Just(Op::Clear),
        2 => window().prop_map(Op::CompactAndUndo),
        2 => Just(Op::Undo),
        2 => Just(Op::Redo),
        1 => which().prop_map(Op::Pin),
        1 => which().prop_map(Op::Unpin),
        1 => which().prop_map(Op::Erase),
        1 => Just(Op::Fork),
    ]
}

/// A session, and what was reported of it so far.
struct Told {
    world: World,
    next: usize,
    /// Events that some pass said leave the view.
    left: BTreeSet<EventId>,
    pinned: BTreeSet<EventId>,
}

impl Told {
    async fn new() -> Self {
        Self {
            world: World::new().await,
            next: 1,
            left: BTreeSet::new(),
            pinned: BTreeSet::new(),
        }
    }

    async fn log(&self) -> Vec<Arc<Event>> {
        self.world.sessions.log(&self.world.id).await.unwrap()
    }

    async fn view(&self) -> View {
        self.world.sessions.view(&self.world.id).await.unwrap()
    }

    async fn say(&mut self, kind: &str) {
        let name = format!("{kind}{}", self.next);
        self.world.append(&name).await;
    }

    async fn compact(&mut self, builder: session::CompactionBuilder) -> bool {
        let report = self.world.compact(&builder.build().unwrap()).await;
        self.left.extend(report.covered.iter().cloned());
        self.left.extend(report.superseded.iter().cloned());
        report.outcome == Outcome::Compacted
    }

    /// A message of the conversation that can be pinned.
    async fn some(&self, index: &prop::sample::Index) -> Option<EventId> {
        let log = self.log().await;
        let said: Vec<_> = log
            .iter()
            .filter(|event| event.id.as_str().starts_with(['u', 'a', 'c', 't']))
            .collect();
        (!said.is_empty()).then(|| index.get(&said).id.clone())
    }

    async fn run(&mut self, op: &Op) {
        let (sessions, session) = (self.world.sessions.clone(), self.world.id.clone());
        match op {
            Op::Turn(steps) => {
                self.say("u").await;
                for _ in 0..*steps {
                    self.say("c").await;
                    self.say("t").await;
                    self.next += 1;
                }
                self.say("a").await;
                self.next += 1;
            }
            Op::System => {
                self.say("s").await;
                self.next += 1;
            }
            Op::Compact(window, grain, summarizes) => {
                let builder = Compaction::builder(*window).grain(*grain);
                let builder = match summarizes {
                    true => builder.summarizer(Always("S")),
                    false => builder,
                };
                self.compact(builder).await;
            }
            Op::Clear => {
                let clearing = Clearing {
                    keep_last: 1,
                    larger_than: 0,
                };
                let window = Compaction::builder(Window::Turns(3)).clear_results(clearing);
                self.compact(window).await;
            }
            Op::CompactAndUndo(window) => {
                let before = self.view().await;
                if self.compact(Compaction::builder(*window)).await {
                    let landed = self.view().await;
                    sessions.undo(&session).await.unwrap();
                    let restored = self.view().await;
                    assert_eq!(names(&restored), names(&before), "undone");
                    assert!(restored.messages().eq(before.messages()));
                    sessions.redo(&session).await.unwrap();
                    let again = self.view().await;
                    assert_eq!(names(&again), names(&landed), "done again");
                    assert!(again.messages().eq(landed.messages()));
                }
            }
            Op::Undo => {
                sessions.undo(&session).await.unwrap();
            }
            Op::Redo => {
                sessions.redo(&session).await.unwrap();
            }
            Op::Pin(index) => {
                if let Some(event) = self.some(index).await {
                    sessions.pin(&session, &event).await.unwrap();
                    self.pinned.insert(event);
                }
            }
            Op::Unpin(index) => {
                if let Some(event) = self.some(index).await {
                    let before = self.view().await;
                    sessions.unpin(&session, &event).await.unwrap();
                    let after = self.view().await;
                    // What was pinned along with it is released too. It may leave now, or when a
                    // boundary counts again that had kept it for the pin's sake.
                    let log = self.log().await;
                    let of = |held: &BTreeSet<Seq>| -> BTreeSet<EventId> {
                        let held = log.iter().filter(|event| held.contains(&event.seq));
                        held.map(|event| event.id.clone()).collect()
                    };
                    let held = of(after.held());
                    self.left
                        .extend(of(before.held()).difference(&held).cloned());
                    assert!(!held.contains(&event));
                    self.pinned.retain(|event| held.contains(event));
                }
            }
            Op::Erase(index) => {
                if let Some(event) = self.some(index).await {
                    sessions.erase(&session, &event).await.unwrap();
                }
            }
            Op::Fork => self.fork().await,
        }
    }

    async fn fork(&self) {
        let sessions = &self.world.sessions;
        let before = self.log().await;
        let found = sessions.find(&self.world.id).await.unwrap().unwrap();
        let into = SessionId::new(format!("fork-{}", before.len())).unwrap();
        if sessions.find(&into).await.unwrap().is_some() {
            return;
        }
        let into = sessions.describe(into);
        let fork = sessions
            .fork(&self.world.id, found.head.version, into)
            .await
            .unwrap();
        let forked = sessions.view(&fork.id).await.unwrap();
        assert!(forked.messages().eq(self.view().await.messages()));
        let more = Message::user("only in the fork");
        sessions.append(&fork.id, more).await.unwrap();
        assert_eq!(self.log().await, before, "the parent is as it was");
    }

    async fn check(&self) {
        let log = self.log().await;
        let view = self.view().await;
        assert_eq!(
            view,
            View::fold(log.iter().cloned()),
            "the view is the fold"
        );
        assert!(view.missing().is_empty());

        let shown: BTreeSet<_> = view.events().iter().map(|event| &event.id).collect();
        assert_eq!(shown.len(), view.events().len(), "nothing is shown twice");
        for event in &log {
            let is_said = event.event_type() == EventType::MESSAGE && !event.origin.is_synthetic();
            if is_said && !shown.contains(&event.id) {
                assert!(
                    self.left.contains(&event.id),
                    "{} left unreported",
                    event.id
                );
            }
        }
        for event in &self.pinned {
            assert!(shown.contains(event), "{event} is pinned");
        }
        if let Some(newest) = log
            .iter()
            .rev()
            .find(|event| event.id.as_str().starts_with('u'))
        {
            assert!(shown.contains(&newest.id), "the newest turn stays");
        }
        self.check_pairs(&log, &view);
    }

    /// A call and its result are both shown or both not.
    fn check_pairs(&self, log: &[Arc<Event>], view: &View) {
        let shown: BTreeSet<_> = view.events().iter().map(|event| &event.id).collect();
        for event in log
            .iter()
            .filter(|event| event.id.as_str().starts_with('c'))
        {
            let result = id(&event.id.as_str().replacen('c', "t", 1));
            assert_eq!(
                shown.contains(&event.id),
                shown.contains(&result),
                "{} and its result are parted in {}",
                event.id,
                names(view)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_operations(ops in prop::collection::vec(op(), 1..30)) {
        block_on(async {
            let mut told = Told::new().await;
            for op in &ops {
                told.run(op).await;
                told.check().await;
            }
            // Earlier views are those the log gives up to there. Between a boundary and its summary,
            // which are one batch, the log gives only a part; there the service shows the whole.
            let log = told.log().await;
            for version in 0..=log.len() as u64 {
                let at = session::Version::new(version);
                let then = told.world.sessions.view_at(&told.world.id, at).await.unwrap();
                let length = usize::try_from(version).unwrap();
                let fold = View::fold(log[..length].iter().cloned());
                assert!(then.missing().is_empty());
                if fold.missing().is_empty() {
                    assert_eq!(then, fold, "{version}");
                }
            }
        });
    }
}
