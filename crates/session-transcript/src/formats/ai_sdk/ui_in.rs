//! From a message of the screen to ours: a tool part becomes a call and its result.

use session_log::{
    Arguments, Fields, Media, MediaSource, Message, Part, Reasoning, Role, Shape, Text, ToolCall,
    ToolResult,
};

use crate::formats::ai_sdk::output::{self, opaque};
use crate::formats::gemini::parts_in::kind_of;
use crate::json::{Members, Raw};
use crate::marks;

/// The mark of a message of the screen.
pub(super) const UI: &str = "@ui";

/// Whether an object is a message of the screen.
pub(super) fn is_message(members: &Members<'_>) -> bool {
    let parts = members
        .peek("parts")
        .and_then(|parts| parts.first_items(50));
    members.has("role") && parts.is_some_and(|parts| parts.into_iter().any(is_part))
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
    let parts = members.take("parts")?.items()?;
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
        "text" => {
            let mut text = Text::new(members.take_str("text")?);
            text.extra = members.into_fields();
            Some(Part::Text(text))
        }
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
    let mut outer = Fields::new();
    let is_old = kind == "tool-invocation";
    if is_old {
        let inner = members.take("toolInvocation")?.members()?;
        outer = std::mem::replace(&mut members, inner).into_fields();
    }
    let id = members.take_str("toolCallId")?;
    let name = match kind.strip_prefix("tool-") {
        Some(name) if !is_old => name.to_owned(),
        _ => members.take_str("toolName")?,
    };
    let mut call = ToolCall::new(id.clone(), name.clone(), "");
    match members.take(if is_old { "args" } else { "input" }) {
        Some(input) => call.arguments = Arguments::Value(input.to_json()),
        None => marks::set(&mut call.extra, marks::ABSENT, "input"),
    }
    let result = result(&mut members, id, name);
    let mut marked = std::mem::take(&mut call.extra);
    call.extra = members.into_fields();
    call.extra.append(&mut marked);
    if is_old {
        call.extra.insert("@outer".into(), output::object(&outer));
    }
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
