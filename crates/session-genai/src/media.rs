//! Images, sounds, videos and files, both ways.

use genai::chat::{Binary, BinarySource};
use session_log::{Media, MediaKind, MediaSource};

/// The kind that the content type names.
pub(crate) fn media_of(binary: &Binary) -> Media {
    let source = match &binary.source {
        BinarySource::Url(url) => MediaSource::Url(url.clone()),
        BinarySource::Base64(text) => MediaSource::Base64(text.as_ref().into()),
    };
    let kind = match binary
        .content_type
        .trim()
        .to_ascii_lowercase()
        .split_once('/')
    {
        Some(("image", _)) => MediaKind::Image,
        Some(("audio", _)) => MediaKind::Audio,
        Some(("video", _)) => MediaKind::Video,
        _ => MediaKind::File,
    };
    let mut media = Media::new(kind, source);
    media.media_type = Some(binary.content_type.clone());
    media.name = binary.name.clone();
    media
}

/// A binary with a content type, which genai wants; `None` for what it has no source for.
pub(crate) fn binary(media: &Media) -> Option<Binary> {
    let source = match &media.source {
        MediaSource::Base64(text) => BinarySource::Base64(text.as_str().into()),
        MediaSource::Url(url) => match in_data_url(url) {
            Some((content_type, data)) => {
                let source = BinarySource::Base64(data.into());
                return Some(Binary::new(content_type, source, media.name.clone()));
            }
            None => BinarySource::Url(url.clone()),
        },
        _ => return None,
    };
    Some(Binary::new(content_type(media), source, media.name.clone()))
}

fn in_data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let content_type = head.strip_suffix(";base64")?;
    (!content_type.is_empty()).then_some((content_type, data))
}

/// The type as given, or the widest there is of the kind.
fn content_type(media: &Media) -> String {
    let (prefix, widest) = match media.kind {
        MediaKind::Image => ("image", "image/*"),
        MediaKind::Audio => ("audio", "audio/*"),
        MediaKind::Video => ("video", "video/*"),
        _ => ("application", "application/octet-stream"),
    };
    match &media.media_type {
        Some(name) if name.contains('/') => name.clone(),
        Some(word) => format!("{prefix}/{word}"),
        None => widest.into(),
    }
}
