//! A compaction that Claude Code made, as a boundary.

use session_log::{Boundary, EventBody, Json, NewEvent, Receipt, Seq, Size};

use crate::formats::claude_code::line::Line;
use crate::formats::cover::Cover;
use crate::json::{Object, Raw};

/// The boundary behind `before`. Of these events `kept` stay in view, in log order; `cover` is of
/// the boundaries in front of it.
pub(super) fn boundary(
    line: &Line<'_>,
    before: &[NewEvent],
    kept: Vec<Seq>,
    cover: &mut Cover,
) -> Boundary {
    let count = u64::try_from(before.len()).unwrap_or(u64::MAX);
    let first_kept = kept.first().copied();
    let kept_from = first_kept.unwrap_or_else(|| Seq::FIRST.plus(count).plus(1));
    let mut boundary = Boundary::new(kept_from, receipt(line));
    let mut shown = kept.iter().peekable();
    let from = kept_from.as_u64().saturating_sub(Seq::FIRST.as_u64());
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    let places = std::iter::successors(Some(kept_from), |seq| Some(seq.plus(1)));
    for (seq, event) in places.zip(before.get(from..).unwrap_or_default()) {
        let is_kept = shown.next_if(|kept| **kept == seq).is_some();
        if !is_kept && matches!(event.body, EventBody::Message(_)) {
            boundary.superseded.push(seq);
        }
    }
    boundary.receipt.covered = cover.all_but(kept, before);
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
