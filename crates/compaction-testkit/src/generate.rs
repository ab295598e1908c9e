//! Generators of logs, for property tests with `proptest`.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::subsequence;

use crate::log::Log;
use crate::note::{Note, Role};

/// Logs of at most so many notes, well formed or not.
///
/// They have parallel calls, calls that wait, ids used again, results out of order, without a
/// call, several in one note and with the next call, summary turns and system prompts anywhere, preambles, pins, and
/// costs from nothing to the highest number.
///
/// ```
/// use compaction_testkit::generate::logs;
/// use proptest::prelude::*;
///
/// proptest!(|(log in logs(30))| {
///     prop_assert!(log.notes().len() <= 30);
/// });
/// ```
pub fn logs(max_len: usize) -> impl Strategy<Value = Log> {
    vec(note(), 0..=max_len).prop_map(|notes| numbered(&notes))
}

/// Logs as agents write them, of at most so many turns: each call is answered before the next
/// message, in any order.
///
/// ```
/// use compaction_testkit::generate::conversations;
/// use proptest::prelude::*;
///
/// proptest!(|(log in conversations(5))| {
///     prop_assert!(log.outline().turns().len() <= 5);
/// });
/// ```
pub fn conversations(max_turns: usize) -> impl Strategy<Value = Log> {
    let steps = vec((1_usize..4, any::<bool>(), cost()), 0..4);
    let turn = (steps, any::<bool>(), cost(), cost());
    (any::<bool>(), vec(turn, 0..=max_turns)).prop_map(|(has_system, turns)| {
        let mut notes = Vec::new();
        if has_system {
            notes.push(Note::new("s", Role::System));
        }
        for (steps, has_reply, asked, replied) in turns {
            notes.push(Note::new("u", Role::User).with_tokens(asked));
            for (calls, is_reversed, tokens) in steps {
                let ids: Vec<String> = (0..calls).map(|id| format!("k{id}")).collect();
                notes.push(Note::new("c", Role::Assistant).with_calls(ids.iter().cloned()));
                let mut answered = ids;
                if is_reversed {
                    answered.reverse();
                }
                let result = |id| Note::new("t", Role::Tool).with_results([id]);
                notes.extend(
                    answered
                        .into_iter()
                        .map(result)
                        .map(|note| note.with_tokens(tokens)),
                );
            }
            if has_reply {
                notes.push(Note::new("a", Role::Assistant).with_tokens(replied));
            }
        }
        numbered(&notes)
    })
}

/// A token cost: often small, sometimes nothing, large, or the highest number.
pub fn cost() -> impl Strategy<Value = u64> {
    prop_oneof![
        6 => 1_u64..20,
        1 => Just(0),
        1 => 1_000_u64..100_000,
        1 => Just(u64::MAX),
    ]
}

fn note() -> impl Strategy<Value = Note> {
    let plain = prop_oneof![
        1 => Just(Note::new("s", Role::System)),
        1 => Just(Note::new("y", Role::Summary)),
        4 => Just(Note::new("u", Role::User)),
        3 => Just(Note::new("a", Role::Assistant)),
        3 => ids().prop_map(|ids| Note::new("c", Role::Assistant).with_calls(ids)),
        4 => ids().prop_map(|ids| Note::new("t", Role::Tool).with_results(ids)),
        1 => ids().prop_map(|ids| Note::new("u", Role::User).with_results(ids)),
        1 => (ids(), ids()).prop_map(|(results, calls)| {
            Note::new("c", Role::Assistant).with_results(results).with_calls(calls)
        }),
    ];
    (plain, cost(), 0_u8..12).prop_map(|(note, tokens, pin)| {
        let note = note.with_tokens(tokens);
        match note.role() {
            Role::System | Role::Summary => note,
            _ if pin == 0 => note.pinned(),
            _ => note,
        }
    })
}

/// One to three ids of few, so that they are used again.
fn ids() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(vec!["k1", "k2", "k3"], 1..=3).prop_shuffle()
}

fn numbered(notes: &[Note]) -> Log {
    let numbered = notes.iter().enumerate();
    numbered
        .map(|(position, note)| note.renamed(position))
        .collect()
}
