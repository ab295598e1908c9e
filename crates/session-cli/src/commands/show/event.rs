//! One event for people.

use std::fmt::Write as _;

use session::{Event, Message, View};
use session_log::{Boundary, EventBody, Media, MediaSource, Part, ToolResult};

use crate::output::style::DIM;
use crate::output::text::{block, counted, line, moment, number};
use crate::output::words::plainly;

/// Who says it, or what it is.
pub(crate) fn who(event: &Event) -> String {
    match &event.body {
        EventBody::Message(message) if message.is_only_results() => "tool".into(),
        EventBody::Message(_) if matches!(event.origin, session_log::Origin::Summary { .. }) => {
            "summary".into()
        }
        EventBody::Message(message) => line(message.role.as_str(), 11),
        EventBody::Compaction(_) => "boundary".into(),
        EventBody::Revert(_) => "revert".into(),
        EventBody::Pin(_) => "pin".into(),
        _ => line(event.event_type().as_str(), 11),
    }
}

/// What a message says, on one line.
pub(crate) fn summary(message: &Message) -> String {
    let mut words = Vec::new();
    for part in &message.parts {
        words.push(match part {
            Part::Text(text) | Part::Refusal(text) => text.text.clone(),
            Part::Reasoning(reasoning) => match &reasoning.text {
                Some(text) if !text.trim().is_empty() => format!("(thinks: {text})"),
                _ => "(thinks)".into(),
            },
            Part::ToolCall(call) => format!("→ {}({})", call.name, call.arguments.as_str()),
            Part::ToolResult(result) => format!("{} {}", arrow(result), result_text(result)),
            Part::Media(media) => media_text(media),
            _ => "[other]".into(),
        });
    }
    words.join(" ")
}

/// What an event that is no message records.
pub(crate) fn record(event: &Event) -> String {
    match &event.body {
        EventBody::Compaction(boundary) => boundary_text(boundary),
        EventBody::Revert(revert) => format!("takes back {}", revert.of),
        EventBody::Pin(pin) if pin.is_held => format!("pins {}", pin.of),
        EventBody::Pin(pin) => format!("releases {}", pin.of),
        EventBody::Custom { payload, .. } => payload.as_str().into(),
        EventBody::Message(message) => summary(message),
        _ => String::new(),
    }
}

fn boundary_text(boundary: &Boundary) -> String {
    let receipt = &boundary.receipt;
    let covered = &receipt.covered;
    let places = match (covered.first, covered.last) {
        (Some(first), Some(last)) => format!(" ({first} to {last})"),
        _ => String::new(),
    };
    format!(
        "covers {}{places}, keeps from {} on; {} → {} tokens",
        counted(covered.count, "event"),
        boundary.kept_from,
        number(receipt.before.tokens),
        number(receipt.after.tokens),
    )
}

/// The whole event, each part under a line that says what it is.
pub(crate) fn whole(event: &Event, view: &View) -> String {
    let mut text = format!("  {DIM}{}  {}{DIM:#}\n", event.id, moment(event.timestamp));
    let Some(message) = view.shown(event) else {
        let _ = writeln!(text, "{}", indented(&record(event)));
        if let EventBody::Compaction(boundary) = &event.body {
            let receipt = &boundary.receipt;
            let (trigger, strategy) = (plainly(&receipt.trigger), plainly(&receipt.strategy));
            let _ = writeln!(text, "  {DIM}trigger {trigger}; strategy {strategy}{DIM:#}");
        }
        text.push('\n');
        return text;
    };
    for (title, content) in parts(&message) {
        if !title.is_empty() {
            let _ = writeln!(text, "  {DIM}{}{DIM:#}", line(&title, 200));
        }
        let _ = writeln!(text, "{}", indented(&content));
    }
    text.push('\n');
    text
}

/// What each part of a message says, under a title that says what it is; plain text has none.
pub(crate) fn parts(message: &Message) -> Vec<(String, String)> {
    let titled = |part: &Part| match part {
        Part::Text(it) => Some((String::new(), it.text.clone())),
        Part::Refusal(it) => Some(("refusal".into(), it.text.clone())),
        Part::Reasoning(it) => {
            let hidden = || "[hidden by the provider]".into();
            Some(("reasoning".into(), it.text.clone().unwrap_or_else(hidden)))
        }
        Part::ToolCall(call) => Some((
            format!("calls {} ({})", call.name, call.id),
            call.arguments.as_str().into(),
        )),
        Part::ToolResult(result) => {
            let failed = if result.is_error == Some(true) {
                ", an error"
            } else {
                ""
            };
            let title = format!("result of {}{failed}", result.call_id);
            Some((title, result_text(result)))
        }
        Part::Media(media) => Some(("media".into(), media_text(media))),
        Part::Opaque(opaque) => Some((
            format!("part of {}", opaque.format),
            opaque.json.as_str().into(),
        )),
        _ => None,
    };
    message.parts.iter().filter_map(titled).collect()
}

fn indented(content: &str) -> String {
    let safe = block(content);
    let lines: Vec<String> = safe.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

fn arrow(result: &ToolResult) -> &'static str {
    if result.is_error == Some(true) {
        "✗"
    } else {
        "←"
    }
}

fn result_text(result: &ToolResult) -> String {
    let texts: Vec<String> = result
        .parts
        .iter()
        .map(|part| match part {
            Part::Text(text) | Part::Refusal(text) => text.text.clone(),
            Part::Media(media) => media_text(media),
            Part::Opaque(opaque) => opaque.json.as_str().into(),
            _ => format!("[{}]", part.kind_name()),
        })
        .collect();
    texts.join("\n")
}

fn media_text(media: &Media) -> String {
    let kind = media.kind.as_str();
    let what = media.name.as_deref().or(media.media_type.as_deref());
    let what = what.map(|what| format!(" {what}")).unwrap_or_default();
    match &media.source {
        MediaSource::Url(url) if !url.starts_with("data:") => format!("[{kind}{what} at {url}]"),
        MediaSource::Text(text) => format!("[{kind}{what}] {text}"),
        _ => format!("[{kind}{what}]"),
    }
}
