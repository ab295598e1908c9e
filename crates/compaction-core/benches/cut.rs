//! What the cut costs, from a thousand entries to a million, in one table.
//!
//! Times are of this machine and this run; read them as ratios. What has to hold is the growth:
//! a plan over an outline that exists must not depend on the length, building one must be linear.

#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "a bench prints a table"
)]

use std::hint::black_box;
use std::time::Instant;

use compaction_core::{EntryKind, Outline, Strategy, Summarize, View, Window, compact};

fn main() {
    let window = Window::Tokens {
        budget: 4_000,
        reserve: 0,
    };
    println!("a token window of 4,000 over turns of six entries of 40 tokens; times in ns");
    println!("| entries | build, an entry | push, an entry | place the window | whole plan |");
    println!("|---:|---:|---:|---:|---:|");
    for length in [1_000, 10_000, 100_000, 1_000_000] {
        let kinds: Vec<EntryKind> = (0..length).map(kind).collect();
        let build = nanos(10_000_000 / length, || Outline::of(&kinds, |_| 40));
        let push = nanos(10_000_000 / length, || {
            let mut outline = Outline::new();
            for kind in &kinds {
                outline.push(*kind, 40);
            }
            outline
        });
        let outline = Outline::of(&kinds, |_| 40);
        let view = View::new(&kinds, &outline);
        let place = nanos(1_000_000, || window.keep_from(black_box(&view)));
        let plan = nanos(200_000, || {
            compact(black_box(&view), &window, Summarize::No)
        });
        println!(
            "| {length} | {:.1} | {:.1} | {place:.0} | {plan:.0} |",
            build / length as f64,
            push / length as f64,
        );
    }
}

fn kind(position: usize) -> EntryKind {
    match position % 6 {
        0 => EntryKind::TurnStart,
        1 | 3 => EntryKind::StepStart,
        _ => EntryKind::Continuation,
    }
}

/// The time of one run, the best of three rounds of `repeats`.
fn nanos<T>(repeats: usize, mut run: impl FnMut() -> T) -> f64 {
    let round = |run: &mut dyn FnMut() -> T| {
        let started = Instant::now();
        for _ in 0..repeats {
            black_box(run());
        }
        started.elapsed().as_nanos() as f64 / repeats as f64
    };
    (0..3)
        .map(|_| round(&mut run))
        .fold(f64::INFINITY, f64::min)
}
