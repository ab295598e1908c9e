//! What this project does to cut the conversation.

use std::hint::black_box;
use std::sync::Arc;
use std::thread;

use compaction_core::{
    Entry as _, EntryKind, Grain, Outcome, Outline, Progress, Summarize, View, Window, compact,
};
use compaction_tokens::{Encoding, Tiktoken};
use cpu_time::ThreadTime;
use session_log::{Event, LineFormat, message_tokens};

use crate::data::Conversation;
use crate::line::{Peer, median};

const fn ours(name: &'static str) -> Peer {
    Peer {
        name,
        version: "this tree",
    }
}

const KEPT_UP: Peer = ours("ours, outline kept up to date");
const SCRATCH: Peer = ours("ours, outline from scratch");
const FLAT: Peer = ours("ours, the same, kinds and counts at hand in arrays");
const FOLDED: Peer = ours("ours, the same, view folded from the log");
const COUNTED: Peer = ours("ours, every text counted (o200k_base)");
const TURNS: Peer = ours("ours, between turns");
const STEPS: Peer = ours("ours, also at a step of the newest turn");

const ROUNDS: usize = 11;

pub fn measure(conversation: &Conversation, events: &[Arc<Event>]) {
    let cutter = Cutter {
        window: Window::Tokens {
            budget: conversation.budget,
            reserve: 0,
        },
        grain: Grain::Turn,
    };
    for size in &conversation.sizes {
        let events = &events[..*size];
        KEPT_UP.cut(*size, kept_up(&cutter, events));
        let scratch = || cutter.cut(events, &outline(events)).len();
        SCRATCH.cut(*size, repeated(*size, scratch));
        let kinds: Vec<EntryKind> = events.iter().map(|event| event.kind()).collect();
        let counts: Vec<u64> = events.iter().map(|event| tokens(event)).collect();
        let flat = || {
            let mut counts = counts.iter().copied();
            let outline = Outline::of(&kinds, |_| counts.next().unwrap_or_default());
            cutter.cut(events, &outline).len()
        };
        FLAT.cut(*size, repeated(*size, flat));
        let folded = || {
            let view = session_log::View::fold(events.iter().cloned());
            let outline = view.outline(tokens);
            cutter.cut(view.events(), &outline).len()
        };
        FOLDED.cut(*size, repeated(*size, folded));
        COUNTED.cut(*size, counted(&cutter, events));
    }
    let kept = |cutter: Cutter| {
        let moments = conversation.moments.iter();
        let kept = moments.map(|moment| (*moment, cutter.kept(&events[..*moment])));
        kept.collect()
    };
    TURNS.kept(kept(cutter));
    let grain = Grain::Step;
    STEPS.kept(kept(Cutter { grain, ..cutter }));
}

#[derive(Clone, Copy)]
struct Cutter {
    window: Window,
    grain: Grain,
}

impl Cutter {
    /// The events of the view after a pass, as they would be shown to a model.
    fn cut(&self, events: &[Arc<Event>], outline: &Outline) -> Vec<Arc<Event>> {
        let view = View::new(events, outline).with_grain(self.grain);
        match compact(&view, &self.window, Summarize::No) {
            Progress::Done(Outcome::Compacted(plan)) => {
                let order = plan.view_order();
                order.map(|at| Arc::clone(&events[at])).collect()
            }
            _ => events.to_vec(),
        }
    }

    fn kept(&self, events: &[Arc<Event>]) -> Vec<usize> {
        let view = self.cut(events, &outline(events));
        let place = |event: &Arc<Event>| event.seq.as_u64() as usize - 1;
        view.iter().map(place).collect()
    }
}

fn outline(events: &[Arc<Event>]) -> Outline {
    Outline::of(events, |event| tokens(event))
}

fn tokens(event: &Event) -> u64 {
    event.tokens.as_ref().map_or(0, |count| count.tokens)
}

/// An event more and a cut, for each of the last thousand events.
fn kept_up(cutter: &Cutter, events: &[Arc<Event>]) -> f64 {
    let last = (events.len() / 2).min(1_000);
    let from = events.len() - last;
    let before = outline(&events[..from]);
    let round = |_| {
        let mut outline = before.clone();
        let begin = ThreadTime::now();
        for at in from..events.len() {
            outline.push(events[at].kind(), tokens(&events[at]));
            black_box(cutter.cut(&events[..=at], &outline));
        }
        begin.elapsed().as_secs_f64() / last as f64
    };
    median((0..ROUNDS).map(round).collect())
}

/// The time of one run of what takes a time in proportion to the size.
fn repeated(size: usize, run: impl Fn() -> usize) -> f64 {
    let repeats = 200_000 / size;
    let round = |_| {
        let begin = ThreadTime::now();
        for _ in 0..repeats {
            black_box(run());
        }
        begin.elapsed().as_secs_f64() / repeats as f64
    };
    median((0..ROUNDS).map(round).collect())
}

/// Everything counted on a thread that has counted nothing yet; the vocabulary is loaded.
fn counted(cutter: &Cutter, events: &[Arc<Event>]) -> f64 {
    let counter = Tiktoken::new(Encoding::O200kBase);
    let run = || {
        let begin = ThreadTime::now();
        let cost = |event: &Arc<Event>| match event.as_message() {
            Some(message) => message_tokens(message, &LineFormat, &counter),
            None => 0,
        };
        let outline = Outline::of(events, cost);
        black_box(cutter.cut(events, &outline));
        begin.elapsed().as_secs_f64()
    };
    let round = |_| thread::scope(|scope| scope.spawn(run).join().unwrap());
    median((0..5).map(round).collect())
}
