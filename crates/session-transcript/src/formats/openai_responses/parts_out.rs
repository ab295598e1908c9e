//! Content parts as items have them.

use session_log::{Fields, Media, MediaKind, MediaSource, Part, Shape, Text};

use crate::formats::openai_responses::item_out::Style;
use crate::formats::openai_responses::parts::CONTENT;
use crate::json::{Object, Raw, array, quote};
use crate::marks;

/// The value of a `content` or `output` field, its texts of type `usual`; `None` when nothing is
/// left to say, or the field was not there.
pub(super) fn content(
    parts: &[&Part],
    shape: Shape,
    usual: &str,
    style: Style,
    lost: &mut usize,
) -> Option<String> {
    match (parts, shape) {
        ([], Shape::Parts | Shape::Text) if style.is_exact => return Some("[]".into()),
        ([], Shape::Null) if style.is_exact => return Some("null".into()),
        ([], _) => return None,
        ([Part::Text(text)], _) if shape != Shape::Parts || !style.is_own => {
            return Some(quote(&text.text));
        }
        ([Part::Opaque(opaque)], Shape::Text) if opaque.format == CONTENT && !style.is_request => {
            return Some(opaque.json.as_str().into());
        }
        _ => {}
    }
    let mut written = Vec::with_capacity(parts.len());
    for part in parts {
        match self::part(part, usual, style) {
            Some(part) => written.push(part),
            None => *lost += 1,
        }
    }
    (style.is_exact || !written.is_empty()).then(|| array(written))
}

fn part(part: &Part, usual: &str, style: Style) -> Option<String> {
    let is_reply = usual == "output_text";
    match part {
        Part::Text(text) => Some(self::text(text, usual, style)),
        Part::Refusal(text) if is_reply => {
            let mut object = Object::new();
            object.str("type", "refusal").str("refusal", &text.text);
            Some(finish(object, &text.extra, style))
        }
        Part::Refusal(text) => Some(self::text(text, usual, style)),
        Part::Media(media) if style.is_own || !is_reply => self::media(media, style),
        Part::Opaque(opaque) if opaque.format == CONTENT => {
            let is_fit = !style.is_request || opaque.json.as_str().starts_with('{');
            is_fit.then(|| opaque.json.as_str().into())
        }
        _ => None,
    }
}

fn text(text: &Text, usual: &str, style: Style) -> String {
    let marked = text
        .extra
        .get(marks::FIELD)
        .and_then(|json| Raw::parse(json.as_str())?.as_str());
    // The provider takes texts of the type that is usual for who speaks, and no other.
    let is_odd = marked.is_some() && style.is_request;
    let style = Style {
        is_own: style.is_own && !is_odd,
        ..style
    };
    let kind = match &marked {
        Some(kind) if style.is_own => kind,
        _ => usual,
    };
    let mut object = Object::new();
    object.str("type", kind).str("text", &text.text);
    finish(object, &text.extra, style)
}

fn finish(mut object: Object, extra: &Fields, style: Style) -> String {
    if style.is_own {
        object.fields(extra);
    }
    object.finish()
}

fn media(media: &Media, style: Style) -> Option<String> {
    let data_url = |data: &str| {
        let usual = match media.kind {
            MediaKind::Image => "image/png",
            _ => "application/octet-stream",
        };
        let media_type = media.media_type.as_deref().unwrap_or(usual);
        format!("data:{media_type};base64,{data}")
    };
    let mut object = Object::new();
    match (media.kind, &media.source) {
        (MediaKind::Image, source) => {
            object.str("type", "input_image");
            match source {
                MediaSource::Url(url) => object.str("image_url", url),
                MediaSource::Base64(data) => object.str("image_url", &data_url(data)),
                MediaSource::FileId(id) if style.is_own => object.str("file_id", id),
                _ => return None,
            };
        }
        (MediaKind::File, source) => {
            object.str("type", "input_file");
            match source {
                MediaSource::Url(url) if marks::is(&media.extra, marks::FIELD, "file_url") => {
                    object.str("file_url", url)
                }
                MediaSource::Url(url) if url.starts_with("data:") => object.str("file_data", url),
                MediaSource::Url(url) => object.str("file_url", url),
                MediaSource::Base64(data) if style.is_own && media.media_type.is_none() => {
                    object.str("file_data", data)
                }
                MediaSource::Base64(data) => object.str("file_data", &data_url(data)),
                MediaSource::FileId(id) if style.is_own => object.str("file_id", id),
                _ => return None,
            };
            if let Some(name) = &media.name {
                object.str("filename", name);
            }
        }
        _ => return None,
    }
    Some(finish(object, &media.extra, style))
}
