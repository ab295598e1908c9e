//! From our messages to those of either side.

use session_log::{Json, Message};

use crate::envelope::{Hole, Layout};
use crate::format::Format;
use crate::formats::ai_sdk::{CONTAINERS, fold, model_out, ui_out};
use crate::formats::lists::{Laid, lay_out};
use crate::json::quote;
use crate::lost::Lost;
use crate::note::{Note, Place};
use crate::repair::arrange;
use crate::write::{Draft, Repair, Written};

pub(super) const FOREIGN: &str = "part(s) this format has no place for were left out";

/// A message to write.
pub(super) struct Piece<'a> {
    pub(super) message: &'a Message,
    pub(super) note: Option<&'a Note>,
    /// A name for it.
    pub(super) id: String,
    pub(super) is_own: bool,
    pub(super) is_exact: bool,
}

/// Writes the draft for the side it was read from, else for the model's.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let own = draft
        .envelope
        .filter(|envelope| envelope.format == Format::AiSdk);
    let layout = own.map_or(&Layout::Messages, |envelope| &envelope.layout);
    let is_ui =
        own.is_some_and(|envelope| envelope.fields.get(fold::SIDE) == Some(&Json::string("ui")));
    let has_system = matches!(layout, Layout::Framed(frame) if frame.has(Hole::System));
    let mut warnings = Vec::new();
    let mut lost = Lost::default();
    let mut laid = Laid::default();
    let arranged = arrange(draft, &mut warnings);
    let mut pieces = Vec::with_capacity(arranged.len());
    for (number, arranged) in arranged.iter().enumerate() {
        let note = arranged.note.as_ref();
        // Results that were moved up to their calls have no note.
        let is_moved = arranged.position.is_none() && own.is_some();
        let is_own = is_moved || note.is_some_and(|note| note.format == Format::AiSdk);
        let is_system = is_own && note.is_some_and(|note| note.place == Place::System);
        if is_system && has_system && laid.system.is_none() {
            laid.system = Some(quote(&arranged.message.text()));
            continue;
        }
        let item = arranged.position.and_then(|at| draft.items.get(at));
        pieces.push(Piece {
            message: &arranged.message,
            note,
            id: match item.and_then(|item| item.id) {
                Some(id) => id.to_string(),
                None => format!("message-{}", number + 1),
            },
            is_own,
            is_exact: draft.repair == Repair::Nothing,
        });
    }
    let records = match is_ui {
        true => ui_out::records(&pieces, &mut lost),
        false => model_out::records(&pieces, &mut lost),
    };
    laid.records = records
        .into_iter()
        .map(|record| (Place::Messages, record))
        .collect();
    warnings.extend(lost.into_warnings());
    let mut written = Written::new(lay_out(layout, &laid, &CONTAINERS));
    written.warnings = warnings;
    written
}
