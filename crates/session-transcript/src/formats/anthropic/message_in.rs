//! From a message to ours: results apart from what the person says.

use session_log::{Fields, Message, Origin, Part, Role, Shape};

use crate::formats::anthropic::blocks_in;
use crate::formats::bodies::Piece;
use crate::json::{Members, Raw};
use crate::speech;

/// The message or messages in a record; `None` when it has no role.
pub(super) fn message(mut members: Members<'_>) -> Option<Vec<Piece>> {
    let role = members.take_str("role")?;
    let (parts, shape) = take_content(&mut members);
    Some(pieces(&role, parts, shape, members.into_fields()))
}

/// The system prompt in the field beside the messages.
pub(super) fn system(raw: Raw<'_>) -> Message {
    let (parts, shape) = blocks_in::content(Some(raw));
    Message::new(Role::System, parts).with_shape(shape)
}

/// Takes the content out of a message's members.
fn take_content(members: &mut Members<'_>) -> (Vec<Part>, Shape) {
    let content = members.take("content");
    blocks_in::content(content)
}

/// A record as messages: the results of a user record become a message of role tool, and what
/// stands beside them a user message after it.
pub(crate) fn pieces(role: &str, parts: Vec<Part>, shape: Shape, extra: Fields) -> Vec<Piece> {
    let is_result = |part: &Part| matches!(part, Part::ToolResult(_));
    let role = Role::from_name(role);
    if role != Role::User || !parts.iter().any(is_result) {
        return vec![piece(role, parts, shape, extra, None)];
    }
    if parts.iter().all(is_result) {
        return vec![piece(Role::Tool, parts, shape, extra, None)];
    }
    let numbered = parts.into_iter().zip(0_u64..);
    let (results, rest): (Vec<_>, Vec<_>) = numbered.partition(|(part, _)| is_result(part));
    let (results, result_slots) = results.into_iter().unzip();
    let (rest, rest_slots) = rest.into_iter().unzip();
    vec![
        piece(Role::Tool, results, shape, extra, Some(result_slots)),
        piece(Role::User, rest, shape, Fields::new(), Some(rest_slots)),
    ]
}

fn piece(
    role: Role,
    parts: Vec<Part>,
    shape: Shape,
    extra: Fields,
    slots: Option<Vec<u64>>,
) -> Piece {
    let is_text_only = parts.iter().all(|part| part.as_text().is_some());
    let is_injected = role == Role::User
        && is_text_only
        && speech::is_injected(parts.iter().filter_map(Part::as_text));
    let mut message = Message::new(role, parts).with_shape(shape);
    message.extra = extra;
    let origin = if is_injected {
        Origin::Injected
    } else {
        Origin::Real
    };
    Piece {
        message,
        origin,
        slots,
    }
}
