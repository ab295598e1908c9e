//! Sessions compacted by a real model, where `SESSION_LOCAL_MODEL_URL` names a server with
//! OpenAI's interface. What the model writes is never looked at: a pass lands or it does not, and
//! either way everything that a pass promises must hold.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::collections::BTreeSet;
use std::env;
use std::sync::Arc;
use std::time::Duration;

use compaction_tokens::Heuristic;
use futures_executor::block_on;
use session::http::{Anthropic, HttpOptions, OpenAi};
use session::{
    Compaction, Event, EventId, Expected, MemoryStore, Message, NewEvent, Outcome, Report, Role,
    SessionId, Sessions, SystemMessages, View, Window,
};
use session_summarizer::{Checked, Chunked, RetryPolicy, Retrying, Summarizer, VirtualTimer};
use session_transcript::{Format, ReadOptions, check_request, read, view_as_request};

const URL: &str = "SESSION_LOCAL_MODEL_URL";
/// The context of the model, less what it may write.
const INPUT: u64 = 5_000;
const OUTPUT: u64 = 600;

fn main() {
    let Ok(url) = env::var(URL) else {
        println!("local_model: SKIPPED, no server is asked because {URL} is not set");
        return;
    };
    let url = url.trim_end_matches('/');
    let model = env::var("SESSION_LOCAL_MODEL").unwrap_or_else(|_| "local".into());

    let mut landed = 0;
    let openai = OpenAi::new(&format!("{url}/v1"), &*model).unwrap();
    let openai = openai.with_options(options()).unwrap();
    let turns = Compaction::builder(Window::Turns(4)).summarizer(patient(openai.clone()));
    landed += compact_twice(
        "thirty messages, chat completions",
        &talk(),
        &turns.build().unwrap(),
    );

    let budget = Window::Tokens {
        budget: 2_500,
        reserve: 700,
    };
    let tokens = Compaction::builder(budget).summarizer(patient(openai));
    landed += compact_twice(
        "an airline's customer, chat completions",
        &airline(),
        &tokens.build().unwrap(),
    );

    let anthropic = Anthropic::new(url, &*model).unwrap();
    let anthropic = anthropic.with_options(options()).unwrap();
    let turns = Compaction::builder(Window::Turns(3)).summarizer(patient(anthropic.clone()));
    landed += compact_twice(
        "thirty messages, messages",
        &talk(),
        &turns.build().unwrap(),
    );
    let tokens = Compaction::builder(budget).summarizer(patient(anthropic));
    landed += compact_twice(
        "an airline's customer, messages",
        &airline(),
        &tokens.build().unwrap(),
    );

    println!("local_model: done, {landed} of 8 passes landed");
    assert!(
        landed > 0,
        "no pass landed, so this says nothing of summaries"
    );
}

fn options() -> HttpOptions {
    let mut options = HttpOptions::default();
    options.time_limit = Duration::from_secs(900);
    options.max_output_tokens = Some(OUTPUT);
    options.temperature = Some(0.3);
    options
}

/// The summarizer as an application would have it: in chunks, asked again when it writes nonsense.
fn patient(model: impl Summarizer) -> impl Summarizer {
    let mut policy = RetryPolicy::default();
    // Virtual time passes at once.
    policy.attempt_limit = None;
    policy.total_limit = None;
    let checked = Checked::new(model, Heuristic::default());
    let retrying = Retrying::new(checked, VirtualTimer::new()).with_policy(policy);
    Chunked::new(retrying, INPUT, Heuristic::default())
}

/// Two passes, the second over the first one's summary. Returns how many landed.
fn compact_twice(about: &str, events: &[NewEvent], compaction: &Compaction) -> u64 {
    let sessions = Sessions::new(MemoryStore::new(), Heuristic::default())
        .with_system_messages(SystemMessages::Allowed);
    block_on(async {
        let id = sessions.create().await.unwrap().id;
        let (first, second) = events.split_at(events.len() * 2 / 3);
        let mut landed = 0;
        for (number, part) in [first, second].into_iter().enumerate() {
            let appended = sessions.append_events(&id, Expected::Any, part.to_vec());
            assert!(appended.await.unwrap().done().is_some());
            let report = pass(&sessions, &id, compaction).await;
            println!("{about}, pass {}: {}", number + 1, told(&report));
            landed += u64::from(report.outcome == Outcome::Compacted);
        }
        landed
    })
}

/// One pass, and all that must hold after it.
async fn pass(sessions: &Sessions, id: &SessionId, compaction: &Compaction) -> Report {
    let log = sessions.log(id).await.unwrap();
    let before = sessions.view(id).await.unwrap();
    let report = sessions.compact(id, compaction).await.unwrap();
    let longer = sessions.log(id).await.unwrap();
    let after = sessions.view(id).await.unwrap();

    assert_eq!(&longer[..log.len()], &log[..], "the log only grows");
    let appended = &longer[log.len()..];
    assert_eq!(View::fold(longer.iter().cloned()), after);
    provider_takes(&after);
    if report.outcome != Outcome::Compacted {
        assert_eq!(report.outcome, Outcome::Declined, "{report:?}");
        assert!(appended.is_empty() && ids(&after) == ids(&before));
        return report;
    }

    let [boundary, prompt, summary] = appended else {
        panic!("a boundary and its summary, not {appended:?}");
    };
    assert_eq!(Some(boundary.seq), report.boundary);
    let text = &report.summary.as_ref().unwrap().text;
    assert_eq!(&*summary.as_message().unwrap().text(), text);
    let receipt = &report.summary.as_ref().unwrap().receipt;
    assert!(!receipt.model.is_empty() && receipt.input_tokens.unwrap() > 0);
    assert!(receipt.output_tokens.unwrap() > 0 && receipt.duration_ms.is_some());
    assert!(report.after.tokens < report.before.tokens, "{report:?}");

    // What was in view is in view or covered or superseded, once, and only the summary is new.
    let shown: BTreeSet<EventId> = ids(&after).into_iter().collect();
    assert_eq!(shown.len(), after.events().len(), "once");
    let left: BTreeSet<EventId> = [&report.covered, &report.superseded]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    for event in ids(&before) {
        assert!(shown.contains(&event) != left.contains(&event), "{event}");
    }
    let old: BTreeSet<EventId> = ids(&before).into_iter().collect();
    let new: Vec<EventId> = shown.difference(&old).cloned().collect();
    let expected = BTreeSet::from([prompt.id.clone(), summary.id.clone()]);
    assert_eq!(new.into_iter().collect::<BTreeSet<_>>(), expected);

    let words = |event: &&Arc<Event>| is_person(event);
    let newest = before.events().iter().rev().find(words).unwrap();
    assert!(
        shown.contains(&newest.id),
        "the last words of the person stay"
    );
    let system = |view: &View| {
        let is_system =
            |event: &&Arc<Event>| event.as_message().is_some_and(|it| it.role.is_system());
        view.events()
            .iter()
            .rev()
            .find(is_system)
            .map(|event| event.id.clone())
    };
    assert_eq!(system(&before), system(&after), "the system prompt stays");

    sessions.undo(id).await.unwrap().unwrap();
    assert_eq!(
        ids(&sessions.view(id).await.unwrap()),
        ids(&before),
        "undone"
    );
    sessions.redo(id).await.unwrap().unwrap();
    assert_eq!(
        ids(&sessions.view(id).await.unwrap()),
        ids(&after),
        "redone"
    );
    report
}

fn provider_takes(view: &View) {
    for format in [Format::OpenAiChat, Format::Anthropic] {
        let messages: Vec<Message> = view
            .messages()
            .map(|message| message.into_owned())
            .collect();
        let request = view_as_request(&messages, format).unwrap();
        assert_eq!(check_request(format, &request.text), [], "{format:?}");
    }
}

fn is_person(event: &Event) -> bool {
    !event.origin.is_synthetic() && event.as_message().is_some_and(|it| it.role == Role::User)
}

fn ids(view: &View) -> Vec<EventId> {
    view.events().iter().map(|event| event.id.clone()).collect()
}

fn told(report: &Report) -> String {
    let size = |tokens: u64, events: u64| format!("{tokens} tokens in {events} events");
    let summary = report.summary.as_ref().map(|summary| {
        let receipt = &summary.receipt;
        format!(
            ", {} attempts, read {:?}, wrote {:?}, {} ms",
            receipt.attempts,
            receipt.input_tokens.unwrap_or(0),
            receipt.output_tokens.unwrap_or(0),
            receipt.duration_ms.unwrap_or(0),
        )
    });
    format!(
        "{} {}, {} -> {}{}",
        report.outcome.as_str(),
        report.reason().unwrap_or_default(),
        size(report.before.tokens, report.before.events),
        size(report.after.tokens, report.after.events),
        summary.unwrap_or_default(),
    )
}

/// Thirty messages about a billing service.
fn talk() -> Vec<NewEvent> {
    events(include_bytes!(
        "../../session-summarizer-http/tests/recordings/conversation.json"
    ))
}

/// Sixty-two messages of a support agent with tools.
fn airline() -> Vec<NewEvent> {
    events(include_bytes!(
        "../../../docs/examples/airline-support.openai-chat.json"
    ))
}

fn events(file: &[u8]) -> Vec<NewEvent> {
    let transcript = read(file, &ReadOptions::default()).unwrap();
    let mut conversations = transcript.conversations;
    conversations.pop().unwrap().events
}
