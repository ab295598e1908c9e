//! Turns that were taken back.

use std::collections::BTreeSet;
use std::ops::Range;

use session_log::Role;

use crate::formats::codex::line::{Line, What};
use crate::formats::codex::speech;
use crate::formats::openai_responses::item::{self, Item};

/// The places of lines in turns that were taken back later.
pub(super) fn taken_back(lines: &[Line<'_>]) -> BTreeSet<usize> {
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut turns = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match line.what {
            What::Item(raw) if opens_turn(raw) => turns.push(at),
            What::RolledBack(count) => {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let rest = turns.len().saturating_sub(count);
                let gone = turns.split_off(rest);
                if let Some(first) = gone.first() {
                    // What was taken back before is a part of it.
                    while taken.pop_if(|inner| inner.start >= *first).is_some() {}
                    taken.push(*first..at);
                }
            }
            _ => {}
        }
    }
    taken.into_iter().flatten().collect()
}

fn opens_turn(raw: crate::json::Raw<'_>) -> bool {
    match item::read(raw) {
        Item::Message(message) => message.role == Role::User && !speech::is_injected(&message),
        _ => false,
    }
}
