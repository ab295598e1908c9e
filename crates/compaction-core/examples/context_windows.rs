//! Choosing messages for one request with each of the context windows.
//!
//! `cargo run -p compaction-core --example context_windows -- 60`
#![expect(clippy::print_stdout, reason = "an example shows something")]

use compaction_core::{ContextWindow, Entry, EntryKind, PairPolicy, Selecting, Selection, Weight};

struct Message {
    kind: EntryKind,
    text: String,
}

impl Entry for Message {
    fn kind(&self) -> EntryKind {
        self.kind
    }
}

fn main() {
    let budget = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let budget: u64 = budget.unwrap_or(60);

    let message = |kind, text: &str| Message {
        kind,
        text: text.to_owned(),
    };
    let mut messages = vec![message(EntryKind::System, "Answer in one sentence.")];
    for number in 1..=7 {
        let question = format!("Question {number}, and what about it?");
        messages.push(message(EntryKind::TurnStart, &question));
        let reply = format!("Reply {number}: it is fine.");
        messages.push(message(EntryKind::Continuation, &reply));
    }
    messages.push(message(EntryKind::TurnStart, "So all is fine?"));

    for window in ContextWindow::values() {
        let selection = select(window, &messages, budget);
        println!(
            "{window}: {} of {budget} tokens, {} messages of {}, a summary of {}",
            selection.tokens(),
            selection.kept().len(),
            messages.len(),
            selection.summarized().len(),
        );
        for message in selection.kept().iter().filter_map(|at| messages.get(at)) {
            println!("  {}", message.text);
        }
    }
}

fn select(window: ContextWindow, messages: &[Message], budget: u64) -> Selection {
    let weigh = |message: &Message| {
        let characters = message.text.chars().count() as u64;
        Weight::of_tokens(tokens(&message.text)).with_characters(characters)
    };
    match window.select(messages, budget, PairPolicy::Atomic, weigh) {
        Selecting::Done(selection) => selection,
        // Nobody writes summaries here, so it is the placeholder.
        Selecting::NeedsSummary(pending) => {
            let text = pending.placeholder();
            println!("{text}");
            pending.resume(tokens(&text))
        }
    }
}

/// Four characters a token.
fn tokens(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}
