//! Folding: every covered message is shown once, in order, and no request is over the limit.

mod ends;
mod folded;
mod limits;

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use compaction_core::TokenEstimator as _;
use proptest::prelude::*;
use session_log::{
    Event, EventId, Message, NewEvent, Part, Role, Seq, Timestamp, ToolCall, ToolResult,
};
use session_summarizer::{Brief, Shown, Summarizer, SummarizerError, Summary};

use crate::common::BytesDiv4;

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
