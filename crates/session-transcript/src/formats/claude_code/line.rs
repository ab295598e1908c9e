//! One line of a session file.

use std::ops::Range;

use crate::formats::claude_code::is_metadata;
use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::Scan;
use crate::speech;
use crate::transcript::Warning;

/// A line, with what the tree needs of it.
#[derive(Clone)]
pub(super) struct Line<'a> {
    pub(super) raw: Raw<'a>,
    pub(super) members: Members<'a>,
    /// The members of the message, or of the attachment in the place of one.
    pub(super) message: Members<'a>,
    pub(super) number: u64,
    pub(super) bytes: Range<u64>,
    pub(super) uuid: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) is_side: bool,
    pub(super) is_metadata: bool,
    pub(super) what: What,
    pub(super) message_id: Option<String>,
    /// The ids of the calls the line makes.
    pub(super) calls: Vec<String>,
    /// The ids of the calls the line answers.
    pub(super) answers: Vec<String>,
}

/// What a line is to the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A prompt, or text put in in the person's name.
    User,
    /// Results of tool calls, perhaps with text beside them.
    Results,
    /// A block of a reply.
    Assistant,
    /// A text the person sent while the model worked.
    Queued,
    /// Earlier lines were summarized here.
    Boundary,
    /// A link of the chain that says nothing to the model.
    Link,
    /// Session metadata, or a message line without content.
    Other,
}

impl What {
    pub(super) fn is_message(self) -> bool {
        matches!(
            self,
            Self::User | Self::Results | Self::Assistant | Self::Queued
        )
    }
}

/// The lines of a file. Records that are no objects are skipped.
pub(super) fn lines<'a>(scan: &'a Scan<'a>, context: &mut Context<'_>) -> Vec<Line<'a>> {
    let mut lines = Vec::with_capacity(scan.records.len());
    for record in &scan.records {
        let raw = record.raw();
        let parts = raw.items().unwrap_or_else(|| vec![raw]);
        for raw in parts {
            let Some(members) = raw.members() else {
                context.skip(record.line, record.bytes.clone(), "not an object");
                continue;
            };
            context.warn_of_repeated(record.line, &members);
            let line = Line::new(raw, members, record.line, record.bytes.clone());
            if line.is_empty_message() {
                context.report.warn(Warning::line(
                    line.number,
                    "a message line without content is kept aside",
                ));
            }
            lines.push(line);
        }
    }
    lines
}

impl<'a> Line<'a> {
    fn new(raw: Raw<'a>, members: Members<'a>, number: u64, bytes: Range<u64>) -> Self {
        let text = |name: &str| {
            let text = members.peek_str(name).map(|text| text.into_owned());
            text.filter(|text| !text.is_empty())
        };
        let kind = members.peek_str("type").unwrap_or_default();
        let holder = if kind == "attachment" {
            "attachment"
        } else {
            "message"
        };
        let message = members
            .peek(holder)
            .and_then(Raw::members)
            .unwrap_or_default();
        let blocks = message
            .peek("content")
            .and_then(Raw::items)
            .unwrap_or_default();
        let (calls, answers) = links(&blocks);
        let what = what(&kind, &members, &message, !answers.is_empty());
        let parent = match what {
            What::Boundary => text("parentUuid").or_else(|| text("logicalParentUuid")),
            _ => text("parentUuid"),
        };
        let message_id = message.peek_str("id").filter(|_| what == What::Assistant);
        Self {
            raw,
            number,
            bytes,
            uuid: text("uuid"),
            parent,
            is_side: members
                .peek("isSidechain")
                .and_then(Raw::as_bool)
                .unwrap_or(false),
            is_metadata: is_metadata(&members),
            what,
            message_id: message_id.map(|id| id.into_owned()),
            calls,
            answers,
            message,
            members,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.members.peek_str(name).map(|text| text.into_owned())
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.members
            .peek(name)
            .and_then(Raw::as_bool)
            .unwrap_or(false)
    }

    pub(super) fn content(&self) -> Option<Raw<'a>> {
        self.message.peek(if self.what == What::Queued {
            "prompt"
        } else {
            "content"
        })
    }

    /// Whether a program wrote the line in the person's name.
    pub(super) fn is_injected(&self) -> bool {
        if self.flag("isMeta") {
            return true;
        }
        let Some(content) = self.content() else {
            return false;
        };
        if let Some(text) = content.as_str() {
            return speech::is_injected([&*text]);
        }
        let blocks = content.items().unwrap_or_default();
        let texts: Vec<_> = blocks.iter().map(|block| block.find_str("text")).collect();
        texts.iter().all(Option::is_some)
            && speech::is_injected(texts.iter().flatten().map(|text| &**text))
    }

    fn is_empty_message(&self) -> bool {
        let kind = self.members.peek_str("type");
        self.what == What::Other && matches!(kind.as_deref(), Some("user" | "assistant"))
    }
}

/// The ids of the calls that blocks make, and of those they answer.
fn links(blocks: &[Raw<'_>]) -> (Vec<String>, Vec<String>) {
    let (mut calls, mut answers) = (Vec::new(), Vec::new());
    for block in blocks {
        let id = |name: &str| block.find_str(name).map(|id| id.into_owned());
        match block.find_str("type").as_deref() {
            Some("tool_use") => calls.extend(id("id")),
            Some("tool_result") => answers.extend(id("tool_use_id")),
            _ => {}
        }
    }
    (calls, answers)
}

fn what(kind: &str, members: &Members<'_>, message: &Members<'_>, has_answers: bool) -> What {
    let has = |name: &str| {
        let content = message.peek(name);
        content.is_some_and(|content| matches!(content.kind(), Kind::String | Kind::Array))
    };
    match kind {
        "user" if has("content") && has_answers => What::Results,
        "user" if has("content") => What::User,
        "assistant" if has("content") => What::Assistant,
        "system" if members.peek_str("subtype").as_deref() == Some("compact_boundary") => {
            What::Boundary
        }
        "attachment" => match message.peek_str("type").as_deref() {
            Some("queued_command") if has("prompt") => What::Queued,
            _ => What::Link,
        },
        "system" | "progress" => What::Link,
        _ => What::Other,
    }
}
