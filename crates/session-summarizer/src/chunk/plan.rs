//! Which message, or which piece of one, goes into which chunk.

use super::split::{said, split};
use crate::brief::Shown;

/// The messages in chunks of at most `room` tokens each. A message that costs more than `room` is
/// split into pieces. There are as few chunks as there can be, and they are about equally full: a
/// last chunk of a few words would make a summary that is longer than what it replaces.
pub(super) fn chunks<'a>(
    covered: &[Shown<'a>],
    room: u64,
    cost: &dyn Fn(&Shown<'_>) -> u64,
) -> Vec<Vec<Shown<'a>>> {
    let mut units: Vec<(u64, Shown<'a>)> = Vec::new();
    for shown in covered {
        let tokens = cost(shown);
        if tokens <= room {
            units.push((tokens, shown.clone()));
        } else {
            let pieces = split(shown, room, cost);
            units.extend(pieces.into_iter().map(|piece| (cost(&piece), piece)));
        }
    }

    let fewest = count(&units, room);
    let (mut low, mut high) = (1, room);
    while low < high {
        let middle = low + (high - low) / 2;
        if count(&units, middle) <= fewest {
            high = middle;
        } else {
            low = middle.saturating_add(1);
        }
    }
    pack(units, high)
}

/// How many chunks there are when each takes what fits into `room`, and one unit at least.
fn count(units: &[(u64, Shown<'_>)], room: u64) -> usize {
    let mut chunks = 0_usize;
    let mut filled = u64::MAX;
    for (tokens, _) in units {
        filled = filled.saturating_add(*tokens);
        if filled > room {
            chunks = chunks.saturating_add(1);
            filled = *tokens;
        }
    }
    chunks
}

fn pack<'a>(units: Vec<(u64, Shown<'a>)>, room: u64) -> Vec<Vec<Shown<'a>>> {
    let mut chunks: Vec<Vec<Shown<'a>>> = Vec::new();
    let mut filled = u64::MAX;
    for (tokens, shown) in units {
        filled = filled.saturating_add(tokens);
        match chunks.last_mut() {
            Some(chunk) if filled <= room => chunk.push(shown),
            _ => {
                filled = tokens;
                chunks.push(vec![shown]);
            }
        }
    }
    chunks
}

/// Whether the chunks show `covered` exactly once, in order: each message whole, or in pieces that
/// together say what it says.
pub(super) fn is_covered(covered: &[Shown<'_>], chunks: &[Vec<Shown<'_>>]) -> bool {
    let mut units = chunks.iter().flatten();
    for original in covered {
        let Some(unit) = units.next() else {
            return false;
        };
        if is_whole(unit, original) {
            continue;
        }
        let Some(piece) = unit.piece.filter(|piece| piece.number == 1) else {
            return false;
        };
        let mut together = said(&unit.message);
        let is_same = |unit: &Shown<'_>| {
            unit.event == original.event && unit.message.role == original.message.role
        };
        if !is_same(unit) {
            return false;
        }
        for number in 2..=piece.count {
            let next = units.next().filter(|it| is_same(it));
            let Some(unit) = next.filter(|it| it.piece.is_some_and(|it| it.number == number))
            else {
                return false;
            };
            together.push_str(&said(&unit.message));
        }
        if together != said(&original.message) {
            return false;
        }
    }
    units.next().is_none()
}

fn is_whole(unit: &Shown<'_>, original: &Shown<'_>) -> bool {
    unit.piece == original.piece && unit.event == original.event && unit.message == original.message
}
