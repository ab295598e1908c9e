//! From events to a conversation.

use session_log::{Branch, Message, Origin, Part, Reasoning, Role, Seq, ToolCall, ToolResult};

use crate::format::Format;
use crate::formats::log::{Compaction, Log, Spot};
use crate::formats::parts::{arguments, content, fields_but, opaque};
use crate::json::{Members, Object, Raw};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::{Conversation, Warning};

/// Types of events that say nothing to the model, by how they begin.
const SILENT: [&str; 9] = [
    "session.",
    "assistant.",
    "tool.",
    "subagent.",
    "hook.",
    "abort",
    "skill.",
    "user.",
    "system.",
];

/// The conversation of events.
pub(super) fn conversation(events: &[Placed<'_>], context: &mut Context<'_>) -> Conversation {
    let start = events
        .iter()
        .find_map(|event| data_of(event, "session.start"));
    let start = start.unwrap_or_default();
    let id = start.peek_str("sessionId");
    let texts = events.iter().map(|event| event.raw.text());
    let mut fold = Fold {
        log: Log::new(Format::CopilotCli, id.as_deref(), texts, context),
        prompts: Vec::new(),
        model: start.peek_str("selectedModel").map(Into::into),
        truncations: 0,
        unknown: Vec::new(),
    };
    for (at, event) in events.iter().enumerate() {
        fold.event(at, event);
    }
    for line in fold.unknown {
        let what = "an event of an unknown type is kept beside the conversation";
        context.report.warn(Warning::line(line, what));
    }
    if fold.truncations > 0 {
        let what = format!(
            "{} truncation(s) do not say what left: the view still shows it",
            fold.truncations
        );
        context.report.warn(Warning::file(what));
    }
    let mut conversation = fold
        .log
        .into_conversation(fields_but(&start, &["sessionId"]), context);
    conversation.model = fold.model;
    conversation
}

fn data_of<'a>(event: &Placed<'a>, kind: &str) -> Option<Members<'a>> {
    let is_kind = event.raw.find_str("type").as_deref() == Some(kind);
    event.raw.member("data").filter(|_| is_kind)?.members()
}

struct Fold {
    log: Log,
    prompts: Vec<Seq>,
    model: Option<String>,
    truncations: usize,
    unknown: Vec<u64>,
}

impl Fold {
    fn event(&mut self, at: usize, event: &Placed<'_>) {
        let members = event.raw.members().unwrap_or_default();
        let kind = members.peek_str("type").unwrap_or_default();
        let data = members.peek("data").and_then(Raw::members);
        let data = data.unwrap_or_default();
        let mut spot = Spot::of(event, at)
            .named(members.peek_str("id"))
            .at(members.peek("timestamp"));
        spot.branch = branch(&data);
        let message = match &*kind {
            "user.message" => said(Role::User, &data),
            "system.message" => said(Role::System, &data),
            "assistant.message" => reply(&data),
            "tool.execution_complete" => Some(result(&data)),
            "session.compaction_complete" => return self.compaction(&spot, &data, event.raw),
            _ => None,
        };
        if let Some(message) = message {
            let is_prompt = message.role.is_system();
            let seq = self.log.message(&spot, message, Origin::Real);
            self.prompts.extend(seq.filter(|_| is_prompt));
            return;
        }
        match &*kind {
            "session.model_change" => {
                let names = ["newModel", "model", "modelId"];
                let name = names.iter().find_map(|name| data.peek_str(name));
                self.model = name.map(Into::into).or(self.model.take());
            }
            "session.truncation" => self.truncations += 1,
            kind if SILENT.iter().any(|known| kind.starts_with(known)) => {}
            _ => self.unknown.push(event.line),
        }
        self.log.aside(&spot, event.raw);
    }

    /// What was said before is replaced by the summary, if it is told.
    fn compaction(&mut self, spot: &Spot<'_>, data: &Members<'_>, raw: Raw<'_>) {
        let summary = data.peek_str("summaryContent");
        let summary = summary.filter(|text| !text.trim().is_empty());
        let failed = data.peek("success").and_then(Raw::as_bool) == Some(false);
        let Some(summary) = summary.filter(|_| !failed) else {
            return self.log.aside(spot, raw);
        };
        let number = |name: &str| data.peek(name).and_then(|raw| raw.text().parse().ok());
        let compaction = Compaction {
            pinned: match self.log.has_room() {
                true => self.prompts.clone(),
                false => Vec::new(),
            },
            summary: vec![Message::user(summary)],
            tokens_before: number("preCompactionTokens").unwrap_or(0),
            tokens_after: number("postCompactionTokens").unwrap_or(0),
            ..Compaction::default()
        };
        let mut beside = Object::new();
        for (name, raw) in data.iter().filter(|(name, _)| *name != "summaryContent") {
            beside.raw(name, raw.text());
        }
        self.log.compaction(spot, compaction, beside.into_json());
    }
}

/// The sub-agent whose event it is: the call that started it names it.
fn branch(data: &Members<'_>) -> Option<Branch> {
    let parent = data.peek_str("parentToolCallId")?;
    Branch::new(format!("agent_{}", parent.replace('.', "_"))).ok()
}

fn said(role: Role, data: &Members<'_>) -> Option<Message> {
    let text = data.peek_str("content")?;
    let mut message = Message::new(role, vec![Part::text(text)]);
    message.extra = fields_but(data, &["content"]);
    Some(message)
}

/// What the model said, thought and called; `None` when that is nothing.
fn reply(data: &Members<'_>) -> Option<Message> {
    let mut parts = Vec::new();
    let text = |name: &str| {
        let text = data.peek_str(name).filter(|text| !text.is_empty());
        text.map(|text| text.into_owned())
    };
    let mut reasoning = Reasoning::default();
    reasoning.text = text("reasoningText");
    reasoning.encrypted = text("reasoningOpaque").or_else(|| text("encryptedContent"));
    if reasoning.text.is_some() || reasoning.encrypted.is_some() {
        parts.push(Part::Reasoning(reasoning));
    }
    parts.extend(text("content").map(Part::text));
    let calls = data.peek("toolRequests").and_then(Raw::items);
    for raw in calls.unwrap_or_default() {
        parts.push(call(raw).unwrap_or_else(|| opaque(Format::CopilotCli, raw)));
    }
    if parts.is_empty() {
        return None;
    }
    let mut message = Message::new(Role::Assistant, parts);
    let known = [
        "content",
        "toolRequests",
        "reasoningText",
        "reasoningOpaque",
    ];
    message.extra = fields_but(data, &known);
    Some(message)
}

fn call(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    let id = members.take_str("toolCallId").unwrap_or_default();
    let mut call = ToolCall::new(id, members.take_str("name")?, "");
    call.arguments = arguments(members.take("arguments"));
    call.extra = members.into_fields();
    Some(Part::ToolCall(call))
}

fn result(data: &Members<'_>) -> Message {
    let id = data.peek_str("toolCallId").unwrap_or_default();
    let brought = data.peek("result").filter(|raw| !raw.is_null());
    let error = data.peek("error").filter(|raw| !raw.is_null());
    let said = match (brought, error) {
        (Some(raw), _) => raw.member("content").or(Some(raw)),
        (None, Some(raw)) => raw.member("message").or(Some(raw)),
        (None, None) => None,
    };
    let part = |raw: Raw<'_>| {
        let text = raw.member_str("text").map(Part::text);
        text.unwrap_or_else(|| opaque(Format::CopilotCli, raw))
    };
    let (parts, shape) = content(said, part);
    let mut result = ToolResult::new(id, parts);
    result.shape = shape;
    result.name = data.peek_str("toolName").map(Into::into);
    let is_success = data.peek("success").and_then(Raw::as_bool);
    result.is_error = is_success.map(|is_success| !is_success);
    result.extra = fields_but(data, &["toolCallId", "success", "error"]);
    Message::new(Role::Tool, vec![Part::ToolResult(result)])
}
