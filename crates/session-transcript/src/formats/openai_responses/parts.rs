//! Content parts of items.

use session_log::{Fields, Media, MediaKind, MediaSource, Part, Role, Shape, Text};

use crate::formats::parts;
use crate::json::{Members, Raw};
use crate::marks;

/// The name under which unknown parts of content are kept: they are no items.
pub(super) const CONTENT: &str = "openai-responses/content";

/// The type of text that a model reads.
pub(super) const INPUT: &str = "input_text";

/// The type of text that it wrote.
const OUTPUT: &str = "output_text";

/// The type of text that a message of `role` has.
pub(super) fn usual_text(role: &Role) -> &'static str {
    match role {
        Role::Assistant => OUTPUT,
        _ => INPUT,
    }
}

/// What is in the content of a message or the output of a tool, and how it is written. A text of
/// another type than `usual` is marked with it.
pub(super) fn content(raw: Option<Raw<'_>>, usual: &str) -> (Vec<Part>, Shape) {
    parts::exact_content(raw, CONTENT, |raw| part(raw, usual))
}

fn part(raw: Raw<'_>, usual: &str) -> Part {
    known(raw, usual).unwrap_or_else(|| parts::unread(CONTENT, raw))
}

fn known(raw: Raw<'_>, usual: &str) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("type")?;
    match kind.as_str() {
        INPUT | OUTPUT | "text" | "summary_text" | "reasoning_text" => {
            let mut text = Text::new(members.take_str("text")?);
            text.extra = members.into_fields();
            if kind != usual {
                marks::set(&mut text.extra, marks::FIELD, &kind);
            }
            Some(Part::Text(text))
        }
        "refusal" => parts::refusal(members, "refusal"),
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
    let mut marked = Fields::new();
    let source = if let Some(id) = members.take_str("file_id") {
        MediaSource::FileId(id)
    } else if let Some(url) = members.take_str("file_url") {
        if url.starts_with("data:") {
            marks::set(&mut marked, marks::FIELD, "file_url");
        }
        MediaSource::Url(url)
    } else {
        match members.take_str("file_data")? {
            data if data.starts_with("data:") => MediaSource::Url(data),
            data => MediaSource::Base64(data),
        }
    };
    let mut media = Media::new(MediaKind::File, source);
    media.name = members.take_str("filename");
    media.extra = members.into_fields();
    media.extra.append(&mut marked);
    Some(Part::Media(media))
}
