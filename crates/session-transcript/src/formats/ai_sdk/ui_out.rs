//! Messages of the screen.

use std::collections::HashMap;

use session_log::{Media, MediaSource, Part, Role, ToolCall, ToolResult};

use crate::formats::ai_sdk::message_out::{FOREIGN, Piece};
use crate::formats::ai_sdk::model_out;
use crate::formats::ai_sdk::output::{self, FORMAT, mark};
use crate::formats::ai_sdk::ui_in::{OLD, UI};
use crate::json::{Object, Raw, array};
use crate::lost::Lost;
use crate::marks;

/// The messages, each as JSON: what the model said in a row and the results it got are one where
/// they were one.
pub(super) fn records(pieces: &[Piece<'_>], lost: &mut Lost) -> Vec<String> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut open = OpenCalls::default();
    for piece in pieces {
        if is_of_model(piece) {
            let written = model_out::records(std::slice::from_ref(piece), lost);
            turns.extend(written.into_iter().map(Turn::plain));
            continue;
        }
        let results: Vec<&ToolResult> = piece.message.results().collect();
        for result in &results {
            let call = open.take(&result.call_id);
            let turn = call.and_then(|(turn, cell)| Some((turns.get_mut(turn)?, cell)));
            match turn.and_then(|(turn, cell)| turn.cells.get_mut(cell)) {
                Some(cell) => cell.answer(result, piece),
                None => {
                    let what = "result(s) without a call have no place and were left out";
                    lost.one(what);
                }
            }
        }
        if !results.is_empty() && piece.message.is_only_results() {
            continue;
        }
        let Some(turn) = turn(piece, lost) else {
            continue;
        };
        let count = turn.cells.len();
        match turns.last_mut().filter(|last| last.is_same_record(&turn)) {
            Some(last) => last.cells.extend(turn.cells),
            None => turns.push(turn),
        }
        open.add_last(&turns, count);
    }
    turns.into_iter().map(Turn::finish).collect()
}

/// Where the calls are that have no result yet: the turn and the cell, by id.
#[derive(Default)]
struct OpenCalls(HashMap<String, Vec<(usize, usize)>>);

impl OpenCalls {
    /// Adds the calls among the last cells of the last turn.
    fn add_last(&mut self, turns: &[Turn], count: usize) {
        let Some((at, turn)) = turns.iter().enumerate().next_back() else {
            return;
        };
        let cells = turn.cells.iter().enumerate().rev().take(count).rev();
        for (cell, call) in cells {
            if let Some(id) = &call.call_id {
                self.0.entry(id.clone()).or_default().push((at, cell));
            }
        }
    }

    /// Takes out the nearest earlier call with this id.
    fn take(&mut self, id: &str) -> Option<(usize, usize)> {
        self.0.get_mut(id)?.pop()
    }
}

/// Whether a message was read without parts.
fn is_of_model(piece: &Piece<'_>) -> bool {
    let has_slots = piece.note.is_some_and(|note| note.slots.is_some());
    piece.is_own && !has_slots && !marks::has(&piece.message.extra, UI)
}

#[derive(Default)]
struct Turn {
    /// The whole message, if it has no parts.
    plain: Option<String>,
    record: Option<u64>,
    id: String,
    role: String,
    extra: Vec<(String, String)>,
    is_own: bool,
    /// It is written without parts, as the first versions did.
    is_old: bool,
    cells: Vec<Cell>,
}

/// A part under construction.
struct Cell {
    members: Vec<(String, String)>,
    call_id: Option<String>,
    has_output: bool,
    /// What the first versions have around a call.
    outer: Option<String>,
    is_exact: bool,
}

fn turn(piece: &Piece<'_>, lost: &mut Lost) -> Option<Turn> {
    let is_exact = piece.is_own && piece.is_exact;
    let role = match &piece.message.role {
        Role::Developer if !is_exact => "system",
        Role::Tool => "user",
        Role::Other(_) if !is_exact => {
            lost.one("message(s) of an unknown role were left out");
            return None;
        }
        role => role.as_str(),
    };
    let mut cells = Vec::new();
    for part in &piece.message.parts {
        match cell(part, piece) {
            Some(cell) => cells.push(cell),
            None if matches!(part, Part::ToolResult(_)) => {}
            None => {
                let what = match part {
                    Part::Reasoning(_) => "reasoning part(s) of another format were left out",
                    _ => FOREIGN,
                };
                lost.one(what);
            }
        }
    }
    if cells.is_empty() && !is_exact {
        return None;
    }
    let extra = piece.message.extra.iter();
    let extra = extra.filter(|(name, _)| piece.is_own && !name.starts_with('@'));
    Some(Turn {
        plain: None,
        record: piece.note.filter(|_| piece.is_own).map(|note| note.record),
        id: piece.id.clone(),
        role: role.into(),
        extra: extra
            .map(|(name, json)| (name.clone(), json.as_str().into()))
            .collect(),
        is_own: piece.is_own,
        is_old: piece.is_own && marks::has(&piece.message.extra, OLD),
        cells,
    })
}

impl Turn {
    fn is_same_record(&self, next: &Self) -> bool {
        self.record.is_some() && self.record == next.record
    }

    fn plain(json: String) -> Self {
        Self {
            plain: Some(json),
            ..Self::default()
        }
    }

    fn finish(self) -> String {
        if let Some(plain) = self.plain {
            return plain;
        }
        let mut object = Object::new();
        for (name, json) in &self.extra {
            object.raw(name, json);
        }
        if !self.is_own {
            object.str("id", &self.id);
        }
        object.str("role", &self.role);
        if !self.is_old {
            object.raw("parts", &array(self.cells.into_iter().map(Cell::finish)));
            return object.finish();
        }
        let (said, calls): (Vec<Cell>, Vec<Cell>) = self
            .cells
            .into_iter()
            .partition(|cell| cell.text().is_some());
        let texts: Vec<String> = said.iter().filter_map(Cell::text).collect();
        object.raw(
            "toolInvocations",
            &array(calls.into_iter().map(Cell::finish)),
        );
        object.str("content", &texts.join("\n"));
        object.finish()
    }
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
    fn text(&self) -> Option<String> {
        let member = |name: &str| self.members.iter().find(|(found, _)| found == name);
        let is_text = member("type").is_some_and(|(_, json)| json == "\"text\"");
        let (_, text) = member("text").filter(|_| is_text)?;
        Some(Raw::parse(text)?.as_str()?.into_owned())
    }

    /// Puts a result into the part of its call.
    fn answer(&mut self, result: &ToolResult, piece: &Piece<'_>) {
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

    fn finish(mut self) -> String {
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

fn cell(part: &Part, piece: &Piece<'_>) -> Option<Cell> {
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
