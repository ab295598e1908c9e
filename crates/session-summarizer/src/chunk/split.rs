//! One message in pieces, each of which is a message of its own and reads like one.

use std::borrow::Cow;

use session_log::{Arguments, Message, Part, ToolResult};

use crate::brief::{Piece, Shown};

/// The message in pieces of at most `room` tokens each. Together they say all of it: texts,
/// arguments and results are cut at a line break or blank where there is one near, else anywhere.
/// What has no text to cut (a picture, a part we do not know) is never cut.
pub(super) fn split<'a>(
    shown: &Shown<'a>,
    room: u64,
    cost: &dyn Fn(&Shown<'_>) -> u64,
) -> Vec<Shown<'a>> {
    let shell = |parts: Vec<Part>| {
        let mut message = Message::new(shown.message.role.clone(), parts);
        message.name.clone_from(&shown.message.name);
        message
    };
    // The numbers are not known yet; these are as long as any that will be.
    let widest = Piece::new(999_999, 999_999);
    let tokens = |parts: Vec<Part>| cost(&shown.clone().with_piece(shell(parts), widest));

    let mut pieces: Vec<Vec<Part>> = Vec::new();
    let mut open: Vec<Part> = Vec::new();
    for part in &shown.message.parts {
        let mut longer = open.clone();
        longer.push(part.clone());
        if tokens(longer) <= room {
            open.push(part.clone());
            continue;
        }
        if !open.is_empty() {
            pieces.push(core::mem::take(&mut open));
        }
        if tokens(vec![part.clone()]) <= room {
            open.push(part.clone());
        } else {
            pieces.extend(slices(part, room, &|part| tokens(vec![part])));
        }
    }
    if !open.is_empty() {
        pieces.push(open);
    }

    let count = pieces.len() as u64;
    (1..)
        .zip(pieces)
        .map(|(number, parts)| {
            shown
                .clone()
                .with_piece(shell(parts), Piece::new(number, count))
        })
        .collect()
}

/// One part in slices, each as the parts of a piece.
fn slices(part: &Part, room: u64, cost: &dyn Fn(Part) -> u64) -> Vec<Vec<Part>> {
    let with = |slice: &str| with_text(part, slice);
    let fits = |slice: &str| cost(with(slice)) <= room;
    // Without room for what stands around the text, no cut would help.
    let text = text_of(part).filter(|text| !text.is_empty() && fits(""));
    let Some(text) = text else {
        return vec![vec![part.clone()]];
    };
    // What one byte costs, to begin with: the law of estimators is that this is about even.
    let whole = cost(part.clone()).max(1);
    let share = u128::from(room) * (text.len() as u128) / u128::from(whole);
    let mut guess = usize::try_from(share).unwrap_or(usize::MAX).max(1);

    let mut rest: &str = &text;
    let mut pieces: Vec<Vec<Part>> = Vec::new();
    while !rest.is_empty() {
        let mut slice = head(rest, guess);
        while !fits(slice) && slice.chars().nth(1).is_some() {
            guess = (slice.len() / 2).max(1);
            slice = head(rest, guess);
        }
        pieces.push(vec![with(slice)]);
        rest = rest.get(slice.len()..).unwrap_or_default();
    }
    // Pictures inside a result go with its first piece.
    if let (Part::ToolResult(result), Some(first)) = (part, pieces.first_mut())
        && let Some(Part::ToolResult(piece)) = first.first_mut()
    {
        let others = result.parts.iter().filter(|it| nested_text(it).is_none());
        piece.parts.extend(others.cloned());
    }
    pieces
}

/// The first `most` bytes of a text, at least one character of it, up to a line break or a blank
/// if there is one in the last quarter.
fn head(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while end > 0 && !text.is_char_boundary(end) {
        end -= 1;
    }
    if end == 0 {
        end = text.chars().next().map_or(0, char::len_utf8);
    }
    let cut = text.get(..end).unwrap_or(text);
    let floor = end / 4 * 3;
    let at = cut
        .rfind('\n')
        .or_else(|| cut.rfind(' '))
        .filter(|at| *at >= floor);
    // Both are one byte long.
    at.and_then(|at| cut.get(..=at)).unwrap_or(cut)
}

/// What a part says, if it can be cut.
fn text_of(part: &Part) -> Option<Cow<'_, str>> {
    match part {
        Part::Text(text) | Part::Refusal(text) => Some(Cow::Borrowed(&text.text)),
        Part::ToolCall(call) => Some(Cow::Borrowed(call.arguments.as_str())),
        Part::ToolResult(result) => {
            let texts: Vec<_> = result.parts.iter().filter_map(nested_text).collect();
            Some(Cow::Owned(texts.join("\n")))
        }
        _ => None,
    }
}

fn nested_text(part: &Part) -> Option<&str> {
    match part {
        Part::Text(text) | Part::Refusal(text) => Some(&text.text),
        Part::Opaque(opaque) => Some(opaque.json.as_str()),
        _ => None,
    }
}

/// The part with another text.
fn with_text(part: &Part, slice: &str) -> Part {
    match part {
        Part::Refusal(_) => Part::Refusal(session_log::Text::new(slice)),
        Part::ToolCall(call) => {
            let mut call = call.clone();
            call.arguments = Arguments::Text(slice.into());
            Part::ToolCall(call)
        }
        Part::ToolResult(result) => {
            let mut piece = ToolResult::text(result.call_id.clone(), slice);
            piece.name.clone_from(&result.name);
            piece.is_error = result.is_error;
            Part::ToolResult(piece)
        }
        _ => Part::text(slice),
    }
}

/// Everything a message says that can be cut, in order.
pub(super) fn said(message: &Message) -> String {
    message.parts.iter().filter_map(text_of).collect()
}
