//! Messages of the model's side.

use std::collections::BTreeMap;

use session_log::{Fields, Media, MediaKind, MediaSource, Message, Part, Role, Shape};

use crate::formats::ai_sdk::message_out::{FOREIGN, Piece};
use crate::formats::ai_sdk::output::{self, FORMAT, mark};
use crate::json::{Object, array, quote};
use crate::lost::Lost;
use crate::marks;

/// The messages, each as JSON.
pub(super) fn records(pieces: &[Piece<'_>], lost: &mut Lost) -> Vec<String> {
    let mut names = BTreeMap::new();
    let mut records = Vec::new();
    for piece in pieces {
        for call in piece.message.calls() {
            names.insert(call.id.as_str(), call.name.as_str());
        }
        if piece.is_own && piece.message.role == Role::Tool && piece.message.shape == Shape::Parts {
            let parts = piece.message.parts.iter();
            let parts = parts.filter_map(|part| match part {
                Part::ToolResult(_) => result(part, piece, &names, lost),
                part => self::part(part, piece),
            });
            let content = array(parts);
            records.push(message("tool", Some(&content), piece));
            continue;
        }
        // Results and the rest of a message are two here.
        let (results, rest): (Vec<&Part>, Vec<&Part>) = piece
            .message
            .parts
            .iter()
            .partition(|part| matches!(part, Part::ToolResult(_)));
        if !results.is_empty() {
            let parts = results
                .iter()
                .filter_map(|part| result(part, piece, &names, lost));
            let content = array(parts);
            records.push(message("tool", Some(&content), piece));
        }
        if results.is_empty() || !rest.is_empty() {
            records.extend(spoken(piece, &rest, lost));
        }
    }
    records
}

fn spoken(piece: &Piece<'_>, parts: &[&Part], lost: &mut Lost) -> Option<String> {
    let Message { role, shape, .. } = piece.message;
    let is_exact = piece.is_own && piece.is_exact;
    let role = match role {
        Role::Developer if !is_exact => "system",
        Role::Tool if !is_exact => "user",
        Role::Other(_) if !is_exact => {
            lost.one("message(s) of an unknown role were left out");
            return None;
        }
        role => role.as_str(),
    };
    let content = match (parts, shape) {
        ([], Shape::Absent) if is_exact => None,
        ([], Shape::Null) if is_exact => Some("null".into()),
        ([Part::Text(text)], Shape::Text) => Some(quote(&text.text)),
        ([Part::Opaque(opaque)], Shape::Text) if opaque.format == FORMAT && piece.is_own => {
            Some(opaque.json.as_str().into())
        }
        _ if role == "system" && !is_exact => Some(quote(&piece.message.text())),
        _ => {
            let mut written = Vec::new();
            for part in parts {
                match self::part(part, piece) {
                    Some(json) => written.push(json),
                    None => {
                        let what = match part {
                            Part::Reasoning(_) => {
                                "reasoning part(s) of another format were left out"
                            }
                            _ => FOREIGN,
                        };
                        lost.one(what);
                    }
                }
            }
            if written.is_empty() && !is_exact {
                return None;
            }
            Some(array(written))
        }
    };
    Some(message(role, content.as_deref(), piece))
}

fn message(role: &str, content: Option<&str>, piece: &Piece<'_>) -> String {
    let mut object = Object::new();
    object.str("role", role);
    if let Some(content) = content {
        object.raw("content", content);
    }
    if piece.is_own {
        object.fields(&piece.message.extra);
    }
    object.finish()
}

fn finish(mut object: Object, extra: &Fields, piece: &Piece<'_>) -> String {
    if piece.is_own {
        object.fields(extra);
    }
    object.finish()
}

fn part(part: &Part, piece: &Piece<'_>) -> Option<String> {
    let mut object = Object::new();
    match part {
        Part::Text(text) | Part::Refusal(text) => {
            object.str("type", "text").str("text", &text.text);
            Some(finish(object, &text.extra, piece))
        }
        Part::Reasoning(reasoning) if piece.is_own => {
            let text = reasoning.text.as_deref().unwrap_or_default();
            object.str("type", "reasoning").str("text", text);
            Some(finish(object, &reasoning.extra, piece))
        }
        Part::Media(media) => self::media(media, piece),
        Part::ToolCall(call) => {
            let is_old = piece.is_own && marks::is(&call.extra, marks::FIELD, "args");
            object
                .str("type", "tool-call")
                .str("toolCallId", &call.id)
                .str("toolName", &call.name)
                .raw(
                    if is_old { "args" } else { "input" },
                    &output::input(&call.arguments),
                );
            Some(finish(object, &call.extra, piece))
        }
        Part::Opaque(opaque) if opaque.format == FORMAT => Some(opaque.json.as_str().into()),
        _ => None,
    }
}

fn media(media: &Media, piece: &Piece<'_>) -> Option<String> {
    let field = mark(&media.extra, marks::FIELD).filter(|_| piece.is_own);
    let usual = match media.kind {
        MediaKind::Image => "image",
        _ => "data",
    };
    let field = field.as_deref().unwrap_or(usual);
    let (MediaSource::Url(data) | MediaSource::Base64(data)) = &media.source else {
        return None;
    };
    let mut object = Object::new();
    object
        .str("type", if field == "image" { "image" } else { "file" })
        .str(field, data);
    let is_old = piece.is_own && marks::has(&media.extra, "@old");
    match &media.media_type {
        Some(media_type) if is_old => {
            object.str("mimeType", media_type);
        }
        Some(media_type) => {
            object.str("mediaType", media_type);
        }
        None => {}
    }
    if let Some(name) = &media.name {
        object.str("filename", name);
    }
    Some(finish(object, &media.extra, piece))
}

fn result(
    part: &Part,
    piece: &Piece<'_>,
    names: &BTreeMap<&str, &str>,
    lost: &mut Lost,
) -> Option<String> {
    let Part::ToolResult(result) = part else {
        return None;
    };
    let mut object = Object::new();
    object
        .str("type", "tool-result")
        .str("toolCallId", &result.call_id);
    let name = result.name.as_deref();
    let name = match names.get(result.call_id.as_str()) {
        Some(known) if !piece.is_own => Some(*known),
        known => name.or(known.copied()),
    };
    match name {
        Some(name) => {
            object.str("toolName", name);
        }
        None if piece.is_own && piece.is_exact => {}
        None => {
            object.str("toolName", "unnamed");
        }
    }
    if piece.is_own && marks::is(&result.extra, marks::FIELD, "result") {
        object.raw("result", &output::plain_value(result, true));
        if let Some(is_error) = result.is_error {
            object.raw("isError", if is_error { "true" } else { "false" });
        }
    } else {
        let mut count = 0;
        let value = output::typed_value(result, piece.is_own, &mut count);
        object.raw("output", &value);
        if count > 0 {
            lost.add(FOREIGN, count);
        }
    }
    Some(finish(object, &result.extra, piece))
}
