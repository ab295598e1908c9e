//! The boundaries of a log, each with its receipt and what it hides.

use std::collections::BTreeSet;
use std::sync::Arc;

use session::{Event, Seq, View};
use session_log::{Boundary, EventBody};

use crate::output::text::{counted, instant, number, share};
use crate::output::words::plainly;
use crate::report::{Card, State, count};

/// The boundaries of a log, oldest first.
pub(super) fn cards(log: &[Arc<Event>], view: &View) -> Vec<Card> {
    let taken_back = taken_back(log);
    let in_force = view.boundary().map(|event| event.seq);
    let boundaries = log
        .iter()
        .enumerate()
        .filter_map(|(at, event)| Some((at, event, event.as_boundary()?)));
    boundaries
        .map(|(at, event, boundary)| Card {
            seq: Some(event.seq.as_u64()),
            state: match () {
                () if in_force == Some(event.seq) => State::InForce,
                () if taken_back.contains(&event.seq) => State::TakenBack,
                () => State::Replaced,
            },
            time: instant(event.timestamp),
            before: boundary.receipt.before,
            after: boundary.receipt.after,
            facts: facts(boundary),
            summary: summary(log, boundary),
            hidden: hidden(log, at, boundary),
        })
        .collect()
}

/// What no longer counts: boundaries and undos that a later undo names, unless that was undone.
fn taken_back(log: &[Arc<Event>]) -> BTreeSet<Seq> {
    let mut gone = BTreeSet::new();
    for event in log.iter().rev() {
        if let EventBody::Revert(revert) = &event.body
            && revert.of < event.seq
            && !gone.contains(&event.seq)
        {
            gone.insert(revert.of);
        }
    }
    gone
}

fn facts(boundary: &Boundary) -> Vec<(&'static str, String)> {
    let receipt = &boundary.receipt;
    let places = |seqs: &[Seq]| {
        let some: Vec<String> = seqs.iter().take(12).map(ToString::to_string).collect();
        let more = if seqs.len() > some.len() { ", …" } else { "" };
        format!(
            "{}: {}{more}",
            counted(count(seqs.len()), "event"),
            some.join(", ")
        )
    };
    let mut facts = vec![
        ("trigger", plainly(&receipt.trigger)),
        ("strategy", plainly(&receipt.strategy)),
        ("counted by", receipt.estimator.clone()),
        ("keeps from", format!("event {} on", boundary.kept_from)),
    ];
    for (name, seqs) in [
        ("pinned", &boundary.pinned),
        ("superseded", &boundary.superseded),
        ("cleared", &boundary.cleared),
    ] {
        if !seqs.is_empty() {
            facts.push((name, places(seqs)));
        }
    }
    if let Some(summary) = &receipt.summary {
        let mut words = vec![
            summary.model.clone(),
            format!("asked {}", times(summary.attempts)),
        ];
        words.extend(
            summary
                .input_tokens
                .map(|n| format!("read {}", counted(n, "token"))),
        );
        words.extend(
            summary
                .output_tokens
                .map(|n| format!("wrote {}", counted(n, "token"))),
        );
        words.extend(
            summary
                .duration_ms
                .map(|n| format!("took {} ms", number(n))),
        );
        let kept = summary.retained_per_mille.map(|n| share(n.into(), 1000));
        words.extend(kept.map(|part| format!("{part} of the facts survive")));
        facts.push(("summary by", words.join(", ")));
    }
    facts.push(("digest", receipt.covered.digest.clone()));
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn times(count: u64) -> String {
    match count {
        1 => "once".into(),
        count => format!("{} times", number(count)),
    }
}

/// What the summary of a boundary says, not what it answers.
fn summary(log: &[Arc<Event>], boundary: &Boundary) -> Option<String> {
    let id = boundary.summary.last()?;
    let event = log.iter().find(|event| event.id == *id)?;
    Some(event.as_message()?.text().into_owned())
}

/// The messages that were in the view before the boundary at `at`, and are not behind it.
fn hidden(log: &[Arc<Event>], at: usize, boundary: &Boundary) -> Vec<u64> {
    let before = View::fold(log.iter().take(at).cloned());
    let end = at + 1 + boundary.summary.len();
    let after = View::fold(log.iter().take(end).cloned());
    let shown: BTreeSet<Seq> = after.events().iter().map(|event| event.seq).collect();
    let gone = before.events().iter().map(|event| event.seq);
    let mut gone: Vec<u64> = gone
        .filter(|seq| !shown.contains(seq) && !boundary.superseded.contains(seq))
        .map(Seq::as_u64)
        .collect();
    gone.sort_unstable();
    gone
}
