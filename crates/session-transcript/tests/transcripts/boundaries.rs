//! What a boundary of another tool covers is what left the view with it, as for our own.

use std::collections::BTreeMap;

use session_transcript::{ReadOptions, read};

use crate::common::{all, boundaries, left_with_boundaries};

/// Some formats counted again what the boundaries in front had covered: a session of Codex with
/// many compactions said that each covered almost the whole log.
#[test]
fn a_boundary_covers_what_left_the_view_with_it() {
    let mut formats: BTreeMap<String, usize> = BTreeMap::new();
    for file in all() {
        let bytes = std::fs::read(&file).unwrap();
        let Ok(transcript) = read(&bytes, &ReadOptions::default()) else {
            continue;
        };
        for conversation in &transcript.conversations {
            let found = boundaries(conversation);
            let left = left_with_boundaries(conversation);
            for ((_, boundary), left) in found.iter().zip(&left) {
                assert_eq!(boundary.receipt.covered, *left, "{}", file.display());
            }
            *formats.entry(transcript.format.to_string()).or_default() += found.len();
        }
    }
    let formats: Vec<&str> = formats
        .iter()
        .filter_map(|(name, count)| (*count > 0).then_some(name.as_str()))
        .collect();
    assert!(formats.len() > 4, "boundaries of {formats:?} alone");
}
