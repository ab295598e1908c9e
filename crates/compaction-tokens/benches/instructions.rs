//! Counts the tokens of a text of so many bytes, for a counter of instructions to watch.
//!
//! `cargo xtask bench instructions` runs it under Valgrind, which counts what happens inside
//! [`measured`] alone, and checks how the counts grow.

#![allow(
    clippy::panic,
    dead_code,
    reason = "a bench stops when asked for nonsense"
)]

use std::env;
use std::hint::black_box;

use compaction_tokens::{Encoding, Tiktoken};

use random::Random;

#[path = "../samples/random.rs"]
mod random;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [work, size] = arguments.as_slice() else {
        return; // nothing asked: `cargo bench` runs every bench without a word
    };
    let Ok(size) = size.parse::<usize>() else {
        panic!("`{size}` is no number of bytes");
    };
    let tokens = Tiktoken::new(Encoding::O200kBase);
    // The tables of the encoding are made at the first count.
    black_box(tokens.count("once"));
    let text = words(size);
    match work.as_str() {
        "count" => black_box(measured(|| tokens.count(black_box(&text)))),
        _ => panic!("there is no work `{work}`"),
    };
}

/// What is counted: the counter looks for a function of this name.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

/// Made-up words, hardly one of which comes twice.
fn words(size: usize) -> String {
    let mut random = Random(11);
    let mut text = String::new();
    while text.len() < size {
        let length = usize::try_from(4 + random.below(6)).unwrap_or(4);
        text.push_str(&random.characters("abcdefghijklmnopqrstuvwxyz", length));
        text.push(' ');
    }
    text.truncate(size);
    text
}
