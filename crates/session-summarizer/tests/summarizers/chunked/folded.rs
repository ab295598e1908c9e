//! Every covered message is shown once and in order.

use proptest::prelude::*;
use session_log::{Media, MediaKind, MediaSource, Message, Part, Role, ToolCall, ToolResult};
use session_summarizer::{Brief, Chunked, Scripted, Summarizer as _};

use super::{Reader, events, expected, message, said, shown, text};
use crate::common::{BytesDiv4, now};

#[test]
fn what_fits_is_passed_on_as_it_is() {
    let log = events([Message::user("hi"), Message::assistant("hello")]);
    let scripted = Scripted::new(["SUM"]);
    let chunked = Chunked::new(scripted.clone(), 10_000, BytesDiv4);
    let brief = Brief::new(shown(&log)).with_prior("p").with_budget(77);
    assert_eq!(chunked.calls(&brief).unwrap(), 1);
    now(chunked.summarize(brief.clone())).unwrap().unwrap();
    assert_eq!(scripted.asked(), [session_summarizer::Asked::of(&brief)]);
}

#[test]
fn a_long_conversation_is_folded_with_the_summary_so_far_as_prior() {
    let talk = (1..=58).map(|number| Message::user(format!("{number:03} {}", "word ".repeat(78))));
    let log = events(talk);
    let kept = [Message::user("Next?")];
    let scripted = Scripted::always("so far");
    let chunked = Chunked::new(scripted.clone(), 2_000, BytesDiv4);
    let brief = Brief::new(shown(&log))
        .with_prior("before")
        .with_overlap(&kept)
        .with_budget(300);
    let calls = chunked.calls(&brief).unwrap();
    assert!((5..=8).contains(&calls), "{calls}");
    let summary = now(chunked.summarize(brief)).unwrap().unwrap();
    assert_eq!(summary.attempts(), calls as u64);

    let asked = scripted.asked();
    assert_eq!(asked.len(), calls);
    assert_eq!(asked[0].prior, ["before"]);
    assert!(asked[1..].iter().all(|it| it.prior == ["so far"]));
    assert!(asked.iter().all(|it| it.budget == Some(300)));
    let ids: Vec<_> = asked.iter().flat_map(|it| it.covered.clone()).collect();
    assert_eq!(ids, log.iter().map(|it| it.id.clone()).collect::<Vec<_>>());
    // The overlap is shown once, with the last chunk.
    let with_overlap: Vec<_> = asked
        .iter()
        .map(|it| it.request.user.contains("Next?"))
        .collect();
    assert_eq!(with_overlap.iter().filter(|it| **it).count(), 1);
    assert_eq!(with_overlap.last(), Some(&true));
    // Chunks are about equally full.
    let sizes: Vec<_> = asked.iter().map(|it| it.covered.len()).collect();
    assert!(
        sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 3,
        "{sizes:?}"
    );
}

#[test]
fn a_message_larger_than_a_chunk_is_split_and_shown_in_full() {
    let long: String = (0..4_000)
        .map(|line| format!("line {line} — é 行\n"))
        .collect();
    let mut result = ToolResult::new(
        "k1",
        vec![
            Part::text(long),
            Part::Media(Media::new(MediaKind::Image, MediaSource::Url("x".into()))),
            Part::text("end"),
        ],
    );
    result.name = Some("read".into());
    let log = events([
        Message::user("Read it."),
        Message::tool_calls([ToolCall::new(
            "k1",
            "read",
            format!("{{\"a\":\"{}\"}}", "b".repeat(9_000)),
        )]),
        Message::new(Role::Tool, vec![Part::ToolResult(result)]),
        Message::assistant("Read."),
    ]);
    let reader = Reader::new(usize::MAX);
    let chunked = Chunked::new(reader.clone(), 3_000, BytesDiv4);
    let brief = Brief::new(shown(&log));
    let calls = chunked.calls(&brief).unwrap();
    let summary = now(chunked.summarize(brief)).unwrap().unwrap();
    assert_eq!(reader.read(), expected(&log));
    assert_eq!(reader.calls().len(), calls);
    assert!(
        reader.calls().iter().all(|it| *it <= 3_000),
        "{:?}",
        reader.calls()
    );
    assert_eq!(summary.usage().input_tokens, Some(100 * calls as u64));
    assert_eq!(summary.usage().output_tokens, Some(10 * calls as u64));

    // A piece says what it is a piece of, and stays behind the fence of its tool.
    let scripted = Scripted::always("so far");
    let chunked = Chunked::new(scripted.clone(), 3_000, BytesDiv4);
    now(chunked.summarize(Brief::new(shown(&log)))).unwrap();
    let asked = scripted.asked();
    let user = &asked[asked.len() - 2].request.user;
    assert!(user.contains("]\n```") && user.contains("[part "), "{user}");
    assert!(user.contains("Tool [responses: read -> "));
}

#[test]
fn a_prior_summary_that_is_too_large_is_folded_in_too() {
    let log = events([Message::user("And now?")]);
    let prior: String = (0..3_000)
        .map(|number| format!("fact {number}. "))
        .collect();
    let scripted = Scripted::always("so far");
    let chunked = Chunked::new(scripted.clone(), 3_000, BytesDiv4);
    now(chunked.summarize(Brief::new(shown(&log)).with_prior(prior.as_str()))).unwrap();
    let asked = scripted.asked();
    assert!(asked.len() > 3);
    assert!(asked[0].prior.is_empty());
    let all: String = asked.iter().map(|it| it.request.user.clone()).collect();
    for number in [0, 1, 1_500, 2_998, 2_999] {
        assert_eq!(
            all.matches(&format!("fact {number}. ")).count(),
            1,
            "{number}"
        );
    }
    assert_eq!(asked.last().unwrap().covered, [log[0].id.clone()]);
}

/// Two megabytes, of which one message alone is half a megabyte, through a model that reads 8,000
/// tokens: under the default bounds.
#[test]
fn two_megabytes_are_folded_by_a_model_that_reads_eight_thousand_tokens() {
    const LIMIT: u64 = 8_000;
    let talk = (0..1_600).map(|number| {
        let text = format!("{number:04} {}", "what was said of it ".repeat(51));
        match number % 2 {
            0 => Message::user(text),
            _ => Message::assistant(text),
        }
    });
    let huge: String = (0..40_000)
        .map(|line| format!("line {line:06}\n"))
        .collect();
    let pair = [
        Message::tool_calls([ToolCall::new("k1", "read", "{}")]),
        Message::tool_result("k1", huge),
    ];
    let log = events(talk.chain(pair));
    let bytes: usize = log
        .iter()
        .map(|it| said(it.as_message().unwrap()).len())
        .sum();
    assert!(bytes > 2 << 20, "{bytes}");

    let reader = Reader::new(usize::MAX);
    let chunked = Chunked::new(reader.clone(), LIMIT, BytesDiv4);
    let brief = Brief::new(shown(&log));
    let calls = chunked.calls(&brief).unwrap();
    assert!(calls <= Chunked::<Reader>::MOST_CALLS, "{calls}");
    // Two thirds of each call are conversation; messages do not fill them to the last word.
    let needed = bytes as u64 / 4 / (LIMIT * 2 / 3);
    assert!(calls as u64 <= needed * 5 / 4, "{calls} for {needed}");
    let summary = now(chunked.summarize(brief)).unwrap().unwrap();
    assert_eq!(summary.attempts(), calls as u64);
    assert_eq!(reader.calls().len(), calls);
    let largest = reader.calls().into_iter().max().unwrap();
    assert!(largest <= LIMIT, "{largest}");
    assert_eq!(reader.read(), expected(&log));

    // Memory: what is shown whole is the log's own text; only pieces of the large one are copies,
    // and they are shorter than a call.
    let held = reader.held.lock().unwrap();
    assert!(held.copied <= 600_000, "{held:?}");
    assert!(held.largest_copy as u64 <= LIMIT * 4, "{held:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The coverage identity: whatever was said, all of it is shown once and in order, and no
    /// request is over the limit.
    #[test]
    fn every_message_is_shown_exactly_once_and_in_order(
        messages in prop::collection::vec(message(), 1..12),
        limit in 1_200_u64..4_000,
        prior in prop_oneof![Just(String::new()), text()],
    ) {
        let log = events(messages);
        let reader = Reader::new(usize::MAX);
        let chunked = Chunked::new(reader.clone(), limit, BytesDiv4).with_most_calls(1_000);
        let brief = Brief::new(shown(&log)).with_prior(prior.as_str());
        let calls = chunked.calls(&brief).unwrap();
        now(chunked.summarize(brief)).unwrap().unwrap();
        prop_assert_eq!(reader.calls().len(), calls);
        prop_assert!(reader.calls().iter().all(|it| *it <= limit), "{:?}", reader.calls());
        let read: Vec<_> = reader.read().into_iter().filter(|it| it.0 != "prior").collect();
        prop_assert_eq!(read, expected(&log));
    }
}
