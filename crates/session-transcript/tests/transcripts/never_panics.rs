//! No bytes make the readers or writers panic.

use std::sync::OnceLock;

use proptest::prelude::*;
use session_transcript::{
    Format, ReadOptions, Repair, WriteOptions, check_request, read, view_as_request, write,
};

use crate::common::all;

/// Reads the bytes as every format, and writes what comes of it in every format.
fn exercise(bytes: &[u8]) {
    for format in Format::ALL.iter().copied().map(Some).chain([None]) {
        let mut options = ReadOptions::default();
        options.format = format;
        let Ok(transcript) = read(bytes, &options) else {
            continue;
        };
        let _ = transcript.write_back();
        for conversation in &transcript.conversations {
            for format in Format::ALL.iter().copied() {
                for repair in [Repair::Nothing, Repair::Abandoned, Repair::Everything] {
                    let options = WriteOptions::default().with_repair(repair);
                    let _ = write(
                        &conversation.events,
                        Some(&conversation.envelope),
                        format,
                        &options,
                    );
                }
                if let Ok(request) = view_as_request(&conversation.events, format) {
                    assert_eq!(check_request(format, &request.text), [], "{}", request.text);
                }
            }
        }
    }
}

/// The smaller committed transcripts.
fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let files = all().into_iter().map(|path| std::fs::read(path).unwrap());
        files.filter(|bytes| bytes.len() < 12_000).collect()
    })
}

#[derive(Clone, Debug)]
enum Change {
    Cut(usize),
    Remove(usize, usize),
    Repeat(usize, usize),
    Byte(usize, u8),
    Insert(usize, &'static str),
    Swap(usize, usize, usize),
}

const PIECES: [&str; 18] = [
    "\"",
    "\\",
    "\\ud83d",
    "{",
    "}",
    "[",
    "]",
    ",",
    "null",
    "NaN",
    "1e999",
    "\n",
    "\0",
    "\u{FEFF}",
    "\"role\":\"tool\",",
    "\"parentUuid\":\"u1\",",
    "\"isSidechain\":true,",
    "\"type\":\"tool_result\",",
];

fn change() -> impl Strategy<Value = Change> {
    let at = || any::<prop::sample::Index>().prop_map(|index| index.index(12_000));
    prop_oneof![
        at().prop_map(Change::Cut),
        (at(), 1..400_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (at(), 1..400_usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        (at(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        (at(), prop::sample::select(&PIECES[..])).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (at(), at(), 1..60_usize).prop_map(|(from, to, length)| Change::Swap(from, to, length)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let length = bytes.len();
    if length == 0 {
        return;
    }
    match *change {
        Change::Cut(at) => bytes.truncate(at % length),
        Change::Remove(at, count) => {
            let start = at % length;
            bytes.drain(start..(start + count).min(length));
        }
        Change::Repeat(at, count) => {
            let start = at % length;
            let piece = bytes[start..(start + count).min(length)].to_vec();
            bytes.splice(start..start, piece);
        }
        Change::Byte(at, byte) => bytes[at % length] = byte,
        Change::Insert(at, piece) => {
            let start = at % length;
            bytes.splice(start..start, piece.bytes());
        }
        Change::Swap(from, to, count) => {
            let start = from % length;
            let piece = bytes[start..(start + count).min(length)].to_vec();
            let to = to % length;
            let end = (to + count).min(length);
            bytes.splice(to..end, piece);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        exercise(&bytes);
    }

    #[test]
    fn random_text_of_json_pieces(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)) {
        exercise(pieces.concat().as_bytes());
    }

    #[test]
    fn damaged_transcripts(seed in any::<prop::sample::Index>(), changes in prop::collection::vec(change(), 1..6)) {
        let mut bytes = seed.get(seeds()).clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        exercise(&bytes);
    }
}

#[test]
fn transcripts_cut_anywhere() {
    for bytes in seeds() {
        let step = (bytes.len() / 16).max(1);
        for end in (0..bytes.len()).step_by(step) {
            exercise(&bytes[..end]);
        }
    }
}
