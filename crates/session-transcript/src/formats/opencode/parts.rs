//! What a part says.

use session_log::{Media, MediaKind, MediaSource, Part, Reasoning, Text, ToolCall, ToolResult};

use crate::format::Format;
use crate::formats::parts::{arguments, fields_but, opaque};
use crate::json::{Members, Raw};

/// Fields that only say where a part stands.
const PLACE: [&str; 4] = ["type", "id", "messageID", "sessionID"];

/// What a part is to the conversation.
#[derive(Debug)]
pub(super) enum What {
    /// Said by the one whose message it is.
    Said(Part),
    /// A call, and its result where there is one.
    Tool(Box<Tool>),
    /// A step of the reply begins.
    Step,
    /// Nothing the model reads.
    Silent,
    /// Of a type that is not known.
    Unknown,
}

/// A call with its result.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) call: ToolCall,
    pub(super) result: Option<ToolResult>,
    /// The model is shown a short line for the result.
    pub(super) is_pruned: bool,
}

/// Whether a program put the text in.
pub(super) fn is_synthetic(raw: Raw<'_>) -> bool {
    raw.member("synthetic").and_then(Raw::as_bool) == Some(true)
}

pub(super) fn read(raw: Raw<'_>) -> What {
    let members = raw.members().unwrap_or_default();
    let kind = members.peek_str("type").unwrap_or_default();
    match &*kind {
        "text" if members.peek("ignored").and_then(Raw::as_bool) == Some(true) => What::Silent,
        "text" => match members.peek_str("text") {
            Some(text) if text.is_empty() => What::Silent,
            Some(text) => {
                let mut text = Text::new(text);
                text.extra = beside(&members, &["text"]);
                What::Said(Part::Text(text))
            }
            None => What::Unknown,
        },
        "reasoning" => match members.peek_str("text") {
            Some(text) => {
                let mut reasoning = Reasoning::new(text);
                let metadata = members.peek("metadata");
                let of_provider = metadata.and_then(|raw| raw.member("anthropic"));
                let signature = of_provider.and_then(|raw| raw.member_str("signature"));
                reasoning.signature = signature.map(Into::into);
                reasoning.extra = beside(&members, &["text"]);
                What::Said(Part::Reasoning(reasoning))
            }
            None => What::Unknown,
        },
        "file" => match file(&members) {
            Some(part) => What::Said(part),
            None => What::Unknown,
        },
        "tool" => match tool(&members) {
            Some(tool) => What::Tool(Box::new(tool)),
            None => What::Unknown,
        },
        "subtask" => What::Said(opaque(Format::OpenCode, raw)),
        "step-start" => What::Step,
        "step-finish" | "snapshot" | "patch" | "agent" | "retry" | "compaction" => What::Silent,
        _ => What::Unknown,
    }
}

fn beside(members: &Members<'_>, known: &[&str]) -> session_log::Fields {
    let known: Vec<&str> = PLACE.iter().chain(known).copied().collect();
    fields_but(members, &known)
}

fn file(members: &Members<'_>) -> Option<Part> {
    let url = members.peek_str("url")?;
    let mime = members.peek_str("mime").unwrap_or_default();
    let kind = match mime.split('/').next() {
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        Some("video") => MediaKind::Video,
        _ => MediaKind::File,
    };
    let mut media = Media::new(kind, MediaSource::Url(url.into()));
    media.media_type = (!mime.is_empty()).then(|| mime.into_owned());
    media.name = members.peek_str("filename").map(Into::into);
    media.extra = beside(members, &["url", "mime", "filename"]);
    Some(Part::Media(media))
}

fn tool(members: &Members<'_>) -> Option<Tool> {
    let name = members.peek_str("tool")?;
    let state = members.peek("state")?.members()?;
    let id = members.peek_str("callID").unwrap_or_default();
    let mut call = ToolCall::new(id.clone(), name.clone(), "");
    call.arguments = arguments(state.peek("input"));
    call.extra = beside(members, &["callID", "tool", "state"]);
    let status = state.peek_str("status").unwrap_or_default();
    let said = match &*status {
        "completed" => state.peek("output"),
        "error" => state.peek("error"),
        _ => None,
    };
    let result = said.map(|raw| {
        let text = raw.as_str();
        let text = text.map_or_else(|| raw.text().to_owned(), |text| text.into_owned());
        let mut result = ToolResult::text(id, text);
        let files = state.peek("attachments").and_then(Raw::items);
        for raw in files.unwrap_or_default() {
            let part = raw.members().and_then(|members| file(&members));
            result
                .parts
                .push(part.unwrap_or_else(|| opaque(Format::OpenCode, raw)));
            result.shape = session_log::Shape::Parts;
        }
        result.name = Some(name.into());
        result.is_error = (status == "error").then_some(true);
        let known = ["input", "output", "error", "attachments", "status"];
        result.extra = fields_but(&state, &known);
        result
    });
    let time = state.peek("time");
    let pruned = time.and_then(|time| time.member("compacted"));
    Some(Tool {
        call,
        result,
        is_pruned: pruned.is_some_and(|raw| !raw.is_null()),
    })
}
