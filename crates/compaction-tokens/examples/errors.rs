//! Prints how far each estimator is off, by content, in percent of the tokens of `o200k_base`.
//!
//! `cargo run -p compaction-tokens --example errors -- [FILE…]` adds your own files to the table.

#![expect(clippy::print_stdout, reason = "it prints a table")]

use compaction_core::TokenEstimator;
use compaction_tokens::{Bytes4, Chars4, Encoding, Family, Heuristic, Tiktoken};

#[path = "../samples/mod.rs"]
mod samples;

fn main() {
    let exact = Tiktoken::new(Encoding::O200kBase);
    let heuristic = Heuristic::new(Family::Gpt);
    println!("| text | bytes | tokens | `chars4` | `bytes4` | `heuristic` |");
    println!("|---|---:|---:|---:|---:|---:|");
    let files = std::env::args().skip(1).filter_map(|path| {
        let text = std::fs::read(&path).ok()?;
        Some((path, String::from_utf8_lossy(&text).into_owned()))
    });
    let built_in = samples::samples()
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text));
    for (name, text) in built_in.chain(files) {
        let tokens = exact.count(&text);
        let off = |estimator: &dyn TokenEstimator| {
            let estimate = estimator.estimate(&text) as f64;
            (estimate / tokens.max(1) as f64 - 1.0) * 100.0
        };
        println!(
            "| {name} | {} | {tokens} | {:+.0} % | {:+.0} % | {:+.0} % |",
            text.len(),
            off(&Chars4),
            off(&Bytes4),
            off(&heuristic),
        );
    }
}
