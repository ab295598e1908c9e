//! Does one piece of work on so many entries, for a counter of instructions to watch.
//!
//! `cargo xtask bench instructions` runs it under Valgrind, which counts what happens inside
//! [`measured`] alone, and checks how the counts grow.

#![allow(
    clippy::panic,
    missing_docs,
    reason = "a bench stops when asked for nonsense"
)]

use std::env;
use std::hint::black_box;

use compaction_core::{EntryKind, Outline, Strategy as _, Summarize, View, Window, compact};

const WINDOW: Window = Window::Tokens {
    budget: 4_000,
    reserve: 0,
};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [work, size] = arguments.as_slice() else {
        return; // nothing asked: `cargo bench` runs every bench without a word
    };
    let Ok(size) = size.parse::<usize>() else {
        panic!("`{size}` is no number of entries");
    };
    let kinds: Vec<EntryKind> = (0..size).map(kind).collect();
    let outline = Outline::of(&kinds, |_| 40);
    let view = View::new(&kinds, &outline);
    match work.as_str() {
        "build" => drop(measured(|| Outline::of(black_box(&kinds), |_| 40))),
        "append" => drop(measured(|| {
            let mut outline = Outline::new();
            for kind in black_box(&kinds) {
                outline.push(*kind, 40);
            }
            outline
        })),
        "place" => drop(measured(|| WINDOW.keep_from(black_box(&view)))),
        "plan" => drop(measured(|| {
            compact(black_box(&view), &WINDOW, Summarize::No)
        })),
        _ => panic!("there is no work `{work}`"),
    }
}

/// What is counted: the counter looks for a function of this name.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

fn kind(position: usize) -> EntryKind {
    match position % 6 {
        0 => EntryKind::TurnStart,
        1 | 3 => EntryKind::StepStart,
        _ => EntryKind::Continuation,
    }
}
