//! Content parts of chat messages.

use session_log::{Fields, Media, MediaKind, MediaSource, Part, Text};

use crate::formats::openai_chat::message_in::FORMAT;
use crate::formats::parts;
use crate::json::{Members, Object, Raw, quote};
use crate::marks;

/// The part in an element of `content`. What is not exactly as expected is kept as it is.
pub(super) fn read(raw: Raw<'_>) -> Part {
    if let Some(text) = raw.as_str() {
        let mut text = Text::new(text);
        marks::set(&mut text.extra, marks::BARE, "");
        return Part::Text(text);
    }
    known(raw).unwrap_or_else(|| parts::unread(FORMAT, raw))
}

fn known(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("type")?;
    match kind.as_str() {
        "text" => parts::text(members, "text"),
        "refusal" => parts::refusal(members, "refusal"),
        "image_url" => url(MediaKind::Image, &kind, members),
        "audio_url" => url(MediaKind::Audio, &kind, members),
        "video_url" => url(MediaKind::Video, &kind, members),
        "input_audio" => audio(members),
        "file" => file(members),
        _ => None,
    }
}

/// `{"type": T, T: {"url": …}}`, or with a bare string, as some clients send it.
fn url(kind: MediaKind, name: &str, mut members: Members<'_>) -> Option<Part> {
    let inner = members.take(name)?;
    let mut media;
    let mut rest = Fields::new();
    if let Some(url) = inner.as_str() {
        media = Media::new(kind, MediaSource::Url(url.into_owned()));
        marks::set(&mut rest, marks::BARE, "");
    } else {
        let mut inner = inner.members()?;
        media = Media::new(kind, MediaSource::Url(inner.take_str("url")?));
        keep_inner(&mut rest, name, inner);
    }
    media.extra = members.into_fields();
    media.extra.append(&mut rest);
    marks::set(&mut media.extra, marks::FIELD, name);
    Some(Part::Media(media))
}

fn audio(mut members: Members<'_>) -> Option<Part> {
    let mut inner = members.take("input_audio")?.members()?;
    let mut media = Media::new(
        MediaKind::Audio,
        MediaSource::Base64(inner.take_str("data")?),
    );
    media.media_type = inner.take_str("format");
    media.extra = members.into_fields();
    keep_inner(&mut media.extra, "input_audio", inner);
    marks::set(&mut media.extra, marks::FIELD, "input_audio");
    Some(Part::Media(media))
}

fn file(mut members: Members<'_>) -> Option<Part> {
    let mut inner = members.take("file")?.members()?;
    let source = match inner.take_str("file_id") {
        Some(id) => MediaSource::FileId(id),
        None => match inner.take_str("file_data")? {
            data if is_address(&data) => MediaSource::Url(data),
            data => MediaSource::Base64(data),
        },
    };
    let mut media = Media::new(MediaKind::File, source);
    media.name = inner.take_str("filename");
    media.extra = members.into_fields();
    keep_inner(&mut media.extra, "file", inner);
    marks::set(&mut media.extra, marks::FIELD, "file");
    Some(Part::Media(media))
}

fn is_address(text: &str) -> bool {
    ["data:", "http://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}

/// Keeps what the inner object has beside the known fields, under the name of that object.
fn keep_inner(extra: &mut Fields, name: &str, inner: Members<'_>) {
    let rest = inner.into_fields();
    if !rest.is_empty() {
        let mut object = Object::new();
        object.fields(&rest);
        extra.insert(name.into(), object.into_json());
    }
}

/// The text as an element of `content`.
pub(super) fn text(text: &Text, with_extra: bool) -> String {
    if marks::has(&text.extra, marks::BARE) && with_extra {
        return quote(&text.text);
    }
    let mut object = Object::new();
    object.str("type", "text").str("text", &text.text);
    if with_extra {
        object.fields(&text.extra);
    }
    object.finish()
}

/// The refusal as an element of `content`.
pub(super) fn refusal(text: &Text, with_extra: bool) -> String {
    let mut object = Object::new();
    object.str("type", "refusal").str("refusal", &text.text);
    if with_extra {
        object.fields(&text.extra);
    }
    object.finish()
}

/// The media as an element of `content`; `None` when chat has no place for it.
pub(super) fn media(media: &Media, with_extra: bool) -> Option<String> {
    let none = Fields::new();
    let extra = if with_extra { &media.extra } else { &none };
    let name = ["image_url", "audio_url", "video_url", "input_audio", "file"]
        .into_iter()
        .find(|name| marks::is(extra, marks::FIELD, name));
    let name = match name {
        Some(name) => name,
        None => usual_name(media)?,
    };
    let mut inner = Object::new();
    match (name, &media.source) {
        ("input_audio", MediaSource::Base64(data)) => {
            inner.str("data", data);
            if let Some(format) = &media.media_type {
                inner.str("format", format.rsplit('/').next().unwrap_or(format));
            }
        }
        ("file", source) => {
            match source {
                MediaSource::FileId(id) => inner.str("file_id", id),
                MediaSource::Url(url) => inner.str("file_data", url),
                MediaSource::Base64(data) if extra.contains_key(marks::FIELD) => {
                    inner.str("file_data", data)
                }
                source => inner.str("file_data", &address(media, source)?),
            };
            if let Some(name) = &media.name {
                inner.str("filename", name);
            }
        }
        (_, source) => {
            inner.str("url", &address(media, source)?);
        }
    }
    if let Some(rest) = extra
        .get(name)
        .and_then(|json| Raw::parse(json.as_str())?.members())
    {
        inner.fields(&rest.into_fields());
    }
    let mut object = Object::new();
    object.str("type", name);
    match &media.source {
        MediaSource::Url(url) if marks::has(extra, marks::BARE) => object.str(name, url),
        _ => object.raw(name, &inner.finish()),
    };
    object.fields(extra);
    Some(object.finish())
}

fn usual_name(media: &Media) -> Option<&'static str> {
    match (media.kind, &media.source) {
        (MediaKind::Image, MediaSource::Base64(_) | MediaSource::Url(_)) => Some("image_url"),
        (MediaKind::Audio, MediaSource::Base64(_)) => Some("input_audio"),
        (MediaKind::File, MediaSource::Base64(_) | MediaSource::FileId(_)) => Some("file"),
        (MediaKind::File, MediaSource::Url(url)) if url.starts_with("data:") => Some("file"),
        _ => None,
    }
}

fn address(media: &Media, source: &MediaSource) -> Option<String> {
    match source {
        MediaSource::Url(url) => Some(url.clone()),
        MediaSource::Base64(data) => {
            let media_type = media
                .media_type
                .as_deref()
                .unwrap_or("application/octet-stream");
            Some(format!("data:{media_type};base64,{data}"))
        }
        _ => None,
    }
}
