//! Content parts of items.

use session_log::{Media, MediaKind, MediaSource, Opaque, Part, Shape, Text};

use crate::formats::openai_responses::item::FORMAT;
use crate::json::{Kind, Members, Raw};

/// What is in the content of a message or the output of a tool, and how it is written.
pub(super) fn content(raw: Option<Raw<'_>>) -> (Vec<Part>, Shape) {
    let Some(raw) = raw else {
        return (Vec::new(), Shape::Absent);
    };
    match raw.kind() {
        Kind::Null => (Vec::new(), Shape::Null),
        Kind::String => (
            vec![Part::text(raw.as_str().unwrap_or_default())],
            Shape::Text,
        ),
        Kind::Array => {
            let items = raw.items().unwrap_or_default();
            (items.into_iter().map(part).collect(), Shape::Parts)
        }
        _ => (vec![opaque(raw)], Shape::Text),
    }
}

pub(super) fn opaque(raw: Raw<'_>) -> Part {
    Part::Opaque(Opaque::new(FORMAT, raw.to_json()))
}

fn part(raw: Raw<'_>) -> Part {
    known(raw).unwrap_or_else(|| opaque(raw))
}

fn known(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("type")?;
    match kind.as_str() {
        "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text" => {
            let mut text = Text::new(members.take_str("text")?);
            text.extra = members.into_fields();
            Some(Part::Text(text))
        }
        "refusal" => {
            let mut text = Text::new(members.take_str("refusal")?);
            text.extra = members.into_fields();
            Some(Part::Refusal(text))
        }
        "input_image" => image(members),
        "input_file" => file(members),
        _ => None,
    }
}

fn image(mut members: Members<'_>) -> Option<Part> {
    let source = match members.take_str("image_url") {
        Some(url) => MediaSource::Url(url),
        None => MediaSource::FileId(members.take_str("file_id")?),
    };
    let mut media = Media::new(MediaKind::Image, source);
    media.extra = members.into_fields();
    Some(Part::Media(media))
}

fn file(mut members: Members<'_>) -> Option<Part> {
    let source = match (members.take_str("file_id"), members.take_str("file_url")) {
        (Some(id), _) => MediaSource::FileId(id),
        (None, Some(url)) => MediaSource::Url(url),
        (None, None) => match members.take_str("file_data")? {
            data if data.starts_with("data:") => MediaSource::Url(data),
            data => MediaSource::Base64(data),
        },
    };
    let mut media = Media::new(MediaKind::File, source);
    media.name = members.take_str("filename");
    media.extra = members.into_fields();
    Some(Part::Media(media))
}
