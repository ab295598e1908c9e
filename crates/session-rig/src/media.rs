//! Images, sounds, videos and documents, both ways.

use rig_core::message::{
    AudioMediaType, DocumentMediaType, DocumentSourceKind, ImageMediaType, MimeType, VideoMediaType,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use session_log::{Media, MediaKind, MediaSource};

use crate::error::TypedError;
use crate::fields::{rest_of, with_rest};

/// Media of rig as ours; `None` when there is nothing in it, or something new.
pub(crate) fn media_of(
    kind: MediaKind,
    whole: &impl Serialize,
    data: &DocumentSourceKind,
    media_type: Option<&impl MimeType>,
) -> Result<Option<Media>, TypedError> {
    let source = match data {
        DocumentSourceKind::Url(url) => MediaSource::Url(url.clone()),
        DocumentSourceKind::Base64(text) => MediaSource::Base64(text.clone()),
        DocumentSourceKind::FileId(id) => MediaSource::FileId(id.clone()),
        DocumentSourceKind::Raw(bytes) => MediaSource::Base64(base64(bytes)),
        DocumentSourceKind::String(text) => MediaSource::Text(text.clone()),
        DocumentSourceKind::Unknown => return Ok(None),
    };
    let mut media = Media::new(kind, source);
    media.media_type = media_type.map(|known| known.to_mime_type().into());
    media.extra = rest_of(whole, &["data", "media_type"])?;
    Ok(Some(media))
}

/// Media of ours as a part of rig's; `None` when rig knows no such type.
pub(crate) fn part<T: DeserializeOwned>(media: &Media) -> Option<T> {
    let (tag, known) = match media.kind {
        MediaKind::Image => ("image", known::<ImageMediaType>(media, "image/")?),
        MediaKind::Audio => ("audio", known::<AudioMediaType>(media, "audio/")?),
        MediaKind::Video => ("video", known::<VideoMediaType>(media, "video/")?),
        MediaKind::File => (
            "document",
            known::<DocumentMediaType>(media, "application/")?,
        ),
        _ => return None,
    };
    let data = match &media.source {
        MediaSource::Base64(text) => DocumentSourceKind::base64(text),
        MediaSource::Url(url) => DocumentSourceKind::url(url),
        MediaSource::FileId(id) => DocumentSourceKind::file_id(id),
        MediaSource::Text(text) => DocumentSourceKind::string(text),
        _ => return None,
    };
    let mut fields = Map::new();
    fields.insert("type".into(), tag.into());
    fields.insert("data".into(), serde_json::to_value(data).ok()?);
    if !known.is_null() {
        fields.insert("media_type".into(), known);
    }
    with_rest(fields, &media.extra)
}

/// The type as rig writes it, null when none was given; `None` when rig does not know it.
fn known<T: MimeType + Serialize>(media: &Media, prefix: &str) -> Option<Value> {
    let Some(name) = &media.media_type else {
        return Some(Value::Null);
    };
    let name = name.to_ascii_lowercase();
    let known = T::from_mime_type(&name).or_else(|| match name.as_str() {
        "jpg" | "image/jpg" => T::from_mime_type("image/jpeg"),
        "audio/mpeg" => T::from_mime_type("audio/mp3"),
        "audio/x-wav" => T::from_mime_type("audio/wav"),
        "video/quicktime" => T::from_mime_type("video/mov"),
        word => T::from_mime_type(&format!("{prefix}{word}")),
    })?;
    serde_json::to_value(known).ok()
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let six = (bits >> (18 - 6 * at)) & 63;
            let letter = LETTERS.get(six as usize).copied();
            let is_there = at <= chunk.len();
            text.push(letter.filter(|_| is_there).unwrap_or(b'=').into());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn bytes_are_written_as_others_write_them() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("\u{ff}~", "w79+"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
