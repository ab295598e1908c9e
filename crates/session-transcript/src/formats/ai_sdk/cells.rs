//! The parts of a message of the screen: a call and its result are one.

use session_log::{Media, MediaSource, Part, ToolCall, ToolResult};

use crate::formats::ai_sdk::message_out::Piece;
use crate::formats::ai_sdk::output::{self, FORMAT, mark};
use crate::formats::ai_sdk::ui_in::OLD;
use crate::json::{Object, Raw};
use crate::marks;

/// A part under construction.
pub(super) struct Cell {
    members: Vec<(String, String)>,
    pub(super) call_id: Option<String>,
    has_output: bool,
    /// What the first versions have around a call.
    outer: Option<String>,
    is_exact: bool,
}

impl Cell {
    fn plain(members: Vec<(String, String)>, is_exact: bool) -> Self {
        Self {
            members,
            call_id: None,
            has_output: false,
            outer: None,
            is_exact,
        }
    }

    /// The text, if that is what the part is.
    pub(super) fn text(&self) -> Option<String> {
        let member = |name: &str| self.members.iter().find(|(found, _)| found == name);
        let is_text = member("type").is_some_and(|(_, json)| json == "\"text\"");
        let (_, text) = member("text").filter(|_| is_text)?;
        Some(Raw::parse(text)?.as_str()?.into_owned())
    }

    /// Puts a result into the part of its call.
    pub(super) fn answer(&mut self, result: &ToolResult, piece: &Piece<'_>) {
        let is_error = result.is_error == Some(true);
        let own_field = mark(&result.extra, marks::FIELD).filter(|_| piece.is_own);
        let field = match (own_field, is_error) {
            (Some(field), _) => field,
            (None, true) => "errorText".into(),
            (None, false) => "output".into(),
        };
        let value = output::plain_value(result, piece.is_own);
        self.members.push((field, value));
        self.has_output = true;
        if !piece.is_own {
            let state = if is_error {
                "output-error"
            } else {
                "output-available"
            };
            self.set_state(state);
        }
    }

    fn set_state(&mut self, state: &str) {
        self.members.retain(|(name, _)| name != "state");
        self.members.push(("state".into(), format!("\"{state}\"")));
    }

    pub(super) fn finish(mut self) -> String {
        let was_answered = self.members.iter().any(|(name, json)| {
            name == "state" && (json.starts_with("\"output-") || json == "\"result\"")
        });
        if self.call_id.is_some() && !self.has_output && was_answered && !self.is_exact {
            let is_old = self.members.iter().any(|(name, _)| name == "args");
            let state = if is_old { "call" } else { "input-available" };
            self.set_state(state);
        }
        let mut object = Object::new();
        for (name, json) in &self.members {
            object.raw(name, json);
        }
        let Some(outer) = self.outer else {
            return object.finish();
        };
        let mut around = Object::new();
        around.raw("toolInvocation", &object.finish());
        if let Some(members) = Raw::parse(&outer).and_then(Raw::members) {
            around.fields(&members.into_fields());
        }
        around.finish()
    }
}

pub(super) fn cell(part: &Part, piece: &Piece<'_>) -> Option<Cell> {
    let is_exact = piece.is_own && piece.is_exact;
    let mut object = Object::new();
    let extra = match part {
        Part::Text(text) | Part::Refusal(text) => {
            object.str("type", "text").str("text", &text.text);
            &text.extra
        }
        Part::Reasoning(reasoning) if piece.is_own => {
            let field = mark(&reasoning.extra, marks::FIELD);
            let text = reasoning.text.as_deref().unwrap_or_default();
            object
                .str("type", "reasoning")
                .str(field.as_deref().unwrap_or("text"), text);
            &reasoning.extra
        }
        Part::Media(media) => {
            file(media, &mut object)?;
            &media.extra
        }
        Part::ToolCall(call) => return Some(tool(call, piece)),
        Part::Opaque(opaque) if opaque.format == FORMAT => {
            let members = Raw::parse(opaque.json.as_str()).and_then(Raw::members);
            return Some(match members {
                Some(_) => Cell::plain(members_of(opaque.json.as_str()), is_exact),
                None => return None,
            });
        }
        _ => return None,
    };
    if piece.is_own {
        object.fields(extra);
    }
    Some(Cell::plain(members_of(&object.finish()), is_exact))
}

fn members_of(object: &str) -> Vec<(String, String)> {
    let members = Raw::parse(object)
        .and_then(Raw::members)
        .unwrap_or_default();
    let members = members.iter();
    members
        .map(|(name, raw)| (name.to_owned(), raw.text().to_owned()))
        .collect()
}

fn file(media: &Media, object: &mut Object) -> Option<()> {
    let usual = "application/octet-stream";
    let url = match &media.source {
        MediaSource::Url(url) => url.clone(),
        MediaSource::Base64(data) => {
            let media_type = media.media_type.as_deref().unwrap_or(usual);
            format!("data:{media_type};base64,{data}")
        }
        _ => return None,
    };
    object.str("type", "file").str("url", &url);
    if let Some(media_type) = &media.media_type {
        object.str("mediaType", media_type);
    }
    if let Some(name) = &media.name {
        object.str("filename", name);
    }
    Some(())
}

fn tool(call: &ToolCall, piece: &Piece<'_>) -> Cell {
    let outer = call.extra.get("@outer").filter(|_| piece.is_own);
    let is_old = outer.is_some() || (piece.is_own && marks::has(&call.extra, OLD));
    let is_dynamic = piece.is_own && marks::is(&call.extra, "type", "dynamic-tool");
    let is_absent = piece.is_own && marks::has(&call.extra, marks::ABSENT);
    let mut object = Object::new();
    if !is_old && !is_dynamic {
        object.str("type", &format!("tool-{}", call.name));
    }
    object.str("toolCallId", &call.id);
    if is_old || is_dynamic {
        object.str("toolName", &call.name);
    }
    if !(is_absent && piece.is_exact) {
        let field = if is_old { "args" } else { "input" };
        object.raw(field, &output::input(&call.arguments));
    }
    match piece.is_own {
        true => object.fields(&call.extra),
        false => object.str("state", "input-available"),
    };
    Cell {
        members: members_of(&object.finish()),
        call_id: Some(call.id.clone()),
        has_output: false,
        outer: outer.map(|json| json.as_str().into()),
        is_exact: piece.is_exact,
    }
}
