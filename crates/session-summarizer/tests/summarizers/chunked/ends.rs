//! Folds that end without a summary.

use session_log::Message;
use session_summarizer::{
    Answer, Brief, Chunked, Scripted, Summarizer as _, SummarizerError, Summary, Tally, Usage,
};

use super::{events, shown};
use crate::common::{BytesDiv4, now};

#[test]
fn nothing_is_begun_that_cannot_be_ended() {
    let log = events((0..500).map(|_| Message::user("word ".repeat(80))));
    let brief = Brief::new(shown(&log));
    let cases = [
        (
            Chunked::new(Scripted::always("s"), 2_000, BytesDiv4).with_most_calls(10),
            2_000,
        ),
        (Chunked::new(Scripted::always("s"), 500, BytesDiv4), 500), // the prompt alone fills it
        (Chunked::new(Scripted::always("s"), 0, BytesDiv4), 0),
    ];
    for (chunked, limit) in cases {
        let counted = chunked.calls(&brief).unwrap_err();
        let error = now(chunked.summarize(brief.clone())).unwrap_err();
        for error in [counted, error] {
            let SummarizerError::InputTooLong { limit: named } = error else {
                panic!("{error:?}")
            };
            assert_eq!(named, Some(limit));
        }
        assert!(format!("{chunked:?}").contains("asked: 0"), "{chunked:?}");
    }
}

#[test]
fn a_fold_that_comes_to_nothing_was_paid_for_as_far_as_it_came() {
    let log = events((0..60).map(|_| Message::user("word ".repeat(80))));
    let paid = |text: &str| {
        let summary = Summary::new(text, "m").unwrap();
        Answer::Summary(summary.with_usage(Some(1_000), Some(10)))
    };
    for last in [
        Answer::Decline,
        Answer::Error(SummarizerError::rejected("no")),
        Answer::Error(SummarizerError::InputTooLong { limit: Some(10) }),
    ] {
        let name = format!("{last:?}");
        let scripted = Scripted::new([paid("one"), paid("two"), last]);
        let tally = Tally::new();
        let chunked = Chunked::new(scripted, 2_000, BytesDiv4);
        let answer = now(chunked.summarize(Brief::new(shown(&log)).with_tally(&tally)));
        assert!(!matches!(answer, Ok(Some(_))), "{name}");
        assert_eq!(tally.usage(), Usage::new(Some(2_000), Some(20)), "{name}");
    }
}

#[test]
fn one_call_that_declines_or_fails_ends_the_whole() {
    let log = events((0..60).map(|_| Message::user("word ".repeat(80))));
    let brief = || Brief::new(shown(&log));
    let run = |second: Answer| {
        let scripted = Scripted::new([Answer::text("first"), second, Answer::text("third")]);
        let chunked = Chunked::new(scripted.clone(), 4_000, BytesDiv4);
        (now(chunked.summarize(brief())), scripted.asked().len())
    };
    assert!(matches!(run(Answer::Decline), (Ok(None), 2)));
    let busy = SummarizerError::unavailable(None);
    assert!(matches!(
        run(busy.into()),
        (Err(SummarizerError::Unavailable { .. }), 2)
    ));
    // A summary so far that is longer than allowed leaves no room: it is named.
    let (result, asked) = run(Answer::text("x".repeat(20_000)));
    assert_eq!(result.unwrap_err().fault().unwrap().name(), "over_budget");
    assert_eq!(asked, 2);
}
