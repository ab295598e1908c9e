//! How often an outline asks the allocator for memory, from a thousand entries to a million.

use std::alloc::System;
use std::hint::black_box;

use compaction_core::{EntryKind, Outcome, Outline, Progress, Summarize, View, Window, compact};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    println!("| entries | build | push each | plan of a token window |");
    println!("|---:|---:|---:|---:|");
    let window = Window::Tokens {
        budget: 4_000,
        reserve: 0,
    };
    for length in [1_000, 10_000, 100_000, 1_000_000] {
        let kinds: Vec<EntryKind> = (0..length).map(kind).collect();
        let build = allocations(|| Outline::of(&kinds, |_| 40));
        let push = allocations(|| {
            let mut outline = Outline::new();
            kinds.iter().for_each(|kind| outline.push(*kind, 40));
            outline
        });
        let outline = Outline::of(&kinds, |_| 40);
        let view = View::new(&kinds, &outline);
        let plan = allocations(|| match compact(&view, &window, Summarize::No) {
            Progress::Done(Outcome::Compacted(plan)) => plan,
            _ => panic!("the conversation is over the budget"),
        });
        println!("| {length} | {build} | {push} | {plan} |");
    }
}

/// A turn of six entries: a question, two calls with their results, and the answer.
fn kind(position: usize) -> EntryKind {
    match position % 6 {
        0 => EntryKind::TurnStart,
        1 | 3 => EntryKind::StepStart,
        _ => EntryKind::Continuation,
    }
}

/// How often `run` asks for memory, or for more of it.
fn allocations<T>(run: impl FnOnce() -> T) -> usize {
    let region = Region::new(ALLOCATOR);
    black_box(run());
    let change = region.change();
    change.allocations + change.reallocations
}
