//! Lines of Qwen Code: a tree, with messages of parts.

use std::collections::BTreeSet;

use session_log::{Message, Origin, Part, Role};

use crate::format::Format;
use crate::formats::gemini_cli::{message, parts};
use crate::formats::log::{Compaction, Log, Spot};
use crate::formats::parts::fields_but;
use crate::formats::tree::{self, Node};
use crate::json::{Kind, Members, Object, Raw};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::{Conversation, Warning};

/// Whether the value is a line with a message of parts.
pub(super) fn is_line(raw: Raw<'_>) -> bool {
    raw.find("uuid").is_some()
        && raw.find("sessionId").is_some()
        && raw
            .find("message")
            .is_some_and(|message| message.find("parts").is_some())
}

/// The conversation of a file.
pub(super) fn conversation(values: Vec<Placed<'_>>, context: &mut Context<'_>) -> Conversation {
    let (lines, strangers): (Vec<_>, Vec<_>) = values.into_iter().partition(|value| {
        value.raw.kind() == Kind::Object && value.raw.find_str("uuid").is_some()
    });
    context.skip_all(strangers, "no line of a session");
    let nodes: Vec<Node> = lines.iter().map(node).collect();
    let path = nodes
        .len()
        .checked_sub(1)
        .map(|end| tree::path_to(&nodes, end));
    let path = path.unwrap_or_default();
    for warning in path.warnings {
        context.report.warn(warning);
    }
    let live: BTreeSet<usize> = path.places.into_iter().collect();
    let left = lines.len() - live.len();
    if left > 0 {
        let what = format!("{left} line(s) of given-up branches are kept beside the conversation");
        context.report.warn(Warning::file(what));
    }
    let text = |name: &str| {
        let mut texts = lines.iter().filter_map(|line| line.raw.member_str(name));
        texts.next().map(|text| text.into_owned())
    };
    let id = text("sessionId");
    let texts = lines.iter().map(|line| line.raw.text());
    let mut log = Log::new(Format::GeminiCli, id.as_deref(), texts, context);
    // Where a parent stands behind its child, the order of the file is the better one.
    for (at, line) in lines.iter().enumerate() {
        add(&mut log, at, line, live.contains(&at));
    }
    let mut about = Object::new();
    for name in ["cwd", "version", "gitBranch"] {
        if let Some(value) = text(name) {
            about.str(name, &value);
        }
    }
    let about = about.finish();
    let fields = Raw::trusted(&about).members().unwrap_or_default();
    let mut conversation = log.into_conversation(fields.into_fields(), context);
    let mut models = lines
        .iter()
        .rev()
        .filter_map(|line| line.raw.member_str("model"));
    conversation.model = models.next().map(|model| model.into_owned());
    conversation
}

fn node(line: &Placed<'_>) -> Node {
    let text = |name: &str| line.raw.member_str(name).map(|text| text.into_owned());
    Node {
        line: line.line,
        id: text("uuid"),
        parent: text("parentUuid"),
    }
}

fn add(log: &mut Log, at: usize, line: &Placed<'_>, is_live: bool) {
    let members = line.raw.members().unwrap_or_default();
    let spot = Spot::of(line, at)
        .named(members.peek_str("uuid"))
        .at(members.peek("timestamp"));
    let is_compaction = members.peek_str("subtype").as_deref() == Some("chat_compression");
    if is_live && is_compaction && compaction(log, &spot, &members) {
        return;
    }
    match said(&members).filter(|_| is_live) {
        Some((message, origin)) => {
            log.message(&spot, message, origin);
        }
        None => log.aside(&spot, line.raw),
    }
}

fn said(members: &Members<'_>) -> Option<(Message, Origin)> {
    let kind = members.peek_str("type")?;
    let content = members.peek("message")?;
    let (message, _) = content_message(content, &kind)?;
    let mut message = message;
    let known = [
        "uuid",
        "parentUuid",
        "sessionId",
        "type",
        "message",
        "timestamp",
    ];
    message.extra = fields_but(members, &known);
    let origin = match message.role {
        Role::User => message::origin(&message)?,
        _ => Origin::Real,
    };
    Some((message, origin))
}

/// A content as a message; what a function brought is the tool's.
fn content_message(content: Raw<'_>, kind: &str) -> Option<(Message, Origin)> {
    let parts = parts::read_all(content.member("parts"));
    let has_results = parts.iter().any(|part| matches!(part, Part::ToolResult(_)));
    let role = match (kind, content.member_str("role").as_deref()) {
        _ if has_results => Role::Tool,
        ("assistant", _) | (_, Some("model")) => Role::Assistant,
        ("user" | "tool_result" | "", _) => Role::User,
        _ => return None,
    };
    if parts.is_empty() {
        return None;
    }
    Some((Message::new(role, parts), Origin::Real))
}

/// The history is another one from here on, if it is there.
fn compaction(log: &mut Log, spot: &Spot<'_>, members: &Members<'_>) -> bool {
    let payload = members.peek("systemPayload");
    let history = payload.and_then(|payload| payload.member("compressedHistory")?.items());
    let Some(history) = history else {
        return false;
    };
    let summary = history
        .into_iter()
        .filter_map(|content| content_message(content, ""));
    let info = payload.and_then(|payload| payload.member("info"));
    let number = |name: &str| info.and_then(|info| info.member(name)?.text().parse().ok());
    let compaction = Compaction {
        summary: summary.map(|(message, _)| message).collect(),
        about: info.map(Raw::to_json),
        tokens_before: number("originalTokenCount").unwrap_or(0),
        tokens_after: number("newTokenCount").unwrap_or(0),
        ..Compaction::default()
    };
    let mut beside = Object::new();
    for (name, raw) in members.iter().filter(|(name, _)| *name != "systemPayload") {
        beside.raw(name, raw.text());
    }
    log.compaction(spot, compaction, beside.into_json());
    true
}
