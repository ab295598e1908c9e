//! Whatever is appended and however often it is compacted, the view is what the plans said.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use compaction_core::{
    Entry, EntryKind, Outcome, Policy, Progress, Strategy, Summarize, SummaryReply,
    View as CoreView, Window, compact,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use session_log::{
    Event, EventBody, EventId, Json, Message, NewEvent, Origin, Pin, Receipt, Revert, Seq,
    Timestamp, ToolCall, View, ViewQuery, boundary_of, live_boundary,
};

#[derive(Clone, Debug)]
enum Step {
    Append(Kind),
    Compact(Window, Summarize, bool),
    Revert(usize),
    Pin(usize, bool),
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    System,
    User,
    Assistant,
    Call,
    Result,
    Injected,
    ImportedSummary,
    Custom,
}

/// A window under one of the two designs.
struct Under(Window, Policy);

impl Strategy<Arc<Event>> for Under {
    fn keep_from(&self, view: &CoreView<'_, Arc<Event>>) -> usize {
        self.0.keep_from(view)
    }

    fn policy(&self) -> Policy {
        self.1
    }
}

#[derive(Default)]
struct Log(Vec<Arc<Event>>);

impl Log {
    fn next(&self) -> Seq {
        Seq::new(self.0.len() as u64 + 1).unwrap()
    }

    fn append(&mut self, body: EventBody, origin: Origin) -> EventId {
        let seq = self.next();
        let id = EventId::new(format!("e{seq}")).unwrap();
        let event = NewEvent::new(id.clone(), Timestamp::from_millis(0), body).with_origin(origin);
        self.0.push(Arc::new(event.at(seq)));
        id
    }

    fn view(&self) -> View {
        View::fold(self.0.iter().cloned())
    }

    fn append_kind(&mut self, kind: Kind) {
        let summary = Origin::Summary { boundary: None };
        let (message, origin) = match kind {
            Kind::System => (Message::system("s"), Origin::Real),
            Kind::User => (Message::user("u"), Origin::Real),
            Kind::Assistant => (Message::assistant("a"), Origin::Real),
            Kind::Call => (
                Message::tool_calls([ToolCall::new("k", "tool", "{}")]),
                Origin::Real,
            ),
            Kind::Result => (Message::tool_result("k", "r"), Origin::Real),
            Kind::Injected => (Message::user("reminder"), Origin::Injected),
            Kind::ImportedSummary => (Message::assistant("before"), summary),
            Kind::Custom => {
                let event_type = session_log::EventType::new("ACME.NOTE").unwrap();
                let payload = Json::null();
                self.append(
                    EventBody::Custom {
                        event_type,
                        payload,
                    },
                    Origin::Real,
                );
                return;
            }
        };
        self.append(EventBody::Message(message), origin);
    }

    /// One pass; returns the ids the view must show afterwards.
    fn compact(&mut self, strategy: &Under, summarize: Summarize) -> Vec<String> {
        let view = self.view();
        let outline = view.outline(|_| 10);
        let core = CoreView::new(view.events(), &outline);
        let outcome = match compact(&core, strategy, summarize) {
            Progress::Done(outcome) => outcome,
            Progress::NeedsSummary(pending) => match pending.resume(SummaryReply::Provided) {
                Progress::Done(outcome) => outcome,
                Progress::NeedsSummary(_) => panic!("asked twice"),
            },
        };
        let Outcome::Compacted(plan) = outcome else {
            return ids(&view);
        };
        let at = self.next();
        let summary: Vec<_> = if plan.is_summarized() {
            [1, 2]
                .map(|offset| EventId::new(format!("e{}", at.plus(offset))).unwrap())
                .into()
        } else {
            Vec::new()
        };
        let receipt = Receipt::new(Json::null(), Json::null(), "tens");
        let boundary = boundary_of(&view, &plan, summary.clone(), receipt);
        let id = self.append(EventBody::Compaction(Box::new(boundary)), Origin::Real);
        for _ in &summary {
            let origin = Origin::Summary {
                boundary: Some(id.clone()),
            };
            self.append(EventBody::Message(Message::assistant("summary")), origin);
        }
        let name = |at: usize| view.events()[at].id.to_string();
        let lead = view.lead();
        let (front, tail): (Vec<_>, Vec<_>) = plan.kept().iter().partition(|at| *at < lead);
        plan.pinned()
            .iter()
            .copied()
            .chain(front)
            .map(name)
            .chain(summary.iter().map(ToString::to_string))
            .chain(tail.into_iter().map(name))
            .collect()
    }
}

fn is_conversation(event: &Event) -> bool {
    event.as_message().is_some() && !matches!(event.kind(), EntryKind::System | EntryKind::Summary)
}

fn ids(view: &View) -> Vec<String> {
    view.events()
        .iter()
        .map(|event| event.id.to_string())
        .collect()
}

/// What a store would give for the query: it reads nothing but what is asked.
fn read(log: &Log, query: &ViewQuery) -> Vec<Arc<Event>> {
    log.0
        .iter()
        .filter(|event| event.seq >= query.from || query.seqs.contains(&event.seq))
        .cloned()
        .collect()
}

fn step() -> impl proptest::strategy::Strategy<Value = Step> {
    let kind = prop_oneof![
        1 => Just(Kind::System),
        4 => Just(Kind::User),
        3 => Just(Kind::Assistant),
        2 => Just(Kind::Call),
        2 => Just(Kind::Result),
        1 => Just(Kind::Injected),
        1 => Just(Kind::ImportedSummary),
        1 => Just(Kind::Custom),
    ];
    let window = prop_oneof![
        (0..6usize).prop_map(Window::Events),
        (0..4usize).prop_map(Window::Turns),
        (0..90u64, 0..20u64).prop_map(|(budget, reserve)| Window::Tokens { budget, reserve }),
    ];
    let summarize = prop_oneof![
        Just(Summarize::No),
        (0..3usize).prop_map(Summarize::WithOverlap)
    ];
    prop_oneof![
        6 => kind.prop_map(Step::Append),
        2 => (window, summarize, any::<bool>()).prop_map(|(w, s, p)| Step::Compact(w, s, p)),
        1 => any::<usize>().prop_map(Step::Revert),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(which, held)| Step::Pin(which, held)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_view_is_what_the_plans_said(steps in prop::collection::vec(step(), 0..40)) {
        let mut log = Log::default();
        for step in steps {
            match step {
                Step::Append(kind) => {
                    let before = ids(&log.view());
                    log.append_kind(kind);
                    let after = ids(&log.view());
                    prop_assert!(after.starts_with(&before), "appends only add behind");
                }
                Step::Compact(window, summarize, is_older) => {
                    let policy = if is_older { Policy::ARCHIVE } else { Policy::WINDOW };
                    let expected = log.compact(&Under(window, policy), summarize);
                    prop_assert_eq!(ids(&log.view()), expected);
                }
                Step::Pin(which, is_held) => {
                    let real: Vec<_> = log
                        .0
                        .iter()
                        .filter(|event| is_conversation(event))
                        .map(|event| event.seq)
                        .collect();
                    if let Some(of) = real.get(which % real.len().max(1)) {
                        let pin = if is_held { Pin::hold(*of) } else { Pin::release(*of) };
                        let before = ids(&log.view());
                        log.append(EventBody::Pin(pin), Origin::Real);
                        let after = log.view();
                        let name = format!("e{of}");
                        let kept: Vec<_> = before.iter().filter(|id| **id != name).collect();
                        let left: Vec<_> = ids(&after).into_iter().filter(|id| *id != name).collect();
                        prop_assert_eq!(left.iter().collect::<Vec<_>>(), kept);
                    }
                }
                Step::Revert(which) => {
                    let candidates: Vec<_> = log
                        .0
                        .iter()
                        .filter(|event| {
                            matches!(event.body, EventBody::Compaction(_) | EventBody::Revert(_))
                        })
                        .map(|event| event.seq)
                        .collect();
                    if let Some(of) = candidates.get(which % candidates.len().max(1)) {
                        let before = ids(&log.view());
                        let taken_back = log.append(EventBody::Revert(Revert::new(*of)), Origin::Real);
                        let again = log.0.iter().find(|event| event.id == taken_back).unwrap().seq;
                        let mut undone = Log(log.0.clone());
                        undone.append(EventBody::Revert(Revert::new(again)), Origin::Real);
                        prop_assert_eq!(ids(&undone.view()), before, "a revert can be reverted");
                    }
                }
            }
            let view = log.view();
            for seq in view.held() {
                prop_assert!(
                    view.events().iter().any(|event| event.seq == *seq),
                    "what is pinned is in every view"
                );
            }
            let live = live_boundary(log.0.iter().map(Arc::as_ref));
            let boundary = live.map(|event| Arc::new(event.clone()));
            let mut query = ViewQuery::of(live);
            let mut loaded =
                View::assemble(view.version(), boundary.clone(), read(&log, &query));
            if !loaded.missing().is_empty() {
                query.seqs.extend_from_slice(loaded.missing());
                loaded = View::assemble(view.version(), boundary, read(&log, &query));
            }
            prop_assert_eq!(&loaded, &view, "what the query asks for is enough");
            prop_assert!(view.missing().is_empty());
            let shown: BTreeSet<_> = ids(&view).into_iter().collect();
            prop_assert_eq!(shown.len(), view.events().len(), "no event is shown twice");
        }
    }
}
