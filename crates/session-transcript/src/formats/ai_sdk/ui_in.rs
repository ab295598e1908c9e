//! From a message of the screen to ours: a tool part becomes a call and its result.

use session_log::{
    Arguments, Fields, Media, MediaSource, Message, Part, Reasoning, Role, Shape, ToolCall,
    ToolResult,
};

use crate::formats::ai_sdk::output::{self, opaque};
use crate::formats::gemini::parts_in::kind_of;
use crate::formats::parts;
use crate::json::{Members, Raw};
use crate::marks;

/// The mark of a message of the screen.
pub(super) const UI: &str = "@ui";

/// Whether an object is a message of the screen.
pub(super) fn is_message(members: &Members<'_>) -> bool {
    let parts = members
        .peek("parts")
        .and_then(|parts| parts.first_items(50));
    let old = members.peek(OLD_CALLS).and_then(Raw::items);
    members.has("role")
        && (parts.is_some_and(|parts| parts.into_iter().any(is_part))
            || old.is_some_and(|calls| calls.iter().any(|raw| raw.find("toolCallId").is_some())))
}

/// The calls of a message of the first versions, beside a `content` that is a text.
const OLD_CALLS: &str = "toolInvocations";

/// The mark of what the first versions wrote without parts.
pub(super) const OLD: &str = "@old";

/// Whether a message has parts, or stands for some.
pub(super) fn has_parts(members: &Members<'_>) -> bool {
    members.has("parts") || members.has(OLD_CALLS)
}

fn is_part(raw: Raw<'_>) -> bool {
    let Some(kind) = raw.find_str("type") else {
        return false;
    };
    match &*kind {
        "text" | "reasoning" => raw.find_str("text").is_some() || raw.find("reasoning").is_some(),
        "file" => raw.find("url").is_some() || raw.find("data").is_some(),
        "step-start" | "dynamic-tool" | "tool-invocation" | "source-url" | "source-document" => {
            true
        }
        kind => {
            (kind.starts_with("tool-") && raw.find("toolCallId").is_some())
                || (kind.starts_with("data-") && raw.find("data").is_some())
        }
    }
}

/// A message of a record, with the places of its parts there.
pub(super) struct Step {
    pub(super) message: Message,
    pub(super) slots: Vec<u64>,
}

/// The messages in a record: each step of the model, and the results it got.
pub(super) fn steps(mut members: Members<'_>) -> Option<Vec<Step>> {
    let role = Role::from_name(&members.take_str("role")?);
    let Some(parts) = members.take("parts") else {
        return old_steps(role, members);
    };
    let parts = parts.items()?;
    let mut extra = members.into_fields();
    marks::set(&mut extra, UI, "");
    let mut steps = Vec::new();
    let mut said = Step::new(role.clone());
    let mut brought = Step::new(Role::Tool);
    for (raw, slot) in parts.into_iter().zip(0_u64..) {
        let read = match role {
            Role::Assistant => tool(raw),
            _ => None,
        };
        let Some((call, result)) = read else {
            if !brought.slots.is_empty() {
                steps.push(std::mem::replace(&mut said, Step::new(role.clone())));
                steps.push(std::mem::replace(&mut brought, Step::new(Role::Tool)));
            }
            said.push(part(raw), slot);
            continue;
        };
        said.push(Part::ToolCall(call), slot);
        if let Some(result) = result {
            brought.push(Part::ToolResult(result), slot);
        }
    }
    if !said.slots.is_empty() || steps.is_empty() {
        steps.push(said);
    }
    if !brought.slots.is_empty() {
        steps.push(brought);
    }
    if let Some(first) = steps.first_mut() {
        first.message.extra = extra;
    }
    Some(steps)
}

/// The messages in a record without parts: the calls, their results, and what was said then.
fn old_steps(role: Role, mut members: Members<'_>) -> Option<Vec<Step>> {
    let calls = members.take(OLD_CALLS)?.items()?;
    let mut called = Step::new(role.clone());
    let mut brought = Step::new(Role::Tool);
    for (raw, slot) in calls.into_iter().zip(1_u64..) {
        let Some((mut call, result)) = raw.members().and_then(old_call) else {
            called.push(opaque(raw), slot);
            continue;
        };
        marks::set(&mut call.extra, OLD, "");
        called.push(Part::ToolCall(call), slot);
        if let Some(result) = result {
            brought.push(Part::ToolResult(result), slot);
        }
    }
    let mut said = Step::new(role);
    if let Some(text) = members.peek_str("content").filter(|text| !text.is_empty()) {
        said.push(Part::text(text), 0);
        members.take("content");
    }
    let steps = [called, brought, said];
    let mut steps: Vec<Step> = steps
        .into_iter()
        .filter(|step| !step.slots.is_empty())
        .collect();
    let first = steps.first_mut()?;
    first.message.extra = members.into_fields();
    marks::set(&mut first.message.extra, UI, "");
    marks::set(&mut first.message.extra, OLD, "");
    Some(steps)
}

impl Step {
    fn new(role: Role) -> Self {
        Self {
            message: Message::new(role, Vec::new()).with_shape(Shape::Parts),
            slots: Vec::new(),
        }
    }

    fn push(&mut self, part: Part, slot: u64) {
        self.message.parts.push(part);
        self.slots.push(slot);
    }
}

fn part(raw: Raw<'_>) -> Part {
    known(raw).unwrap_or_else(|| opaque(raw))
}

fn known(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    match members.take_str("type")?.as_str() {
        "text" => parts::text(members, "text"),
        "reasoning" => {
            let mut marked = Fields::new();
            let text = members.take_str("text").or_else(|| {
                marks::set(&mut marked, marks::FIELD, "reasoning");
                members.take_str("reasoning")
            })?;
            let mut reasoning = Reasoning::new(text);
            reasoning.extra = members.into_fields();
            reasoning.extra.append(&mut marked);
            Some(Part::Reasoning(reasoning))
        }
        "file" => {
            let source = MediaSource::Url(members.take_str("url")?);
            let media_type = members.take_str("mediaType");
            let mut media = Media::new(kind_of(media_type.as_deref()), source);
            media.media_type = media_type;
            media.name = members.take_str("filename");
            media.extra = members.into_fields();
            Some(Part::Media(media))
        }
        _ => None,
    }
}

/// The call and the result in a tool part. Tools that the provider runs are kept whole.
fn tool(raw: Raw<'_>) -> Option<(ToolCall, Option<ToolResult>)> {
    let mut members = raw.members()?;
    if members.peek("providerExecuted").and_then(Raw::as_bool) == Some(true) {
        return None;
    }
    let kind = members.peek_str("type")?.into_owned();
    if kind == "tool-invocation" {
        let inner = members.take("toolInvocation")?.members()?;
        let (mut call, result) = old_call(inner)?;
        let outer = output::object(&members.into_fields());
        call.extra.insert("@outer".into(), outer);
        return Some((call, result));
    }
    let name = match kind.strip_prefix("tool-") {
        Some(name) => name.to_owned(),
        None => members.take_str("toolName")?,
    };
    invocation(name, "input", members)
}

/// A call as the first versions have it.
fn old_call(mut members: Members<'_>) -> Option<(ToolCall, Option<ToolResult>)> {
    let name = members.take_str("toolName")?;
    invocation(name, "args", members)
}

fn invocation(
    name: String,
    input: &str,
    mut members: Members<'_>,
) -> Option<(ToolCall, Option<ToolResult>)> {
    let id = members.take_str("toolCallId")?;
    let mut call = ToolCall::new(id.clone(), name.clone(), "");
    match members.take(input) {
        Some(input) => call.arguments = Arguments::Value(input.to_json()),
        None => marks::set(&mut call.extra, marks::ABSENT, "input"),
    }
    let result = result(&mut members, id, name);
    let mut marked = std::mem::take(&mut call.extra);
    call.extra = members.into_fields();
    call.extra.append(&mut marked);
    Some((call, result))
}

fn result(members: &mut Members<'_>, id: String, name: String) -> Option<ToolResult> {
    let field = ["output", "result", "errorText"]
        .into_iter()
        .find(|field| {
            members
                .peek(field)
                .is_some_and(|raw| *field == "output" || !raw.is_null())
        })?;
    let raw = members.take(field)?;
    let mut result = ToolResult::new(id, Vec::new());
    result.name = Some(name);
    output::plain(&mut result, raw);
    if field == "errorText" {
        result.is_error = Some(true);
    }
    marks::set(&mut result.extra, marks::FIELD, field);
    Some(result)
}
