//! The one formatter: how an event reads as text, for counting and for prompts.

use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

use compaction_core::TokenEstimator;

use crate::message::{Message, Role};
use crate::part::{MediaKind, Part, ToolResult};

/// Renders a message as text.
///
/// One formatter serves counting and the summarizer's prompt, so what is counted is what is read.
/// Replace it to change both.
pub trait MessageFormat: Send + Sync {
    /// Appends `message` to `out`, as one paragraph without a final line break.
    fn format(&self, message: &Message, out: &mut String);
}

impl<T: MessageFormat + ?Sized> MessageFormat for &T {
    fn format(&self, message: &Message, out: &mut String) {
        (**self).format(message, out);
    }
}

impl<T: MessageFormat + ?Sized> MessageFormat for alloc::sync::Arc<T> {
    fn format(&self, message: &Message, out: &mut String) {
        (**self).format(message, out);
    }
}

/// The built-in formatter.
///
/// - `User: text`, `Assistant: text`, `System: text`; `[no text content]` where there is no text;
/// - `Assistant: text [tool calls: name(args), name(args)]`, and `Assistant [tool calls: …]` when
///   the text is blank;
/// - `Tool [responses: name -> data, name -> data]`;
/// - media as `[image]`, `[audio]`, `[video]`, `[file]` behind the text. Reasoning and parts we do
///   not know are not shown.
///
/// Line breaks of a text are not escaped, and ids of calls do not appear.
///
/// ```
/// use session_log::{LineFormat, Message, MessageFormat, ToolCall};
///
/// let mut text = String::new();
/// LineFormat.format(&Message::tool_calls([ToolCall::new("k1", "clock", "{}")]), &mut text);
/// assert_eq!(text, "Assistant [tool calls: clock({})]");
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to set")]
pub struct LineFormat;

impl MessageFormat for LineFormat {
    fn format(&self, message: &Message, out: &mut String) {
        let mut results = message.results().peekable();
        if results.peek().is_some() {
            out.push_str("Tool [responses: ");
            for (index, result) in results.enumerate() {
                let separator = if index == 0 { "" } else { ", " };
                let name = result.name.as_deref().unwrap_or("tool");
                let _ = write!(out, "{separator}{name} -> ");
                push_result(result, out);
            }
            out.push(']');
            if message.is_only_results() {
                return;
            }
            out.push('\n');
        }
        out.push_str(label(&message.role));
        push_text(message, out);
        for part in &message.parts {
            if let Part::Media(media) = part {
                let _ = write!(out, " [{}]", media.kind.as_str());
            }
        }
    }
}

fn label(role: &Role) -> &str {
    match role {
        Role::System | Role::Developer => "System",
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
        Role::Other(name) => name,
    }
}

fn push_text(message: &Message, out: &mut String) {
    let text = spoken(&message.parts);
    let mut calls = message.calls().peekable();
    if calls.peek().is_none() {
        let has_media = message
            .parts
            .iter()
            .any(|part| matches!(part, Part::Media(_)));
        match text {
            Some(text) => {
                let _ = write!(out, ": {text}");
            }
            None if has_media => out.push(':'),
            None => out.push_str(": [no text content]"),
        }
        return;
    }
    if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
        let _ = write!(out, ": {text}");
    }
    out.push_str(" [tool calls: ");
    for (index, call) in calls.enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        let _ = write!(out, "{separator}{}({})", call.name, call.arguments.as_str());
    }
    out.push(']');
}

/// Text and refusals, joined by line breaks; `None` when there is no such part.
fn spoken(parts: &[Part]) -> Option<String> {
    let mut joined: Option<String> = None;
    for part in parts {
        let (Part::Text(text) | Part::Refusal(text)) = part else {
            continue;
        };
        match &mut joined {
            None => joined = Some(text.text.clone()),
            Some(joined) => {
                joined.push('\n');
                joined.push_str(&text.text);
            }
        }
    }
    joined
}

fn push_result(result: &ToolResult, out: &mut String) {
    for (index, part) in result.parts.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        match part {
            Part::Text(text) | Part::Refusal(text) => out.push_str(&text.text),
            Part::Media(media) => {
                let _ = write!(out, "[{}]", media.kind.as_str());
            }
            Part::Opaque(opaque) => out.push_str(&without_payloads(opaque.json.as_str()).0),
            _ => {}
        }
    }
}

/// Tokens of an image: the most with Claude up to Opus 4.6; GPT-4o in high detail costs at most
/// 1,445. The sources of all four are in `docs/tokens.md`.
pub const IMAGE_TOKENS: u64 = 1_600;
/// Tokens of a sound: one minute at 32 tokens a second, Gemini's rate.
pub const AUDIO_TOKENS: u64 = 1_920;
/// Tokens of a video: one minute at 263 tokens a second, Gemini's rate.
pub const VIDEO_TOKENS: u64 = 15_780;
/// Tokens of a file: a dense page of a PDF with Claude.
pub const FILE_TOKENS: u64 = 3_000;

/// The fixed cost of media of `kind` in tokens. The base64 length is never counted.
#[must_use]
pub fn media_tokens(kind: MediaKind) -> u64 {
    match kind {
        MediaKind::Image => IMAGE_TOKENS,
        MediaKind::Audio => AUDIO_TOKENS,
        MediaKind::Video => VIDEO_TOKENS,
        MediaKind::File => FILE_TOKENS,
    }
}

/// The cost of a message in tokens: its formatted text, readable reasoning, parts we do not know
/// as JSON, a fixed cost for each piece of media, and a quarter of the bytes of encrypted
/// reasoning.
///
/// ```
/// use session_log::{LineFormat, Message, message_tokens};
/// # struct Characters;
/// # impl compaction_core::TokenEstimator for Characters {
/// #     fn name(&self) -> &str { "characters" }
/// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
/// # }
/// assert_eq!(message_tokens(&Message::user("u1"), &LineFormat, &Characters), 8); // "User: u1"
/// ```
#[must_use]
pub fn message_tokens(
    message: &Message,
    format: &(impl MessageFormat + ?Sized),
    estimator: &(impl TokenEstimator + ?Sized),
) -> u64 {
    let mut text = String::new();
    format.format(message, &mut text);
    let tokens = estimator.estimate(&text);
    unformatted_tokens(&message.parts, estimator).fold(tokens, u64::saturating_add)
}

fn unformatted_tokens<'a>(
    parts: &'a [Part],
    estimator: &'a (impl TokenEstimator + ?Sized),
) -> impl Iterator<Item = u64> + 'a {
    parts.iter().map(|part| match part {
        Part::Media(media) => media_tokens(media.kind),
        Part::Reasoning(reasoning) => {
            let text = reasoning.text.as_deref().unwrap_or_default();
            let encrypted = reasoning.encrypted.as_deref().map_or(0, str::len) as u64;
            estimator
                .estimate(text)
                .saturating_add(encrypted.div_ceil(4))
        }
        Part::Opaque(opaque) => {
            let (text, payloads) = without_payloads(opaque.json.as_str());
            estimator
                .estimate(&text)
                .saturating_add(payloads.saturating_mul(IMAGE_TOKENS))
        }
        Part::ToolResult(result) => result
            .parts
            .iter()
            .map(|part| match part {
                Part::Media(media) => media_tokens(media.kind),
                // Its text is part of the formatted line.
                Part::Opaque(opaque) => without_payloads(opaque.json.as_str())
                    .1
                    .saturating_mul(IMAGE_TOKENS),
                _ => 0,
            })
            .fold(0, u64::saturating_add),
        Part::Text(_) | Part::ToolCall(_) | Part::Refusal(_) => 0,
    })
}

/// The shortest run of base64 characters that counts as a payload and not as text.
const PAYLOAD_BYTES: usize = 1024;

/// The text with every long base64 run replaced by a mark, and how many there were: a part we do
/// not know may carry a picture, whose bytes are not what a model reads.
fn without_payloads(text: &str) -> (String, u64) {
    let mut kept = String::new();
    let mut payloads = 0;
    let is_payload_char =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    let mut rest = text;
    while !rest.is_empty() {
        let run = rest.find(|c| !is_payload_char(c)).unwrap_or(rest.len());
        let other = rest.find(is_payload_char).unwrap_or(rest.len());
        let (piece, remainder) = rest.split_at(run.max(other));
        if run >= PAYLOAD_BYTES {
            payloads += 1;
            kept.push_str(&format!("[{run} bytes]"));
        } else {
            kept.push_str(piece);
        }
        rest = remainder;
    }
    (kept, payloads)
}
