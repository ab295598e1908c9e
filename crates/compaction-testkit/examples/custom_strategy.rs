//! A strategy of your own: it proposes a number, the core does the rest, and the laws are tests.
//!
//! `cargo run -p compaction-testkit --example custom_strategy`, and `cargo test` instead of
//! `cargo run` for the laws.
#![expect(clippy::print_stdout, reason = "an example shows something")]

use compaction_core::{Entry, Strategy, View};
use compaction_testkit::{Log, Pass, check};

/// Keeps what was said since the person last changed the subject, at most so many turns.
///
/// They change it by pinning the message: "from here on we talk about the garden".
struct Subject {
    max_turns: usize,
}

impl<E: Entry> Strategy<E> for Subject {
    fn keep_from(&self, view: &View<'_, E>) -> usize {
        let outline = view.outline();
        let turns = outline.turns();
        let oldest_allowed = turns.len().saturating_sub(self.max_turns);
        let oldest_allowed = turns.get(oldest_allowed).copied().unwrap_or(usize::MAX);
        let subject = turns.iter().rfind(|turn| outline.is_pinned(**turn));
        subject.copied().unwrap_or_default().max(oldest_allowed)
    }
}

fn main() -> Result<(), compaction_testkit::NotationError> {
    let pass = Pass::of(Subject { max_turns: 3 });
    println!("pinned / covered / kept");
    for log in [
        "s1 u1 a1 | u2 a2",
        "s1 u1 a1 | u2! a2 | u3 a3",
        "s1 u1! a1 | u2 a2 | u3 a3 | u4 a4",
    ] {
        println!("{log}\n  {}", pass.describe(log));
    }

    let log: Log = "s1 u1 a1 | u2! a2".parse()?;
    let next = pass.summarizing(2).next_view(&log, 20);
    println!("{log} with a summary\n  {next}");

    check(
        "u1 a1 | u2! a2",
        Subject { max_turns: 3 },
        "- / u1 a1 / u2 a2",
    );
    Ok(())
}

#[cfg(test)]
compaction_testkit::laws!(
    subject,
    Subject { max_turns: 2 },
    monotone = |max_turns| Subject { max_turns },
    idempotent = 20,
);
