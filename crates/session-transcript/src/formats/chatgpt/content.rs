//! What a message of an export says.

use session_log::{Fields, Media, MediaKind, MediaSource, Part, Reasoning, Text};

use crate::formats::parts;
use crate::json::{Members, Raw};

/// The name under which unknown parts are kept.
const FORMAT: &str = "chatgpt";

/// The content of a message.
#[derive(Debug)]
pub(super) enum Content {
    /// Something that was said.
    Said(Vec<Part>),
    /// Context that the program gave: custom instructions, memory.
    Given(Vec<Part>),
    /// A line for the screen that no model reads.
    Shown,
    /// A type that is not known, kept whole.
    Unknown(Part),
}

/// The content in the field of a message.
pub(super) fn read(raw: Raw<'_>) -> Content {
    let Some(mut members) = raw.members() else {
        return match raw.as_str() {
            Some(text) => Content::Said(text_parts(&text)),
            None if raw.is_null() => Content::Said(Vec::new()),
            None => Content::Unknown(opaque(raw)),
        };
    };
    let kind = members.take_str("content_type");
    match kind.as_deref() {
        Some("text" | "multimodal_text") | None if members.has("parts") => {
            let items = members.take("parts").and_then(Raw::items);
            let parts = items.unwrap_or_default().into_iter().filter_map(part);
            Content::Said(parts.collect())
        }
        Some("thoughts") => Content::Said(vec![thoughts(members)]),
        Some("reasoning_recap") => Content::Shown,
        Some("user_editable_context" | "model_editable_context") => Content::Given(given(&members)),
        Some(
            "text"
            | "code"
            | "execution_output"
            | "tether_quote"
            | "tether_browsing_display"
            | "sonic_webpage"
            | "computer_output"
            | "system_error",
        ) => output(kind.as_deref().unwrap_or_default(), members, raw),
        _ => Content::Unknown(opaque(raw)),
    }
}

fn opaque(raw: Raw<'_>) -> Part {
    parts::unread(FORMAT, raw)
}

fn text_parts(text: &str) -> Vec<Part> {
    match text {
        "" => Vec::new(),
        text => vec![Part::text(text)],
    }
}

/// An element of `parts`; empty texts and `null` say nothing.
fn part(raw: Raw<'_>) -> Option<Part> {
    if let Some(text) = raw.as_str() {
        return text_parts(&text).pop();
    }
    if raw.is_null() {
        return None;
    }
    Some(known(raw).unwrap_or_else(|| opaque(raw)))
}

fn known(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("content_type")?;
    match kind.as_str() {
        "image_asset_pointer" => media(MediaKind::Image, members),
        "audio_asset_pointer" => media(MediaKind::Audio, members),
        "video_container_asset_pointer" => media(MediaKind::Video, members),
        "real_time_user_audio_video_asset_pointer" => {
            let pointer = members
                .peek("audio_asset_pointer")?
                .member_str("asset_pointer")?;
            let mut media = Media::new(MediaKind::Audio, MediaSource::FileId(pointer.into()));
            media.extra = members.into_fields();
            Some(Part::Media(media))
        }
        "audio_transcription" => parts::text(members, "text"),
        _ => None,
    }
}

fn media(kind: MediaKind, mut members: Members<'_>) -> Option<Part> {
    let pointer = members.take_str("asset_pointer")?;
    let mut media = Media::new(kind, MediaSource::FileId(pointer));
    media.media_type = members.take_str("format");
    media.extra = members.into_fields();
    Some(Part::Media(media))
}

fn thoughts(members: Members<'_>) -> Part {
    let thoughts = members.peek("thoughts").and_then(Raw::items);
    let texts: Vec<String> = thoughts
        .unwrap_or_default()
        .into_iter()
        .flat_map(|thought| ["summary", "content"].map(|name| thought.member_str(name)))
        .flatten()
        .filter(|text| !text.is_empty())
        .map(Into::into)
        .collect();
    let mut reasoning = match texts.is_empty() {
        true => Reasoning::default(),
        false => Reasoning::new(texts.join("\n\n")),
    };
    reasoning.extra = members.into_fields();
    Part::Reasoning(reasoning)
}

/// Every text in the context, in its order.
fn given(members: &Members<'_>) -> Vec<Part> {
    let texts = members.iter().filter_map(|(_, raw)| raw.as_str());
    texts.flat_map(|text| text_parts(&text)).collect()
}

/// Code, and what tools bring: one text, with its other fields beside it.
fn output(kind: &str, mut members: Members<'_>, raw: Raw<'_>) -> Content {
    let text = ["text", "result"]
        .iter()
        .find_map(|name| members.take_str(name));
    let pointer = members
        .peek("screenshot")
        .and_then(|raw| raw.member_str("asset_pointer"));
    let mut extra: Fields = match (text.is_some(), pointer.is_some()) {
        (false, false) => return Content::Said(vec![opaque(raw)]),
        _ => members.into_fields(),
    };
    extra.insert("content_type".into(), session_log::Json::string(kind));
    Content::Said(vec![match (text, pointer) {
        (None, Some(pointer)) => {
            let mut media = Media::new(MediaKind::Image, MediaSource::FileId(pointer.into()));
            media.extra = extra;
            Part::Media(media)
        }
        (text, _) => {
            let mut text = Text::new(text.unwrap_or_default());
            text.extra = extra;
            Part::Text(text)
        }
    }])
}
