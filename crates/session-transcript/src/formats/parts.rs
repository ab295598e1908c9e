//! Content as most formats have it: a text, or a list of parts, each an object with a kind.

use session_log::{
    Arguments, Fields, Media, MediaKind, MediaSource, Opaque, Part, Reasoning, Shape, Text,
};

use crate::format::Format;
use crate::json::{Kind, Members, Raw};

/// A `content` that is a text or a list, and how it is written. Any other value is the only part.
pub(crate) fn content<'a>(
    raw: Option<Raw<'a>>,
    mut part: impl FnMut(Raw<'a>) -> Part,
) -> (Vec<Part>, Shape) {
    text_or_list(raw, &mut part).unwrap_or_else(|other| (vec![part(other)], Shape::Parts))
}

/// A `content` that is a text or a list, and how it is written. Any other value is kept unread
/// under the name `format`, so that it is written again as it was.
pub(crate) fn exact_content<'a>(
    raw: Option<Raw<'a>>,
    format: &str,
    part: impl FnMut(Raw<'a>) -> Part,
) -> (Vec<Part>, Shape) {
    text_or_list(raw, part).unwrap_or_else(|other| (vec![unread(format, other)], Shape::Text))
}

fn text_or_list<'a>(
    raw: Option<Raw<'a>>,
    part: impl FnMut(Raw<'a>) -> Part,
) -> Result<(Vec<Part>, Shape), Raw<'a>> {
    let Some(raw) = raw else {
        return Ok((Vec::new(), Shape::Absent));
    };
    match raw.kind() {
        Kind::Null => Ok((Vec::new(), Shape::Null)),
        Kind::String => {
            let text = Part::text(raw.as_str().unwrap_or_default());
            Ok((vec![text], Shape::Text))
        }
        Kind::Array => {
            let items = raw.items().unwrap_or_default();
            Ok((items.into_iter().map(part).collect(), Shape::Parts))
        }
        _ => Err(raw),
    }
}

/// A text in the member `name`.
pub(crate) fn text(mut members: Members<'_>, name: &str) -> Option<Part> {
    let mut text = Text::new(members.take_str(name)?);
    text.extra = members.into_fields();
    Some(Part::Text(text))
}

/// A refusal in the member `name`.
pub(crate) fn refusal(mut members: Members<'_>, name: &str) -> Option<Part> {
    let mut text = Text::new(members.take_str(name)?);
    text.extra = members.into_fields();
    Some(Part::Refusal(text))
}

/// Reasoning in the member `name`, and its signature in another, if there is one.
pub(crate) fn reasoning(
    mut members: Members<'_>,
    name: &str,
    signature: &str,
) -> Option<Reasoning> {
    let mut reasoning = Reasoning::new(members.take_str(name)?);
    reasoning.signature = members.take_str(signature);
    reasoning.extra = members.into_fields();
    Some(reasoning)
}

/// Reasoning that only its provider can read, in the member `name`.
pub(crate) fn encrypted(mut members: Members<'_>, name: &str) -> Option<Part> {
    let mut reasoning = Reasoning::default();
    reasoning.encrypted = Some(members.take_str(name)?);
    reasoning.extra = members.into_fields();
    Some(Part::Reasoning(reasoning))
}

/// An image as `data` in base64 with its `mimeType`.
pub(crate) fn image(mut members: Members<'_>) -> Option<Part> {
    let source = MediaSource::Base64(members.take_str("data")?);
    let mut media = Media::new(MediaKind::Image, source);
    media.media_type = members.take_str("mimeType");
    media.extra = members.into_fields();
    Some(Part::Media(media))
}

/// A part of a kind that is not known, kept as it is.
pub(crate) fn opaque(format: Format, raw: Raw<'_>) -> Part {
    unread(format.name(), raw)
}

/// A part that is kept as it is under the name `format`.
pub(crate) fn unread(format: &str, raw: Raw<'_>) -> Part {
    Part::Opaque(Opaque::new(format, raw.to_json()))
}

/// Arguments as text, or as whatever value they are.
pub(crate) fn arguments(raw: Option<Raw<'_>>) -> Arguments {
    match raw {
        None => Arguments::Text(String::new()),
        Some(raw) => match raw.as_str() {
            Some(text) => Arguments::Text(text.into_owned()),
            None => Arguments::Value(raw.to_json()),
        },
    }
}

/// All members but some, by name.
pub(crate) fn fields_but(members: &Members<'_>, left_out: &[&str]) -> Fields {
    let rest = members.iter().filter(|(name, _)| !left_out.contains(name));
    rest.map(|(name, raw)| (name.to_owned(), raw.to_json()))
        .collect()
}
