//! Prints how fast `o200k_base` is counted, beside tiktoken-rs in the same run.
//!
//! `cargo bench -p compaction-tokens --bench counting -- [FILE…]` adds your own files. English is
//! the workspace's own pages and what its sources say in comments, Rust is the sources; the rest is
//! made up, with no text repeated.

#![expect(clippy::print_stdout, reason = "it prints tables")]

use core::hint::black_box;
use core::time::Duration;
use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use compaction_tokens::{Encoding, Tiktoken};

use random::{BASE64, EMOJI, Random};

#[path = "../samples/random.rs"]
mod random;

const SIZE: usize = 1_000_000;
const ROUNDS: usize = 7;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("nothing to test, see `cargo bench`");
        return;
    }
    let files = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'));
    let own = files.filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?)));
    let built_in = texts()
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text));

    println!("| text | kB | tiktoken-rs MB/s | warm MB/s | ratio | cold ratio | counts |");
    println!("|---|---:|---:|---:|---:|---:|---|");
    for (name, text) in built_in.chain(own) {
        compare(&name, &text);
    }

    println!("\n| run of | 100 kB | 1 MB | times as long |");
    println!("|---|---:|---:|---:|");
    for unit in [
        "x",
        " ",
        "\n",
        " \n\t",
        "7",
        "=",
        "^",
        "\u{301}",
        "漢",
        "<|endoftext|>",
    ] {
        growth(unit);
    }
}

/// Both engines in turn, several times over, and the best time of each.
///
/// Warm means that the words were counted before on this thread, cold that none was.
fn compare(name: &str, text: &str) {
    let tokens = Tiktoken::new(Encoding::O200kBase);
    let peer = tiktoken_rs::o200k_base_singleton();
    let [mut theirs, mut warm, mut cold] = [Duration::MAX; 3];
    let mut counts = (None, 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        counts.0 = peer.count(text, &HashSet::new()).ok();
        theirs = theirs.min(start.elapsed());

        tokens.count(text);
        let start = Instant::now();
        counts.1 = tokens.count(text);
        warm = warm.min(start.elapsed());

        cold = cold.min(on_a_new_thread(|| tokens.count(text)));
    }
    let speed = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
    let verdict = match counts.0.and_then(|count| u64::try_from(count).ok()) {
        Some(count) if count == counts.1 => "same".to_owned(),
        Some(count) => format!("{count} and {}", counts.1),
        None => "tiktoken-rs failed".to_owned(),
    };
    println!(
        "| {name} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {verdict} |",
        text.len() / 1_000,
        speed(theirs),
        speed(warm),
        speed(warm) / speed(theirs),
        speed(cold) / speed(theirs),
    );
}

fn growth(unit: &str) {
    let tokens = Tiktoken::new(Encoding::O200kBase);
    let best = |size: usize| {
        let text = unit.repeat(size / unit.len());
        (0..ROUNDS)
            .map(|_| on_a_new_thread(|| tokens.count(&text)))
            .min()
            .unwrap_or_default()
    };
    let (short, long) = (best(SIZE / 10), best(SIZE));
    println!(
        "| {unit:?} | {:.2} ms | {:.2} ms | {:.1} |",
        short.as_secs_f64() * 1e3,
        long.as_secs_f64() * 1e3,
        long.as_secs_f64() / short.as_secs_f64(),
    );
}

/// The time of the work alone, without starting the thread.
fn on_a_new_thread(work: impl FnOnce() -> u64 + Send) -> Duration {
    std::thread::scope(|scope| {
        let timed = scope.spawn(|| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        });
        timed.join().unwrap_or_default()
    })
}

fn texts() -> Vec<(&'static str, String)> {
    let mut random = Random(11);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    vec![
        ("English", english(&root)),
        ("Rust", files(&root, "rs")),
        ("JSON", json(&mut random)),
        ("Chinese, Japanese", phrases(&mut random)),
        ("emoji", random.characters(EMOJI, SIZE / 4)),
        ("base64", random.characters(BASE64, SIZE)),
        ("numbers", random.numbers(120_000)),
        ("one letter", "x".repeat(SIZE)),
        ("spaces", " ".repeat(SIZE)),
    ]
}

/// The pages, and the prose of the comments in the sources.
fn english(root: &Path) -> String {
    let mut text = files(root, "md");
    for line in every_file(root, "rs").lines() {
        let line = line.trim_start();
        let prose = line.strip_prefix("/// ").or(line.strip_prefix("//! "));
        if let Some(prose) = prose {
            text.push_str(prose);
            text.push('\n');
        }
    }
    text.chars().take(SIZE).collect()
}

/// The files below a folder whose names end so, up to the size.
fn files(folder: &Path, extension: &str) -> String {
    every_file(folder, extension).chars().take(SIZE).collect()
}

fn every_file(folder: &Path, extension: &str) -> String {
    let mut text = String::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let hidden = path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if path.is_dir() && !hidden && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                text.push_str(&std::fs::read_to_string(path).unwrap_or_default());
            }
        }
    }
    text
}

/// Tool calls with names, numbers and identifiers.
fn json(random: &mut Random) -> String {
    let names = [
        "read_file",
        "run_tests",
        "git_log",
        "search",
        "edit",
        "list_dir",
        "fetch",
        "ask",
    ];
    let keys = [
        "path", "line", "query", "limit", "commit", "since", "message", "offset", "value",
    ];
    let english = include_str!("../samples/english.txt");
    let words: Vec<&str> = english.split_whitespace().collect();
    let mut text = String::new();
    while text.len() < SIZE {
        let name = random.pick(&names).copied().unwrap_or_default();
        let id = random.characters(
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            22,
        );
        text.push_str(&format!(
            "{{\"id\":\"call_{id}\",\"name\":\"{name}\",\"arguments\":{{"
        ));
        for _ in 0..=random.below(4) {
            let key = random.pick(&keys).copied().unwrap_or_default();
            let value = match random.below(3) {
                0 => random.below(1_000_000).to_string(),
                1 => format!("\"{}\"", random.characters("0123456789abcdef", 12)),
                _ => {
                    let value: Vec<&str> = (0..4)
                        .filter_map(|_| random.pick(&words))
                        .copied()
                        .collect();
                    format!("{:?}", value.join(" "))
                }
            };
            text.push_str(&format!("\"{key}\":{value},"));
        }
        text.push_str("\"done\":true}}\n");
    }
    text
}

/// Scraps of two to six characters in no order, with a comma or a full stop now and then.
fn phrases(random: &mut Random) -> String {
    let characters: Vec<char> = include_str!("../samples/chinese.txt")
        .chars()
        .chain(include_str!("../samples/japanese.txt").chars())
        .filter(|c| !c.is_ascii() && c.is_alphabetic())
        .collect();
    let mut text = String::new();
    while text.len() < SIZE {
        let start = usize::try_from(random.below(characters.len() as u64)).unwrap_or(0);
        let length = usize::try_from(2 + random.below(5)).unwrap_or(2);
        text.extend(characters.iter().skip(start).take(length));
        match random.below(6) {
            0 => text.push('，'),
            1 => text.push_str("。\n"),
            _ => {}
        }
    }
    text
}
