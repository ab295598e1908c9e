//! From events to a trajectory.

use std::collections::BTreeSet;

use crate::format::Format;
use crate::formats::atif::steps_out::Steps;
use crate::item::ItemBody;
use crate::json::{Object, Raw};
use crate::note::Note;
use crate::repair::arrange;
use crate::transcript::Warning;
use crate::write::{Draft, Repair, Written};

/// The version whose rules are kept.
const VERSION: &str = "ATIF-v1.6";

/// Writes the draft as one trajectory, in its own frame if it has one.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let mut warnings = Vec::new();
    let mut steps = Steps::new(draft.repair == Repair::Nothing);
    let arranged = arrange(draft, &mut warnings);
    let mut arranged = arranged.iter().peekable();
    let is_own = |note: &Note| note.format == Format::Atif;
    let copies: BTreeSet<usize> = draft
        .items
        .iter()
        .enumerate()
        .filter(|(_, item)| matches!(item.body, ItemBody::Other(_)))
        .filter(|(_, item)| item.note().is_some_and(|note| is_own(&note)))
        .map(|(at, _)| at)
        .collect();
    for (at, item) in draft.items.iter().enumerate() {
        if copies.contains(&at)
            && let ItemBody::Other(body) = &item.body
        {
            steps.copy(body);
        }
        while let Some(next) =
            arranged.next_if(|next| next.position.is_none_or(|place| place <= at))
        {
            // The summary of a boundary is written as the steps that were copied.
            let is_copy = next.is_summary && next.note.as_ref().is_some_and(is_own);
            if !is_copy || copies.is_empty() {
                let moment = next.position.and_then(|place| draft.items.get(place));
                steps.message(next, moment.and_then(|item| item.timestamp));
            }
        }
    }
    arranged.for_each(|rest| steps.message(rest, None));
    let count = steps.count();
    let (text, lost) = steps.finish();
    warnings.extend(lost.into_warnings());
    Written {
        text: framed(draft, &text, count, &mut warnings),
        warnings,
    }
}

/// The trajectory around its steps.
fn framed(draft: &Draft<'_>, steps: &str, count: usize, warnings: &mut Vec<Warning>) -> String {
    let mut object = Object::new();
    let envelope = draft.envelope;
    if let Some(own) = envelope.filter(|envelope| envelope.format == Format::Atif) {
        for (name, json) in &own.fields {
            let total = Raw::trusted(json.as_str()).member("total_steps");
            let is_stale = name == "final_metrics"
                && total.is_some_and(|total| total.text() != count.to_string());
            if is_stale && draft.repair != Repair::Nothing {
                let what = "the metrics of the whole are left out: the steps are others";
                warnings.push(Warning::file(what));
                continue;
            }
            object.json(name, json);
        }
        object.raw("steps", steps);
        return object.finish();
    }
    let conversation = draft
        .items
        .iter()
        .find_map(|item| item.id)
        .and_then(|id| Some(id.as_str().rsplit_once('/')?.0.to_owned()));
    let agent = envelope.map_or("session-transcript", |envelope| envelope.format.name());
    let mut of = Object::new();
    of.str("name", agent).str("version", "unknown");
    object
        .str("schema_version", VERSION)
        .str("session_id", conversation.as_deref().unwrap_or("session"))
        .raw("agent", &of.finish())
        .raw("steps", steps);
    object.finish()
}
