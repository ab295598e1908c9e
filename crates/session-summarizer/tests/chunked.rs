//! Folding: every covered message is shown once, in order, and no request is over the limit.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use common::{BytesDiv4, now};
use compaction_core::TokenEstimator;
use proptest::prelude::*;
use session_log::{
    Event, EventId, Media, MediaKind, MediaSource, Message, NewEvent, Part, Role, Seq, Timestamp,
    ToolCall, ToolResult,
};
use session_summarizer::{
    Answer, Brief, Chunked, Prompt, Scripted, Shown, Summarizer, SummarizerError, Summary, Tally,
    Usage,
};

fn events(messages: impl IntoIterator<Item = Message>) -> Vec<Event> {
    let event = |(number, message): (u64, Message)| {
        let id = EventId::new(format!("e{number}")).unwrap();
        NewEvent::message(id, Timestamp::from_millis(0), message).at(Seq::new(number).unwrap())
    };
    (1..).zip(messages).map(event).collect()
}

fn shown(events: &[Event]) -> Vec<Shown<'_>> {
    events.iter().filter_map(Shown::of_event).collect()
}

fn tokens(brief: &Brief<'_>) -> u64 {
    let request = brief.request();
    BytesDiv4.estimate(&request.system) + BytesDiv4.estimate(&request.user)
}

/// Everything a message says, piece by piece the same as at once.
fn said(message: &Message) -> String {
    let text = |part: &Part| match part {
        Part::Text(text) => text.text.clone(),
        Part::ToolCall(call) => call.arguments.as_str().to_owned(),
        Part::ToolResult(result) => {
            let texts: Vec<_> = result.parts.iter().filter_map(Part::as_text).collect();
            texts.join("\n")
        }
        _ => String::new(),
    };
    message.parts.iter().map(text).collect()
}

/// Notes what it is shown, and refuses what is over its own limit in bytes.
#[derive(Clone, Debug)]
struct Reader {
    limit: usize,
    tells: bool,
    log: Arc<Mutex<Vec<(String, String)>>>,
    largest: Arc<Mutex<Vec<u64>>>,
    held: Arc<Mutex<Held>>,
}

/// Bytes of what was shown that are copies and not the log's own.
#[derive(Debug, Default)]
struct Held {
    copied: usize,
    largest_copy: usize,
}

impl Reader {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            tells: true,
            log: Arc::default(),
            largest: Arc::default(),
            held: Arc::default(),
        }
    }

    /// What was read, event by event.
    fn read(&self) -> Vec<(String, String)> {
        let mut events: Vec<(String, String)> = Vec::new();
        for (id, text) in self.log.lock().unwrap().iter() {
            match events.last_mut() {
                Some((last, said)) if last == id => said.push_str(text),
                _ => events.push((id.clone(), text.clone())),
            }
        }
        events
    }

    fn calls(&self) -> Vec<u64> {
        self.largest.lock().unwrap().clone()
    }
}

#[async_trait]
impl Summarizer for Reader {
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        let request = brief.request();
        let bytes = request.system.len() + request.user.len();
        if bytes > self.limit {
            let limit = self.tells.then_some(self.limit as u64 / 4);
            return Err(SummarizerError::InputTooLong { limit });
        }
        self.largest.lock().unwrap().push(tokens(&brief));
        let mut log = self.log.lock().unwrap();
        for shown in brief.covered() {
            let id = shown.event.map_or("prior", EventId::as_str).to_owned();
            let text = said(&shown.message);
            if matches!(shown.message, Cow::Owned(_)) {
                let mut held = self.held.lock().unwrap();
                held.copied += text.len();
                held.largest_copy = held.largest_copy.max(text.len());
            }
            log.push((id, text));
        }
        let number = self.largest.lock().unwrap().len();
        let summary = Summary::new(format!("summary {number}"), "reader")?;
        Ok(Some(summary.with_usage(Some(100), Some(10))))
    }
}

fn expected(events: &[Event]) -> Vec<(String, String)> {
    let one = |event: &Event| (event.id.to_string(), said(event.as_message().unwrap()));
    events.iter().map(one).collect()
}

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

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z \n]{0,40}",
        2 => "[a-z `=\n]{0,900}",
        1 => "[日本語é🙂]{0,300}",
        1 => Just("x".repeat(5_000)),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let result = (text(), text()).prop_map(|(a, b)| {
        let parts = vec![Part::text(a), Part::text(b)];
        Message::new(
            Role::Tool,
            vec![Part::ToolResult(ToolResult::new("k", parts))],
        )
    });
    let mixed = prop::collection::vec(text(), 0..4)
        .prop_map(|texts| Message::new(Role::User, texts.into_iter().map(Part::text).collect()));
    prop_oneof![
        text().prop_map(Message::user),
        text().prop_map(Message::assistant),
        text().prop_map(|it| Message::tool_calls([ToolCall::new("k", "run", it)])),
        result,
        mixed,
    ]
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
