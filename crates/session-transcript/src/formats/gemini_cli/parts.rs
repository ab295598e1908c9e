//! Parts, whose kind is the name of their member.

use session_log::{
    Arguments, Json, Media, MediaKind, MediaSource, Part, Reasoning, Text, ToolCall, ToolResult,
};

use crate::format::Format;
use crate::formats::parts::{arguments, opaque};
use crate::json::{Kind, Members, Raw};

/// The parts in a `content`: a text, a part, or a list of them.
pub(super) fn read_all(raw: Option<Raw<'_>>) -> Vec<Part> {
    let Some(raw) = raw.filter(|raw| !raw.is_null()) else {
        return Vec::new();
    };
    match raw.kind() {
        Kind::Array => raw
            .items()
            .unwrap_or_default()
            .into_iter()
            .filter_map(read)
            .collect(),
        _ => read(raw).into_iter().collect(),
    }
}

/// The part; none for an empty text.
fn read(raw: Raw<'_>) -> Option<Part> {
    if let Some(text) = raw.as_str() {
        return (!text.is_empty()).then(|| Part::text(text));
    }
    let members = raw.members();
    let is_blank = members.as_ref().is_some_and(|members| {
        members.peek_str("text").is_some_and(|text| text.is_empty())
            && !members.has("thoughtSignature")
    });
    if is_blank {
        return None;
    }
    Some(
        members
            .and_then(known)
            .unwrap_or_else(|| opaque(Format::GeminiCli, raw)),
    )
}

fn known(mut members: Members<'_>) -> Option<Part> {
    let is_thought = members.peek("thought").and_then(Raw::as_bool) == Some(true);
    if let Some(text) = members.take_str("text") {
        if is_thought {
            members.take("thought");
            let mut reasoning = Reasoning::new(text);
            reasoning.extra = members.into_fields();
            return Some(Part::Reasoning(reasoning));
        }
        let mut text = Text::new(text);
        text.extra = members.into_fields();
        return Some(Part::Text(text));
    }
    if let Some(inner) = members.take("functionCall") {
        let mut inner = inner.members()?;
        let id = inner.take_str("id").unwrap_or_default();
        let mut call = ToolCall::new(id, inner.take_str("name")?, "");
        call.arguments = object_arguments(inner.take("args"));
        call.extra = members.into_fields();
        return Some(Part::ToolCall(call));
    }
    if let Some(inner) = members.take("functionResponse") {
        return result(inner.members()?).map(Part::ToolResult);
    }
    for (name, data) in [("inlineData", "data"), ("fileData", "fileUri")] {
        let Some(inner) = members.take(name) else {
            continue;
        };
        let mut inner = inner.members()?;
        let media_type = inner.take_str("mimeType");
        let kind = match media_type
            .as_deref()
            .and_then(|kind| kind.split('/').next())
        {
            Some("image") => MediaKind::Image,
            Some("audio") => MediaKind::Audio,
            Some("video") => MediaKind::Video,
            _ => MediaKind::File,
        };
        let data = inner.take_str(data)?;
        let source = match name {
            "inlineData" => MediaSource::Base64(data),
            _ => MediaSource::Url(data),
        };
        let mut media = Media::new(kind, source);
        media.media_type = media_type;
        media.extra = members.into_fields();
        return Some(Part::Media(media));
    }
    None
}

/// Arguments, which are `{}` when nothing is said of them.
pub(super) fn object_arguments(raw: Option<Raw<'_>>) -> Arguments {
    match raw {
        None => Arguments::Value(Json::new("{}").unwrap_or_else(|_| Json::null())),
        raw => arguments(raw),
    }
}

/// What a function brought: its `output` or `error` where it has one, else all of it.
pub(super) fn result(mut members: Members<'_>) -> Option<ToolResult> {
    let id = members.take_str("id").unwrap_or_default();
    let name = members.take_str("name");
    let response = members.take("response")?;
    let said = |name: &str| response.member(name).filter(|raw| !raw.is_null());
    let (raw, is_error) = match (said("output"), said("error")) {
        (Some(raw), _) => (raw, None),
        (None, Some(raw)) => (raw, Some(true)),
        (None, None) => (response, None),
    };
    let text = raw.as_str();
    let text = text.map_or_else(|| raw.text().to_owned(), |text| text.into_owned());
    let mut result = ToolResult::text(id, text);
    result.name = name;
    result.is_error = is_error;
    result.extra = members.into_fields();
    Some(result)
}
