//! Entries and strategies behind pointers are the entries and strategies they point to.
#![allow(clippy::unwrap_used, reason = "a test says what broke by panicking")]

use std::sync::Arc;

use compaction_core::{
    Clearing, Entry, Grain, Outline, RecursiveSummarization, SlidingWindow, Strategy, Summarize,
    TokenCount, TokenEstimator, TurnWindow, View, Window, compact, pairs,
};
use compaction_testkit::{Log, Note, Pass};

const LOG: &str = "p1 s1 u1 c1[k1] t1(k1) | s2 u2 c2[k2,k3] t2(k3) c3[k4] t3(k4)";

/// What the core makes of entries of any type.
fn everything<E: Entry>(entries: &[E]) -> String {
    let outline = Outline::of(entries, |_| 3);
    let view = View::new(entries, &outline).with_grain(Grain::Step);
    let plan = compact(&view, &Window::Events(2), Summarize::WithOverlap(1));
    let clearing = Clearing {
        keep_last: 0,
        larger_than: 0,
    };
    let cleared = clearing.positions(&view);
    format!("{outline:?} {plan:?} {cleared} {:?}", pairs(entries))
}

#[test]
fn entries_behind_pointers() {
    let log: Log = LOG.parse().unwrap();
    let expected = everything(log.notes());
    let borrowed: Vec<&Note> = log.notes().iter().collect();
    let boxed: Vec<Box<Note>> = log.notes().iter().cloned().map(Box::new).collect();
    let shared: Vec<Arc<Note>> = log.notes().iter().cloned().map(Arc::new).collect();
    let dynamic: Vec<Box<dyn Entry>> = log
        .notes()
        .iter()
        .map(|note| Box::new(note.clone()) as Box<dyn Entry>)
        .collect();
    assert_eq!(everything(&borrowed), expected);
    assert_eq!(everything(&boxed), expected);
    assert_eq!(everything(&shared), expected);
    assert_eq!(everything(&dynamic), expected);
}

#[track_caller]
fn same(strategy: impl Strategy<Note> + Clone + 'static) {
    let expected = Pass::of(strategy.clone()).describe(LOG);
    assert_eq!(Pass::of(&strategy).describe(LOG), expected);
    let boxed: Box<dyn Strategy<Note>> = Box::new(strategy.clone());
    assert_eq!(Pass::of(&boxed).describe(LOG), expected);
    assert_eq!(Pass::of(boxed).describe(LOG), expected);
    let dynamic: &dyn Strategy<Note> = &strategy;
    assert_eq!(Pass::of(dynamic).describe(LOG), expected);
}

#[test]
fn strategies_behind_pointers_keep_their_policy() {
    same(Window::Events(2));
    same(SlidingWindow { max_events: 2 });
    same(TurnWindow { max_turns: 1 });
    same(TokenCount { max_tokens: 2 });
    same(RecursiveSummarization {
        max_events_to_keep: 2,
        overlap_size: 1,
    });
}

#[test]
fn estimators_behind_pointers() {
    struct Letters;
    impl TokenEstimator for Letters {
        fn name(&self) -> &str {
            "letters"
        }
        fn estimate(&self, text: &str) -> u64 {
            text.len() as u64
        }
    }
    fn ask(estimator: impl TokenEstimator) -> (String, u64) {
        (estimator.name().to_owned(), estimator.estimate("four"))
    }
    let expected = ("letters".to_owned(), 4);
    assert_eq!(ask(&Letters), expected);
    assert_eq!(ask(Box::new(Letters)), expected);
    assert_eq!(ask(Arc::new(Letters)), expected);
    assert_eq!(ask(Box::new(Letters) as Box<dyn TokenEstimator>), expected);
}

#[test]
fn strategies_say_what_they_are() {
    let window = |budget, reserve| Window::Tokens { budget, reserve };
    assert_eq!(Window::Events(3).to_string(), "the last 3 events");
    assert_eq!(Window::Turns(2).to_string(), "the last 2 turns");
    assert_eq!(window(9, 0).to_string(), "9 tokens");
    assert_eq!(window(9, 2).to_string(), "9 tokens, 2 of them in reserve");
    let named = [
        SlidingWindow::default().to_string(),
        TurnWindow::default().to_string(),
        TokenCount::default().to_string(),
        RecursiveSummarization::default().to_string(),
    ];
    let expected = [
        "sliding window of 20 events",
        "turn window of 10 turns",
        "token count of 4000 tokens",
        "recursive summarization, 10 events kept, overlap of 2",
    ];
    assert_eq!(named, expected);
}
