//! The built-in strategies under the laws, and claims that are not true.

use compaction_core::{
    Entry, RecursiveSummarization, SlidingWindow, Strategy, TokenCount, TurnWindow, View, Window,
};
use compaction_testkit::laws;
use compaction_testkit::laws::{hold_budget, hold_idempotent, hold_monotone};

const TOKENS: Window = Window::Tokens {
    budget: 30,
    reserve: 5,
};

fn tokens(budget: usize) -> Window {
    Window::Tokens {
        budget: budget as u64 * 4,
        reserve: 3,
    }
}

laws!(
    events,
    Window::Events(3),
    monotone = Window::Events,
    idempotent = 100
);
laws!(
    turns,
    Window::Turns(2),
    monotone = Window::Turns,
    idempotent = 100
);
laws!(
    budget,
    TOKENS,
    monotone = tokens,
    budget = (30, 5),
    idempotent = 5
);
laws!(
    sliding_window,
    SlidingWindow { max_events: 3 },
    monotone = |max_events| SlidingWindow { max_events },
    idempotent = 100,
);
laws!(
    turn_window,
    TurnWindow { max_turns: 2 },
    monotone = |max_turns| TurnWindow { max_turns },
    idempotent = 100,
);
laws!(
    token_count,
    TokenCount { max_tokens: 20 },
    monotone = |size| TokenCount {
        max_tokens: size as u64 * 4
    },
    budget = (20, 0),
    idempotent = 0,
);
laws!(
    recursive_summarization,
    RecursiveSummarization {
        max_events_to_keep: 3,
        overlap_size: 1
    },
    idempotent = 100,
);

/// Keeps what it proposes, whatever that is.
struct At(usize);

impl<E: Entry> Strategy<E> for At {
    fn keep_from(&self, _: &View<'_, E>) -> usize {
        self.0
    }
}

laws!(keep_all, At(0));
laws!(keep_least, At(usize::MAX));
laws!(middle, At(3));

#[test]
#[should_panic(expected = "law 9, monotone: a plain pass over")]
fn a_family_that_keeps_less_of_more_is_not_monotone() {
    hold_monotone(&At);
}

#[test]
#[should_panic(expected = "law 10, budget: a plain pass over")]
fn keeping_all_exceeds_a_budget() {
    hold_budget(&At(0), 2, 0);
}

#[test]
#[should_panic(expected = "law 11, idempotent: a plain pass over")]
fn keeping_half_is_not_idempotent() {
    struct Half;
    impl<E: Entry> Strategy<E> for Half {
        fn keep_from(&self, view: &View<'_, E>) -> usize {
            view.entries().len() / 2
        }
    }
    hold_idempotent(&Half, 0);
}
