//! The chat history of aider. It is Markdown, which the source turned into records; who said what
//! is only told by how a line begins.

use session_log::{Message, Origin};

use crate::format::Format;
use crate::formats::log::{Log, Spot};
use crate::formats::{self, Head};
use crate::json::Raw;
use crate::read::Context;
use crate::source::{Placed, Scan};
use crate::transcript::{Conversation, Warning};

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::Aider
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        is_record(*head.values.first()?).then(|| "runs of a chat history".into())
    }

    /// Each run is a conversation; a run in which nothing was said is none.
    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let mut runs: Vec<Vec<Placed<'_>>> = Vec::new();
        for value in Placed::all(scan) {
            if !is_record(value.raw) {
                let spot = place(&value);
                context.skip(spot.line, spot.bytes, "no part of a chat history");
                continue;
            }
            match (&*speaker(value.raw), runs.last_mut()) {
                ("run", _) => runs.push(vec![value]),
                (_, Some(run)) => run.push(value),
                (_, None) => {
                    let spot = place(&value);
                    context.skip(spot.line, spot.bytes, "text in front of the first run");
                }
            }
        }
        let is_said = |run: &&Vec<Placed<'_>>| run.len() > 1;
        let conversations = runs.iter().filter(is_said);
        let conversations: Vec<_> = conversations
            .map(|run| conversation(run, context))
            .collect();
        if !conversations.is_empty() {
            let what = "a heading in a reply may have been read as the person's words, a quotation as the program's: the format has no difference";
            context.report.warn(Warning::file(what));
        }
        conversations
    }

    fn can_write(&self) -> bool {
        false
    }
}

fn is_record(raw: Raw<'_>) -> bool {
    raw.find_str("aider").is_some() && raw.find("bytes").is_some() && raw.find_str("text").is_some()
}

fn speaker(raw: Raw<'_>) -> String {
    raw.find_str("aider").unwrap_or_default().into_owned()
}

/// Where the record stood in the Markdown.
fn place<'a>(value: &Placed<'a>) -> Spot<'a> {
    let mut spot = Spot::of(value, 0);
    let number = |raw: Raw<'_>| raw.text().parse::<u64>().ok();
    let bytes = value.raw.member("bytes").and_then(Raw::items);
    let bytes: Vec<u64> = bytes
        .unwrap_or_default()
        .into_iter()
        .filter_map(number)
        .collect();
    if let [start, end] = bytes.as_slice() {
        spot.bytes = *start..*end;
    }
    if let Some(line) = value.raw.member("line").and_then(number) {
        spot.line = line;
    }
    spot
}

fn conversation(run: &[Placed<'_>], context: &mut Context<'_>) -> Conversation {
    let time = run.first().and_then(|head| head.raw.member("text"));
    let name = time.and_then(Raw::as_str);
    let name = name.map(|time| format!("{}-{time}", Format::Aider));
    let texts = run.iter().map(|value| value.raw.text());
    let mut log = Log::new(Format::Aider, name.as_deref(), texts, context);
    for (at, value) in run.iter().enumerate().skip(1) {
        let mut spot = place(value).at(time);
        let numbered = Spot::of(value, at);
        (spot.record, spot.name) = (numbered.record, numbered.name);
        let text = value.raw.member_str("text").unwrap_or_default();
        let message = match &*speaker(value.raw) {
            // What is said to the program, and not to the model.
            "user" if text.starts_with(['/', '!']) => None,
            "user" => Some(Message::user(text)),
            "assistant" => Some(Message::assistant(text)),
            _ => None,
        };
        match message {
            Some(message) => {
                log.message(&spot, message, Origin::Real);
            }
            None => log.aside(&spot, value.raw),
        }
    }
    log.into_conversation(session_log::Fields::new(), context)
}
