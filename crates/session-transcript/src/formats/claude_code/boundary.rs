//! A compaction that Claude Code made, as a boundary.

use session_log::{Boundary, Json, NewEvent, Receipt, Seq, Size};

use crate::formats::claude_code::held::Held;
use crate::formats::claude_code::line::Line;
use crate::formats::shown::{covered, next_seq};
use crate::json::{Object, Raw};

/// The boundary behind `events` with which `left` left the view; `held` is what stays in it.
pub(super) fn boundary(
    line: &Line<'_>,
    events: &[NewEvent],
    left: &[Seq],
    held: &mut Held,
) -> Boundary {
    let first = held.first().unwrap_or_else(|| next_seq(events).plus(1));
    let mut boundary = Boundary::new(first, receipt(line));
    boundary.superseded = held.hidden_from(first);
    boundary.receipt.covered = covered(left, events);
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
