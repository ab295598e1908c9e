//! From our messages to those of the conventions.

use session_log::{Arguments, Media, MediaSource, Message, Part, Role, ToolCall, ToolResult};

use crate::envelope::Layout;
use crate::format::Format;
use crate::formats::lists::{Entry, Laid, Turn, Turns, lay_out};
use crate::formats::otel::CONTAINERS;
use crate::formats::otel::parts::{FORMAT, JSON};
use crate::json::{Object, Raw, quote};
use crate::lost::Lost;
use crate::marks;
use crate::repair::{Arranged, arrange};
use crate::write::{Draft, Repair, Written};

/// Writes the draft as an array of messages, or one a line where it was read so.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let own = draft
        .envelope
        .filter(|envelope| envelope.format == Format::OtelGenAi);
    let layout = own.map_or(&Layout::Messages, |envelope| &envelope.layout);
    let mut warnings = Vec::new();
    let mut lost = Lost::default();
    let mut turns = Turns::exact();
    for arranged in arrange(draft, &mut warnings) {
        if let Some(turn) = turn(&arranged, draft.repair == Repair::Nothing, &mut lost) {
            turns.push(turn);
        }
    }
    let (turns, _) = turns.finish(String::new);
    let laid = Laid {
        records: turns
            .iter()
            .map(|turn| (turn.place, record(turn)))
            .collect(),
        ..Laid::default()
    };
    warnings.extend(lost.into_warnings());
    let mut written = Written::new(lay_out(layout, &laid, &CONTAINERS));
    written.warnings = warnings;
    written
}

fn turn(arranged: &Arranged<'_>, is_exact: bool, lost: &mut Lost) -> Option<Turn> {
    let message: &Message = &arranged.message;
    let note = arranged.note.as_ref();
    let own_note = note.filter(|note| note.format == Format::OtelGenAi);
    let is_own = own_note.is_some();
    let slots = own_note.and_then(|note| note.slots.as_deref());
    let role = match &message.role {
        Role::Tool if slots.is_some() => "user",
        Role::Tool => "tool",
        Role::User => "user",
        Role::Assistant => "assistant",
        _ => "system",
    };
    let mut turn = Turn::new(role, own_note);
    for (at, part) in message.parts.iter().enumerate() {
        match self::part(part, is_own) {
            Some(json) => turn.entries.push(Entry {
                json,
                is_result: false,
                slot: slots.and_then(|slots| slots.get(at)).copied(),
            }),
            None => lost.one("part(s) this format has no place for were left out"),
        }
    }
    if turn.entries.is_empty() && !(is_own && is_exact) {
        return None;
    }
    if let Role::Other(name) = &message.role {
        turn.extra.push((marks::ROLE.into(), quote(name)));
    }
    if let Some(name) = &message.name {
        turn.extra.push(("name".into(), quote(name)));
    }
    let extra = message.extra.iter().filter(|_| is_own);
    let extra = extra.map(|(name, json)| (name.clone(), json.as_str().to_owned()));
    turn.extra.extend(extra);
    Some(turn)
}

fn record(turn: &Turn) -> String {
    let mut object = Object::new();
    match turn.extra.iter().find(|(name, _)| name == marks::ROLE) {
        Some((_, role)) => object.raw("role", role),
        None => object.str("role", turn.role),
    };
    object.raw("parts", &turn.parts());
    for (name, json) in turn.extra.iter().filter(|(name, _)| !name.starts_with('@')) {
        object.raw(name, json);
    }
    object.finish()
}

/// The text of a mark of this format.
fn mark(extra: &session_log::Fields, name: &str, is_own: bool) -> Option<String> {
    let json = extra.get(name).filter(|_| is_own)?;
    Some(Raw::parse(json.as_str())?.as_str()?.into_owned())
}

fn part(part: &Part, is_own: bool) -> Option<String> {
    let mut object = Object::new();
    let extra = match part {
        Part::Text(text) | Part::Refusal(text) => {
            object.str("type", "text").str("content", &text.text);
            &text.extra
        }
        Part::Reasoning(reasoning) => {
            let kind =
                mark(&reasoning.extra, marks::FIELD, is_own).filter(|kind| kind == "thinking");
            object
                .str("type", kind.as_deref().unwrap_or("reasoning"))
                .str("content", reasoning.text.as_deref()?);
            &reasoning.extra
        }
        Part::ToolCall(call) => {
            self::call(call, is_own, &mut object);
            &call.extra
        }
        Part::ToolResult(result) => {
            self::result(result, is_own, &mut object);
            &result.extra
        }
        Part::Media(media) => {
            self::media(media, is_own, &mut object)?;
            &media.extra
        }
        Part::Opaque(opaque) if opaque.format == FORMAT => {
            return Some(opaque.json.as_str().into());
        }
        _ => return None,
    };
    if is_own {
        object.fields(extra);
    }
    Some(object.finish())
}

fn call(call: &ToolCall, is_own: bool, object: &mut Object) {
    let absent = mark(&call.extra, marks::ABSENT, is_own).unwrap_or_default();
    let is_absent = |name: &str| absent.split(' ').any(|absent| absent == name);
    object.str("type", "tool_call");
    let has_odd_id = is_own && call.extra.contains_key("id");
    if !(is_absent("id") || has_odd_id) {
        object.str("id", &call.id);
    }
    object.str("name", &call.name);
    if is_absent("arguments") {
        return;
    }
    let arguments = match &call.arguments {
        Arguments::Value(json) => json.as_str().to_owned(),
        other => match Raw::parse(other.as_str().trim()).filter(|_| !is_own) {
            Some(raw) => raw.text().to_owned(),
            None => quote(other.as_str()),
        },
    };
    object.raw("arguments", &arguments);
}

fn result(result: &ToolResult, is_own: bool, object: &mut Object) {
    object.str("type", "tool_call_response");
    let has_no_id = mark(&result.extra, marks::ABSENT, is_own).is_some()
        || (is_own && result.extra.contains_key("id"));
    if !has_no_id {
        object.str("id", &result.call_id);
    }
    if let Some(name) = result.name.as_ref().filter(|_| is_own) {
        object.str("name", name);
    }
    let texts: Vec<&str> = result.parts.iter().filter_map(Part::as_text).collect();
    let text = texts.join("\n");
    let was_json = is_own && marks::has(&result.extra, JSON);
    let value = match Raw::parse(&text).filter(|_| was_json) {
        Some(raw) => raw.text().to_owned(),
        None => quote(&text),
    };
    let field = mark(&result.extra, marks::FIELD, is_own);
    match field.as_deref() {
        Some("") => {}
        field => {
            object.raw(field.unwrap_or("response"), &value);
        }
    }
}

fn media(media: &Media, is_own: bool, object: &mut Object) -> Option<()> {
    let (kind, usual, value) = match &media.source {
        MediaSource::Base64(data) => ("blob", "content", data),
        MediaSource::Url(uri) => ("uri", "uri", uri),
        MediaSource::FileId(id) => ("file", "file_id", id),
        _ => return None,
    };
    let field = mark(&media.extra, marks::FIELD, is_own);
    object
        .str("type", kind)
        .str(field.as_deref().unwrap_or(usual), value);
    if let Some(media_type) = &media.media_type {
        object.str("mime_type", media_type);
    }
    if !is_own {
        object.str("modality", media.kind.as_str());
    }
    Some(())
}
