//! What a model can read is learned, and shared out.

use session_log::Message;
use session_summarizer::{Brief, Chunked, Prompt, Scripted, Summarizer as _, SummarizerError};

use super::{Reader, events, expected, shown};
use crate::common::{BytesDiv4, now};

#[test]
fn a_summarizer_that_can_read_less_than_was_thought_teaches() {
    let log =
        events((0..40).map(|number| Message::user(format!("{number} {}", "word ".repeat(80)))));
    for tells in [true, false] {
        let mut reader = Reader::new(9_000);
        reader.tells = tells;
        let chunked = Chunked::new(reader.clone(), 100_000, BytesDiv4);
        now(chunked.summarize(Brief::new(shown(&log))))
            .unwrap()
            .unwrap();
        assert_eq!(reader.read(), expected(&log), "tells: {tells}");
        assert!(reader.calls().iter().all(|it| *it <= 9_000 / 4 + 2));
    }
    // One that can read nothing is asked a few times, never with the same request, then it ends.
    let scripted = Scripted::always(SummarizerError::InputTooLong { limit: None });
    let chunked = Chunked::new(scripted.clone(), 100_000, BytesDiv4);
    let error = now(chunked.summarize(Brief::new(shown(&log)))).unwrap_err();
    assert!(matches!(error, SummarizerError::InputTooLong { .. }));
    let sizes: Vec<_> = scripted
        .asked()
        .iter()
        .map(|it| it.request.user.len())
        .collect();
    assert!(
        sizes.len() <= 5 && sizes.windows(2).all(|it| it[1] < it[0]),
        "{sizes:?}"
    );
}

#[test]
fn a_summary_so_far_gets_a_quarter_of_the_limit_and_the_last_one_its_budget() {
    let log = events((0..60).map(|_| Message::user("word ".repeat(80))));
    for (budget, running, last) in [
        (None, 1_000, None),
        (Some(9_000), 1_000, Some(9_000)),
        (Some(300), 300, Some(300)),
    ] {
        let scripted = Scripted::always("so far");
        let chunked = Chunked::new(scripted.clone(), 4_000, BytesDiv4);
        let mut brief = Brief::new(shown(&log));
        if let Some(budget) = budget {
            brief = brief.with_budget(budget);
        }
        now(chunked.summarize(brief)).unwrap().unwrap();
        let budgets: Vec<_> = scripted.asked().iter().map(|it| it.budget).collect();
        let (end, before) = budgets.split_last().unwrap();
        assert_eq!(*end, last);
        assert!(
            !before.is_empty() && before.iter().all(|it| *it == Some(running)),
            "{budgets:?}"
        );
    }
}

/// A fold whose chunks are small beside the prompt costs more than it is worth.
#[test]
fn a_chunk_has_at_least_an_eighth_of_the_limit() {
    let log = events((0..200).map(|_| Message::user("word ".repeat(20))));
    let brief = Brief::new(shown(&log));
    let tokens: u64 = 200 * 28;
    let mut is_refused = false;
    for limit in (100..4_000).step_by(20) {
        let chunked = Chunked::new(Scripted::always("s"), limit, BytesDiv4).with_most_calls(9_999);
        match chunked.calls(&brief) {
            // A chunk may have room for almost one more message.
            Ok(calls) => assert!(
                calls as u64 <= tokens / (limit / 8 - 28) + 1,
                "{limit}: {calls}"
            ),
            Err(_) => is_refused = true,
        }
    }
    assert!(is_refused);
}

#[test]
fn a_replaced_prompt_is_counted_too() {
    let log = events((0..20).map(|_| Message::user("word ".repeat(80))));
    let prompt = Prompt::new().with_system("long ".repeat(1_000)).unwrap();
    let chunked = Chunked::new(Scripted::always("s"), 3_000, BytesDiv4);
    let short = chunked.calls(&Brief::new(shown(&log))).unwrap();
    let long = chunked
        .calls(&Brief::new(shown(&log)).with_prompt(&prompt))
        .unwrap();
    assert!(short < long, "{short} {long}");
}
