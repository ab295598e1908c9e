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

#[cfg(test)]
mod tests {
    use session_log::Message;

    use super::*;

    fn cost(shown: &Shown<'_>) -> u64 {
        said(&shown.message).len() as u64 + 1
    }

    /// What stands in which chunk, as text: `a b | c`, pieces as `d1/3`.
    fn drawn(chunks: &[Vec<Shown<'_>>]) -> String {
        let one = |shown: &Shown<'_>| match shown.piece {
            Some(piece) => format!("{}/{}", piece.number, piece.count),
            None => said(&shown.message),
        };
        let row = |chunk: &Vec<Shown<'_>>| chunk.iter().map(one).collect::<Vec<_>>().join(" ");
        chunks.iter().map(row).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn chunks_are_as_few_and_as_even_as_can_be() {
        let cases = [
            ("a b c d e f", 4, "a b | c d | e f"),
            ("a b c d e", 6, "a b c | d e"),
            ("a b c d", 100, "a b c d"),
            ("aaaa b b b", 5, "aaaa | b b | b"),
            ("aaaaaaaaa b", 7, "1/2 | 2/2 b"),
            ("", 6, ""),
        ];
        for (text, room, expected) in cases {
            let talk: Vec<_> = text.split_whitespace().map(Message::user).collect();
            let covered: Vec<_> = talk.iter().map(Shown::from).collect();
            let chunks = chunks(&covered, room, &cost);
            assert_eq!(drawn(&chunks), expected, "{text:?} in {room}");
            assert!(is_covered(&covered, &chunks));
            assert!(
                chunks
                    .iter()
                    .all(|it| it.iter().map(cost).sum::<u64>() <= room)
            );
        }
    }

    /// Each way in which a plan can be wrong is noticed.
    #[test]
    fn a_plan_that_shows_something_twice_never_or_late_is_noticed() {
        let talk = ["one", "two two two two", "three"].map(Message::user);
        let covered: Vec<_> = talk.iter().map(Shown::from).collect();
        let good = chunks(&covered, 8, &cost);
        assert_eq!(drawn(&good), "one | 1/3 | 2/3 | 3/3 | three");
        assert!(is_covered(&covered, &good));

        for at in 0..good.len() {
            let mut missing = good.clone();
            missing.remove(at);
            assert!(!is_covered(&covered, &missing), "without {at}");

            let mut twice = good.clone();
            twice.insert(at, good[at].clone());
            assert!(!is_covered(&covered, &twice), "twice {at}");
        }
        for at in 1..good.len() {
            let mut swapped = good.clone();
            swapped.swap(at - 1, at);
            assert!(!is_covered(&covered, &swapped), "swapped {at}");
        }
        let mut changed = good.clone();
        changed[1][0].message.to_mut().parts.clear();
        assert!(!is_covered(&covered, &changed));
    }
}
