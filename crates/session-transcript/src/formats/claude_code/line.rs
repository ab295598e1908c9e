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
    pub(super) number: u64,
    pub(super) bytes: Range<u64>,
    pub(super) uuid: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) is_side: bool,
    pub(super) is_metadata: bool,
    pub(super) what: What,
    pub(super) message_id: Option<String>,
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
        let Some(raw) = record.raw() else {
            continue;
        };
        let parts = raw.items().unwrap_or_else(|| vec![raw]);
        for raw in parts {
            let Some(members) = raw.members() else {
                context.skip(record.line, record.bytes.clone(), "not an object");
                continue;
            };
            let repeated = members.repeated();
            if repeated > 0 {
                let what = format!("{repeated} member(s) are there twice: the last one counts");
                context.report.warn(Warning::line(record.line, what));
            }
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
            members
                .peek_str(name)
                .map(|text| text.into_owned())
                .filter(|text| !text.is_empty())
        };
        let what = what(&members);
        let parent = match what {
            What::Boundary => text("parentUuid").or_else(|| text("logicalParentUuid")),
            _ => text("parentUuid"),
        };
        let message_id = members
            .peek("message")
            .and_then(|message| message.member_str("id"));
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
            is_metadata: is_metadata(raw),
            what,
            message_id: message_id
                .filter(|_| what == What::Assistant)
                .map(|id| id.into_owned()),
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
        match self.what {
            What::Queued => self.members.peek("attachment")?.member("prompt"),
            _ => self.members.peek("message")?.member("content"),
        }
    }

    /// The blocks of the content, if it is a list.
    pub(super) fn blocks(&self) -> Vec<Raw<'a>> {
        self.content().and_then(Raw::items).unwrap_or_default()
    }

    /// Whether a program wrote the line in the person's name.
    pub(super) fn is_injected(&self) -> bool {
        if self.flag("isMeta") {
            return true;
        }
        let text = self.content().and_then(Raw::as_str);
        match text {
            Some(text) => speech::is_injected([&*text]),
            None => {
                let texts: Vec<_> = self
                    .blocks()
                    .iter()
                    .map(|block| block.member_str("text"))
                    .collect();
                texts.iter().all(Option::is_some)
                    && speech::is_injected(texts.iter().flatten().map(|text| &**text))
            }
        }
    }

    /// The ids of the calls the line makes.
    pub(super) fn calls(&self) -> Vec<String> {
        self.ids("tool_use", "id")
    }

    /// The ids of the calls the line answers.
    pub(super) fn answers(&self) -> Vec<String> {
        self.ids("tool_result", "tool_use_id")
    }

    fn ids(&self, kind: &str, name: &str) -> Vec<String> {
        let is_kind = |block: &Raw<'_>| block.member_str("type").as_deref() == Some(kind);
        let blocks = self.blocks().into_iter().filter(is_kind);
        blocks
            .filter_map(|block| Some(block.member_str(name)?.into_owned()))
            .collect()
    }

    fn is_empty_message(&self) -> bool {
        self.what == What::Other
            && matches!(
                self.members.peek_str("type").as_deref(),
                Some("user" | "assistant")
            )
    }
}

fn what(members: &Members<'_>) -> What {
    let kind = members.peek_str("type").unwrap_or_default();
    let content = || {
        members
            .peek("message")
            .and_then(|message| message.member("content"))
    };
    let is_content = |raw: &Raw<'_>| matches!(raw.kind(), Kind::String | Kind::Array);
    match &*kind {
        "user" => match content().filter(is_content) {
            Some(content) if has_results(content) => What::Results,
            Some(_) => What::User,
            None => What::Other,
        },
        "assistant" if content().filter(is_content).is_some() => What::Assistant,
        "system" if members.peek_str("subtype").as_deref() == Some("compact_boundary") => {
            What::Boundary
        }
        "attachment" => match members.peek("attachment") {
            Some(attachment)
                if attachment.member_str("type").as_deref() == Some("queued_command")
                    && attachment.member("prompt").filter(is_content).is_some() =>
            {
                What::Queued
            }
            _ => What::Link,
        },
        "system" | "progress" => What::Link,
        _ => What::Other,
    }
}

fn has_results(content: Raw<'_>) -> bool {
    let blocks = content.items().unwrap_or_default();
    blocks
        .iter()
        .any(|block| block.member_str("type").as_deref() == Some("tool_result"))
}
