//! What the blocks of a message say.

use session_log::{Media, MediaKind, MediaSource, Part, Reasoning, Text, ToolCall, ToolResult};

use crate::format::Format;
use crate::formats::anthropic::blocks_in;
use crate::formats::parts::{arguments, opaque};
use crate::json::{Members, Raw};

/// What a block is to the conversation.
#[derive(Debug)]
pub(super) enum Block {
    /// Said by the one whose message it is.
    Said(Part),
    /// A call; older exports give it no id.
    Call(ToolCall),
    /// A result; older exports do not say of which call.
    Result(ToolResult),
    /// Nothing the model reads.
    Silent,
    /// Of a type that is not known.
    Unknown,
}

pub(super) fn read(raw: Raw<'_>) -> Block {
    let Some(mut members) = raw.members() else {
        return match raw.as_str() {
            Some(text) if !text.is_empty() => Block::Said(Part::text(text)),
            Some(_) => Block::Silent,
            None => Block::Unknown,
        };
    };
    let kind = members.take_str("type").unwrap_or_default();
    match kind.as_str() {
        "text" => match members.take_str("text") {
            Some(text) if text.is_empty() => Block::Silent,
            Some(text) => {
                let mut text = Text::new(text);
                text.extra = members.into_fields();
                Block::Said(Part::Text(text))
            }
            None => Block::Unknown,
        },
        "thinking" => Block::Said(thinking(members)),
        "tool_use" => match members.take_str("name") {
            Some(name) => {
                let id = members.take_str("id").unwrap_or_default();
                let mut call = ToolCall::new(id, name, "");
                call.arguments = arguments(members.take("input"));
                call.extra = members.into_fields();
                Block::Call(call)
            }
            None => Block::Unknown,
        },
        "tool_result" => Block::Result(result(members)),
        "flag" | "token_budget" => Block::Silent,
        "image" | "document" => {
            let (mut parts, _) = blocks_in::content(Some(raw));
            parts.pop().map_or(Block::Unknown, Block::Said)
        }
        _ => Block::Unknown,
    }
}

/// The thoughts, or the summaries that are shown in their place.
fn thinking(mut members: Members<'_>) -> Part {
    let text = members
        .take_str("thinking")
        .filter(|text| !text.is_empty())
        .or_else(|| {
            let summaries = members.peek("summaries").and_then(Raw::items)?;
            let texts: Vec<String> = summaries
                .into_iter()
                .filter_map(|summary| summary.member_str("summary").map(Into::into))
                .collect();
            (!texts.is_empty()).then(|| texts.join("\n\n"))
        });
    let mut reasoning = Reasoning::default();
    reasoning.text = text;
    reasoning.extra = members.into_fields();
    Part::Reasoning(reasoning)
}

fn result(mut members: Members<'_>) -> ToolResult {
    let id = members.take_str("tool_use_id").unwrap_or_default();
    let (parts, shape) = blocks_in::content(members.take("content"));
    let mut result = ToolResult::new(id, parts);
    result.shape = shape;
    result.name = members.take_str("name");
    result.is_error = members.take("is_error").and_then(Raw::as_bool);
    result.extra = members.into_fields();
    result
}

/// What lies beside the text of a message: a file, with its text where that was taken out.
pub(super) fn file(raw: Raw<'_>) -> Part {
    let Some(mut members) = raw.members() else {
        return opaque(Format::ClaudeAi, raw);
    };
    let text = members.take_str("extracted_content");
    let text = text.filter(|text| !text.is_empty());
    let name = members.take_str("file_name");
    let id = ["file_uuid", "id"]
        .iter()
        .find_map(|name| members.take_str(name));
    let source = match (text, id.or_else(|| name.clone())) {
        (Some(text), _) => MediaSource::Text(text),
        (None, Some(id)) => MediaSource::FileId(id),
        (None, None) => return opaque(Format::ClaudeAi, raw),
    };
    let kind = match members.peek_str("file_kind").as_deref() {
        Some("image") => MediaKind::Image,
        _ => MediaKind::File,
    };
    let mut media = Media::new(kind, source);
    media.name = name;
    media.media_type = members
        .peek_str("file_type")
        .filter(|kind| kind.contains('/'))
        .map(Into::into);
    media.extra = members.into_fields();
    Part::Media(media)
}
