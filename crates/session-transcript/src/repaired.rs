//! A conversation as any provider takes it: calls and results in order, nothing left hanging.

use session_log::Message;

use crate::item::Item;
use crate::repair::arrange;
use crate::transcript::Warning;
use crate::write::{Draft, Repair};

/// Brings messages into the order that providers want: results right after their calls, without
/// calls that were given up and results that answer nothing. What was left out is told.
///
/// The events stay as they are; only what is sent is repaired.
///
/// ```
/// use session_log::{Message, ToolCall};
/// use session_transcript::{Repair, repaired};
///
/// let talk = [
///     Message::user("What time is it?"),
///     Message::tool_calls([ToolCall::new("k1", "clock", "{}")]), // never answered
///     Message::user("Never mind."),
/// ];
/// let (messages, warnings) = repaired(&talk, Repair::Everything);
/// assert_eq!(messages.len(), 2);
/// assert_eq!(warnings.len(), 1);
/// ```
#[must_use]
pub fn repaired<'a, I>(items: I, repair: Repair) -> (Vec<Message>, Vec<Warning>)
where
    I: IntoIterator,
    I::Item: Into<Item<'a>>,
{
    let draft = Draft {
        items: items.into_iter().map(Into::into).collect(),
        envelope: None,
        repair,
        is_request: true,
        is_file: false,
    };
    let mut warnings = Vec::new();
    let messages = arrange(&draft, &mut warnings)
        .into_iter()
        .map(|arranged| arranged.message.into_owned())
        .collect();
    (messages, warnings)
}
