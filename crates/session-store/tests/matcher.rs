//! The matcher against the obvious: fold everything, look everywhere.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use session_log::{EventId, Message, NewEvent, Part, Role, Seq, SessionId, Timestamp};
use session_store::search::{Matcher, fold, fold_char, pieces};
use session_store::{Keywords, Reach, SearchQuery};

/// Texts that meet: few letters, some of which change their length when they are folded.
fn texts() -> impl Strategy<Value = String> {
    let letters = prop_oneof![
        Just("a"),
        Just("B"),
        Just("\u{212a}"),
        Just("ẞ"),
        Just("σ"),
        Just("Σ"),
        Just("😀"),
        Just(" "),
        Just("İ")
    ];
    vec(letters, 0..400).prop_map(|letters| letters.concat())
}

proptest! {
    #[test]
    fn finds_what_is_there_and_marks_it(
        parts in vec(texts(), 0..4),
        words in vec("[abkßσ😀]{1,3}", 1..4),
        all in any::<bool>(),
    ) {
        let keywords = if all { Keywords::All } else { Keywords::Any };
        let query = SearchQuery::new(words.clone()).with_keywords(keywords);
        let message = Message::new(Role::User, parts.iter().map(Part::text).collect());
        let id = EventId::new("e1").unwrap();
        let event = NewEvent::message(id, Timestamp::from_millis(0), message.clone());
        let event = Arc::new(event.at(Seq::FIRST));

        let has = |word: &String| parts.iter().any(|part| fold(part).contains(&fold(word)));
        let is_expected = if all { words.iter().all(has) } else { words.iter().any(has) };
        let hit = Matcher::new(&query).hit(&SessionId::new("s1").unwrap(), &event);
        assert_eq!(hit.is_some(), is_expected);
        assert_eq!(query.matches(&event), is_expected);
        let Some(hit) = hit else { return Ok(()) };

        let snippet = &hit.snippet;
        let piece = pieces(&message, Reach::TextAndTools)[snippet.piece].text;
        let end = snippet.start + snippet.text.len();
        assert_eq!(&piece[snippet.start..end], snippet.text);
        // Nothing stands before the first mark, and every mark is made of keywords.
        let first = &snippet.found[0];
        for word in &words {
            let before: String = piece[..first.start].chars().map(fold_char).collect();
            assert!(!before.contains(&fold(word)) || before.len() < word.len());
        }
        for range in &snippet.found {
            let marked = fold(&piece[range.clone()]);
            assert!(words.iter().any(|word| marked.starts_with(&fold(word))));
            assert!(words.iter().any(|word| marked.ends_with(&fold(word))));
        }
        assert!(snippet.found.windows(2).all(|pair| pair[0].end <= pair[1].start));
    }
}

fn said(text: &str) -> Arc<session_log::Event> {
    let id = EventId::new("e1").unwrap();
    let event = NewEvent::message(id, Timestamp::from_millis(0), Message::user(text));
    Arc::new(event.at(Seq::FIRST))
}

#[test]
fn a_snippet_is_short_whatever_the_text() {
    let text = format!("{}needle{}", "变".repeat(100_000), "é".repeat(100_000));
    let matcher = Matcher::new(&SearchQuery::new(["NEEDLE"]));
    let hit = matcher
        .hit(&SessionId::new("s1").unwrap(), &said(&text))
        .unwrap();
    assert_eq!(hit.snippet.text.chars().count(), 80 + "needle".len() + 80);
    assert_eq!(hit.snippet.found.len(), 1);
    assert_eq!(hit.snippet.found[0], 300_000..300_006);
}

#[test]
fn occurrences_and_keywords_are_counted() {
    let matcher = Matcher::new(&SearchQuery::new(["plum", "PLUM", "fig", "pear"]));
    let hit = matcher
        .hit(&SessionId::new("s1").unwrap(), &said("Plum, plum, fig."))
        .unwrap();
    assert_eq!((hit.keywords, hit.occurrences), (2, 3));
}

#[test]
fn looking_through_much_text_is_linear() {
    // Words that nearly match at every place; it would not end if it were not linear.
    let text = "a".repeat(2_000_000);
    let word = format!("{}b", "a".repeat(199));
    let matcher = Matcher::new(&SearchQuery::new(vec![word; 20]));
    assert!(!matcher.matches(&said(&text)));
}
