//! A compaction that Claude Code made, as a boundary.

use session_log::{Boundary, Covered, EventBody, EventId, Json, NewEvent, Receipt, Seq, Size};

use crate::formats::claude_code::line::Line;
use crate::json::{Object, Raw};

/// The boundary at a place in the log.
///
/// `before` are the events in front of it, `is_kept` says which of them stay in view. `at` is its
/// own place.
pub(super) fn boundary(
    line: &Line<'_>,
    before: &[NewEvent],
    at: Seq,
    is_kept: impl Fn(&EventId) -> bool,
) -> Boundary {
    let places = std::iter::successors(Some(Seq::FIRST), |seq| Some(seq.plus(1)));
    let messages: Vec<(Seq, &NewEvent)> = places
        .zip(before)
        .filter(|(_, event)| matches!(event.body, EventBody::Message(_)))
        .collect();
    let first_kept = messages
        .iter()
        .find(|(_, event)| is_kept(&event.id))
        .map(|(seq, _)| *seq);
    let kept_from = first_kept.unwrap_or_else(|| at.plus(1));
    let mut boundary = Boundary::new(kept_from, receipt(line));
    let left: Vec<(Seq, &EventId)> = messages
        .iter()
        .filter(|(seq, event)| *seq < kept_from || !is_kept(&event.id))
        .map(|(seq, event)| (*seq, &event.id))
        .collect();
    boundary.superseded = left
        .iter()
        .map(|(seq, _)| *seq)
        .filter(|seq| *seq >= kept_from)
        .collect();
    boundary.receipt.covered = Covered::of(left);
    boundary
}

fn receipt(line: &Line<'_>) -> Receipt {
    let metadata = line.members.peek("compactMetadata");
    let number =
        |name: &str| metadata.and_then(|metadata| metadata.member(name)?.text().parse().ok());
    let mut trigger = Object::new();
    if let Some(name) = metadata.and_then(|metadata| metadata.member_str("trigger")) {
        trigger.str("claude-code", &name);
    }
    let mut receipt = Receipt::new(
        trigger.into_json(),
        Json::string("claude-code"),
        "claude-code",
    );
    receipt.before = Size::new(0, 0, number("preTokens").unwrap_or(0));
    receipt.after = Size::new(0, 0, number("postTokens").unwrap_or(0));
    receipt
}

/// Whether a line is a summary.
pub(super) fn is_summary(line: &Line<'_>) -> bool {
    line.flag("isCompactSummary")
        || line.message.peek("isCompactSummary").and_then(Raw::as_bool) == Some(true)
}
