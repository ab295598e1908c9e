//! What a part says, and who says it.

use session_log::{
    Media, MediaKind, MediaSource, Origin, Part, Reasoning, Role, Shape, ToolCall, ToolResult,
};

use crate::format::Format;
use crate::formats::parts::{self, arguments, content, opaque};
use crate::json::{Members, Raw};

/// Parts by one speaker.
pub(super) struct Said {
    pub(super) role: Role,
    pub(super) origin: Origin,
    pub(super) parts: Vec<Part>,
    pub(super) shape: Shape,
}

/// What a part of a request says.
pub(super) fn asked(raw: Raw<'_>) -> Said {
    let members = raw.members().unwrap_or_default();
    let kind = members.peek_str("part_kind").unwrap_or_default();
    let tool = members.peek_str("tool_name");
    let (role, origin) = match (&*kind, &tool) {
        ("system-prompt", _) => (Role::System, Origin::Real),
        ("user-prompt", _) => (Role::User, Origin::Real),
        ("tool-return" | "builtin-tool-return", _) | ("retry-prompt", Some(_)) => {
            return tool_said(kind == "retry-prompt", members);
        }
        // What the program asks for when an answer was not valid.
        _ => (Role::User, Origin::Injected),
    };
    let (parts, shape) = content(members.peek("content"), media_or_text);
    let parts = match parts.is_empty() {
        true => vec![opaque(Format::PydanticAi, raw)],
        false => parts,
    };
    Said {
        role,
        origin,
        parts,
        shape,
    }
}

fn tool_said(is_error: bool, mut members: Members<'_>) -> Said {
    let id = members.take_str("tool_call_id").unwrap_or_default();
    let raw = members.take("content").filter(|raw| !raw.is_null());
    let mut result = match raw {
        // Whatever a tool gives back is told as its JSON.
        Some(raw) => {
            let text = raw.as_str();
            let text = text.map_or_else(|| raw.text().to_owned(), |text| text.into_owned());
            ToolResult::text(id, text)
        }
        None => ToolResult::new(id, Vec::new()),
    };
    result.name = members.take_str("tool_name");
    let failed = matches!(
        members.peek_str("outcome").as_deref(),
        Some("failed" | "denied")
    );
    result.is_error = (is_error || failed).then_some(true);
    result.extra = members.into_fields();
    Said {
        role: Role::Tool,
        origin: Origin::Real,
        parts: vec![Part::ToolResult(result)],
        shape: Shape::Parts,
    }
}

/// What a part of a response says.
pub(super) fn answered(raw: Raw<'_>) -> Part {
    known(raw).unwrap_or_else(|| opaque(Format::PydanticAi, raw))
}

fn known(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("part_kind")?;
    match kind.as_str() {
        "text" => parts::text(members, "content"),
        "thinking" => {
            let mut reasoning = Reasoning::default();
            let text = members.take_str("content");
            reasoning.text = text.filter(|text| !text.is_empty());
            reasoning.signature = members.take_str("signature");
            reasoning.extra = members.into_fields();
            Some(Part::Reasoning(reasoning))
        }
        "tool-call" => {
            let id = members.take_str("tool_call_id").unwrap_or_default();
            let mut call = ToolCall::new(id, members.take_str("tool_name")?, "");
            call.arguments = arguments(members.take("args").filter(|raw| !raw.is_null()));
            call.extra = members.into_fields();
            Some(Part::ToolCall(call))
        }
        _ => None,
    }
}

/// A text, or a picture, sound, video or file by its address or its bytes.
fn media_or_text(raw: Raw<'_>) -> Part {
    let part = raw
        .as_str()
        .map(Part::text)
        .or_else(|| media(raw.members()?));
    part.unwrap_or_else(|| opaque(Format::PydanticAi, raw))
}

fn media(mut members: Members<'_>) -> Option<Part> {
    let kind = members.take_str("kind")?;
    let media_type = members.take_str("media_type");
    let of_type = media_type
        .as_deref()
        .and_then(|kind| kind.split('/').next());
    let (media_kind, source) = match kind.as_str() {
        "binary" => (
            match of_type {
                Some("image") => MediaKind::Image,
                Some("audio") => MediaKind::Audio,
                Some("video") => MediaKind::Video,
                _ => MediaKind::File,
            },
            MediaSource::Base64(members.take_str("data")?),
        ),
        "image-url" => (MediaKind::Image, MediaSource::Url(members.take_str("url")?)),
        "audio-url" => (MediaKind::Audio, MediaSource::Url(members.take_str("url")?)),
        "video-url" => (MediaKind::Video, MediaSource::Url(members.take_str("url")?)),
        "document-url" => (MediaKind::File, MediaSource::Url(members.take_str("url")?)),
        _ => return None,
    };
    let mut media = Media::new(media_kind, source);
    media.media_type = media_type;
    media.extra = members.into_fields();
    Some(Part::Media(media))
}
