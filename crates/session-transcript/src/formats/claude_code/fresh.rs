//! Lines for messages that did not come from a session file.

use session_log::{Fields, Json, Part, Role, Timestamp};

use crate::format::Format;
use crate::formats::anthropic::blocks_out::{self, NoBlock};
use crate::formats::claude_code::line_out::{Content, Line};
use crate::formats::style::Style;
use crate::ids::digest;
use crate::item::Item;
use crate::json::{Object, Raw};
use crate::repair::Arranged;
use crate::time;
use crate::write::Draft;

/// Makes lines with fresh ids, the same for the same draft.
pub(super) struct Fresh<'a> {
    fields: Option<&'a Fields>,
    seed: String,
    session: String,
    count: u64,
}

impl<'a> Fresh<'a> {
    pub(super) fn new(draft: &Draft<'a>) -> Self {
        let fields = draft
            .envelope
            .filter(|envelope| envelope.format == Format::ClaudeCode)
            .map(|envelope| &envelope.fields);
        let ids = draft
            .items
            .iter()
            .filter_map(|item| item.id)
            .map(|id| id.as_str());
        let texts: Vec<String> = draft
            .items
            .iter()
            .filter_map(|item| Some(item.message()?.text().into_owned()))
            .collect();
        let seed = digest(ids.chain(texts.iter().map(String::as_str)));
        let mut fresh = Self {
            fields,
            seed,
            session: String::new(),
            count: 0,
        };
        fresh.session = fresh
            .field("sessionId")
            .unwrap_or_else(|| uuid(&[&fresh.seed, "session"]));
        fresh
    }

    fn field(&self, name: &str) -> Option<String> {
        let json = self.fields?.get(name)?;
        Some(Raw::parse(json.as_str())?.as_str()?.into_owned())
    }

    fn next_uuid(&mut self) -> String {
        self.count += 1;
        uuid(&[&self.seed, &self.count.to_string()])
    }

    /// A line without content.
    pub(super) fn record(
        &mut self,
        kind: &str,
        uuid: Option<&str>,
        moment: Option<Timestamp>,
    ) -> Json {
        let uuid = uuid.map_or_else(|| self.next_uuid(), str::to_owned);
        let mut message = Object::new();
        message.str("role", kind);
        let mut object = self.base(kind, &uuid, moment);
        object.raw("message", &message.finish());
        object.into_json()
    }

    fn base(&self, kind: &str, uuid: &str, moment: Option<Timestamp>) -> Object {
        let mut object = Object::new();
        object
            .raw("parentUuid", "null")
            .raw("isSidechain", "false")
            .str("userType", "external");
        object
            .str("cwd", &self.field("cwd").unwrap_or_else(|| "/".into()))
            .str("sessionId", &self.session);
        object.str(
            "version",
            &self.field("version").unwrap_or_else(|| "2.0.0".into()),
        );
        object.str("gitBranch", &self.field("gitBranch").unwrap_or_default());
        object.str("type", kind).str("uuid", uuid);
        object.str("timestamp", &time::to_text(moment.unwrap_or_default()));
        object
    }

    /// The lines of a message, and how many of its parts have no place; `None` when the message
    /// has no place at all.
    pub(super) fn lines(
        &mut self,
        arranged: &Arranged<'_>,
        item: Option<&Item<'_>>,
        number: u64,
    ) -> Option<(Vec<Line>, usize)> {
        let message = &arranged.message;
        let kind = match message.role {
            Role::User | Role::Tool => "user",
            Role::Assistant => "assistant",
            _ => return None,
        };
        let format = arranged.note.as_ref().map(|note| note.format);
        let is_own =
            format.is_none_or(|format| matches!(format, Format::Anthropic | Format::ClaudeCode));
        let style = Style {
            is_own,
            is_exact: false,
        };
        let mut blocks = Vec::new();
        let mut lost = 0;
        for part in &message.parts {
            match blocks_out::block(part, style) {
                Ok(block) => blocks.push((part, block)),
                Err(NoBlock::Blank) => {}
                Err(NoBlock::Unsigned | NoBlock::Foreign) => lost += 1,
            }
        }
        let moment = item.and_then(|item| item.timestamp);
        let position = arranged.position.unwrap_or(0);
        let lines = match kind {
            "assistant" => self.reply(&blocks, arranged.is_summary, moment),
            _ => self.spoken(&blocks, arranged.is_summary, moment),
        };
        let place = |mut line: Line| {
            line.number = number;
            line.item = position;
            line
        };
        Some((lines.into_iter().map(place).collect(), lost))
    }

    /// Each result a line of its own, what is left in one line.
    fn spoken(
        &mut self,
        blocks: &[(&Part, String)],
        is_summary: bool,
        moment: Option<Timestamp>,
    ) -> Vec<Line> {
        let mut lines = Vec::new();
        let is_result = |part: &Part| matches!(part, Part::ToolResult(_));
        for (_, block) in blocks.iter().filter(|(part, _)| is_result(part)) {
            let record = self.record("user", None, moment);
            lines.push(line(record, vec![block.clone()], false));
        }
        let rest: Vec<&(&Part, String)> =
            blocks.iter().filter(|(part, _)| !is_result(part)).collect();
        if rest.is_empty() {
            return lines;
        }
        let mut record = self.record("user", None, moment);
        if is_summary {
            record = flagged(&record);
        }
        let mut said = line(record, Vec::new(), false);
        said.content = Some(match rest.as_slice() {
            [(Part::Text(text), _)] if text.extra.is_empty() => {
                Content::Plain(crate::json::quote(&text.text))
            }
            many => Content::Blocks(many.iter().map(|(_, block)| (0, block.clone())).collect()),
        });
        lines.push(said);
        lines
    }

    /// One block a line, as Claude Code writes replies.
    fn reply(
        &mut self,
        blocks: &[(&Part, String)],
        is_summary: bool,
        moment: Option<Timestamp>,
    ) -> Vec<Line> {
        let id = format!(
            "msg_{}",
            digest([self.seed.as_str(), &self.count.to_string(), "message"])
        );
        let model = self.field("model").unwrap_or_else(|| "unknown".into());
        let makes_calls = blocks
            .iter()
            .any(|(part, _)| matches!(part, Part::ToolCall(_)));
        let reason = if makes_calls {
            "\"tool_use\""
        } else {
            "\"end_turn\""
        };
        let mut lines = Vec::new();
        for (at, (_, block)) in blocks.iter().enumerate() {
            let mut message = Object::new();
            message
                .str("id", &id)
                .str("type", "message")
                .str("role", "assistant")
                .str("model", &model);
            message.raw(
                "stop_reason",
                if at + 1 == blocks.len() {
                    reason
                } else {
                    "null"
                },
            );
            message
                .raw("stop_sequence", "null")
                .raw("usage", r#"{"input_tokens":0,"output_tokens":0}"#);
            let uuid = self.next_uuid();
            let mut object = self.base("assistant", &uuid, moment);
            object.raw("message", &message.finish());
            let mut record = object.into_json();
            if is_summary {
                record = flagged(&record);
            }
            lines.push(line(record, vec![block.clone()], true));
        }
        lines
    }
}

/// The record with the sign of a summary.
fn flagged(record: &Json) -> Json {
    let mut object = Object::new();
    let members = Raw::parse(record.as_str())
        .and_then(Raw::members)
        .unwrap_or_default();
    for (name, value) in members.iter() {
        object.raw(name, value.text());
    }
    object.raw("isCompactSummary", "true");
    object.into_json()
}

fn line(record: Json, blocks: Vec<String>, is_reply: bool) -> Line {
    let uuid = Raw::parse(record.as_str())
        .and_then(|raw| raw.member_str("uuid"))
        .map(|uuid| uuid.into_owned());
    Line {
        number: 0,
        item: 0,
        uuid,
        parent: None,
        is_orphan: false,
        is_kept: false,
        relinked: None,
        is_changed: false,
        is_reply,
        record,
        content: Some(Content::Blocks(
            blocks.into_iter().map(|block| (0, block)).collect(),
        )),
    }
}

/// A uuid in the shape of version 4, the same for the same texts.
fn uuid(texts: &[&str]) -> String {
    let first = digest(texts.iter().copied());
    let second = digest([first.as_str()]);
    let part =
        |text: &str, from: usize, to: usize| text.get(from..to).unwrap_or_default().to_owned();
    format!(
        "{}-{}-4{}-8{}-{}",
        part(&first, 0, 8),
        part(&first, 8, 12),
        part(&first, 13, 16),
        part(&second, 1, 4),
        part(&second, 4, 16),
    )
}
