//! Messages of the screen.

use std::collections::HashMap;

use session_log::{Part, Role, ToolResult};

use crate::formats::ai_sdk::cells::{Cell, cell};
use crate::formats::ai_sdk::message_out::{FOREIGN, Piece};
use crate::formats::ai_sdk::model_out;
use crate::formats::ai_sdk::ui_in::{OLD, UI};
use crate::json::{Object, array};
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
