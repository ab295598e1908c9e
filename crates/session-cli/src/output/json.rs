//! JSON documents as `--json` prints them.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use session::{Event, EventId, Report, View};
use session_log::{Message, Size};
use session_transcript::{Format, Item, Repair, WriteOptions, write};

use crate::commands::pass::Pass;
use crate::failure::Failure;
use crate::output::receipt::warnings;

/// A document as text, on one line.
pub(crate) fn document(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::work(format!("cannot write the JSON document: {error}")))?;
    // Parts that are kept as they were written may be spread over lines; inside of strings a line
    // break is never written as one.
    let mut text = text.replace(['\n', '\r'], " ");
    text.push('\n');
    Ok(text)
}

/// JSON text that is in the document as it was written; `null` if it is none.
pub(crate) fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// How many events, turns and tokens.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct SizeJson {
    pub(crate) events: u64,
    pub(crate) turns: u64,
    pub(crate) tokens: u64,
}

impl From<Size> for SizeJson {
    fn from(size: Size) -> Self {
        let Size {
            events,
            turns,
            tokens,
            ..
        } = size;
        Self {
            events,
            turns,
            tokens,
        }
    }
}

/// A pass.
#[derive(Debug, Serialize)]
pub(crate) struct PassJson<'a> {
    outcome: &'static str,
    reason: Option<&'a str>,
    session: &'a str,
    version: u64,
    trigger: TriggerJson<'a>,
    strategy: Box<RawValue>,
    estimator: &'a str,
    before: SizeJson,
    after: SizeJson,
    pinned: Vec<&'a str>,
    superseded: Vec<&'a str>,
    covered: Vec<&'a str>,
    cleared: Vec<&'a str>,
    preserved: Vec<&'a str>,
    summary: Option<SummaryJson<'a>>,
    warnings: Vec<String>,
    view: Vec<ShownJson<'a>>,
}

#[derive(Debug, Serialize)]
struct TriggerJson<'a> {
    fired: bool,
    why: &'a str,
}

#[derive(Debug, Serialize)]
struct SummaryJson<'a> {
    text: &'a str,
    model: &'a str,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    duration_ms: Option<u64>,
    attempts: u64,
}

impl<'a> PassJson<'a> {
    /// A pass, with what was said about the file it is of.
    pub(crate) fn new(pass: &'a Pass, about_file: impl IntoIterator<Item = String>) -> Self {
        let report = &pass.report;
        Self {
            outcome: report.outcome.as_str(),
            reason: report.reason(),
            session: report.session.as_str(),
            version: report.version.as_u64(),
            trigger: TriggerJson {
                fired: report.fired,
                why: &report.why,
            },
            strategy: raw(report.strategy.as_str()),
            estimator: &report.estimator,
            before: report.before.into(),
            after: report.after.into(),
            pinned: ids(&report.pinned),
            superseded: ids(&report.superseded),
            covered: ids(&report.covered),
            cleared: ids(&report.cleared),
            preserved: ids(&report.preserved),
            summary: summary(report),
            warnings: warnings(pass).chain(about_file).collect(),
            view: shown(&pass.after),
        }
    }
}

fn summary(report: &Report) -> Option<SummaryJson<'_>> {
    let summary = report.summary.as_ref()?;
    let receipt = &summary.receipt;
    Some(SummaryJson {
        text: &summary.text,
        model: &receipt.model,
        input_tokens: receipt.input_tokens,
        output_tokens: receipt.output_tokens,
        duration_ms: receipt.duration_ms,
        attempts: receipt.attempts,
    })
}

fn ids(ids: &[EventId]) -> Vec<&str> {
    ids.iter().map(EventId::as_str).collect()
}

/// A message of a view in the shape of OpenAI chat.
#[derive(Debug, Serialize)]
pub(crate) struct ShownJson<'a> {
    id: &'a str,
    role: &'a str,
    synthetic: bool,
    message: Box<RawValue>,
}

/// The messages of a view. An event that is several messages in chat, such as one with two tool
/// results, is there once for each.
pub(crate) fn shown(view: &View) -> Vec<ShownJson<'_>> {
    let mut shown = Vec::with_capacity(view.events().len());
    for event in view.events() {
        let Some(message) = view.shown(event) else {
            continue;
        };
        let (id, synthetic) = (event.id.as_str(), event.origin.is_synthetic());
        let role = event
            .as_message()
            .map_or("", |message| message.role.as_str());
        for message in in_chat(event, message) {
            shown.push(ShownJson {
                id,
                role,
                synthetic,
                message,
            });
        }
    }
    shown
}

/// An event's message as chat messages; `null` if chat has no place for it.
fn in_chat(event: &Event, message: Cow<'_, Message>) -> Vec<Box<RawValue>> {
    let item = Item::from(event).with_message(message);
    let options = WriteOptions::default().with_repair(Repair::Nothing);
    let messages = write([item], None, Format::OpenAiChat, &options)
        .ok()
        .and_then(|written| serde_json::from_str::<Vec<Box<RawValue>>>(&written.text).ok())
        .filter(|messages| !messages.is_empty());
    messages.unwrap_or_else(|| vec![RawValue::NULL.to_owned()])
}
