//! Which texts of a message are searched.

use std::vec::Vec;

use session_log::{MediaSource, Message, Part};

use super::Reach;

/// One searched text of a message. A keyword never spans two of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Piece<'a> {
    /// Which sort of text it is.
    pub kind: PieceKind,
    /// The text, as it was appended.
    pub text: &'a str,
}

impl std::fmt::Debug for Piece<'_> {
    /// Says what sort of text it is and how long, not what it says.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({} bytes)", self.kind, self.text.len())
    }
}

/// Which sort of text a [`Piece`] is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PieceKind {
    /// What was said: text, a refusal, an attached plain text.
    #[default]
    Text,
    /// The name or the arguments of a tool call.
    ToolCall,
    /// What a tool returned.
    ToolResult,
}

/// The searched texts of `message`, in order.
///
/// ```
/// use session_log::Message;
/// use session_store::search::{Reach, pieces};
///
/// let result = Message::tool_result("k1", "Room 9 is free.");
/// assert_eq!(pieces(&result, Reach::TextAndTools)[0].text, "Room 9 is free.");
/// assert!(pieces(&result, Reach::Text).is_empty());
/// ```
#[must_use]
pub fn pieces(message: &Message, reach: Reach) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    collect(&message.parts, reach, PieceKind::Text, &mut pieces);
    pieces
}

fn collect<'a>(parts: &'a [Part], reach: Reach, kind: PieceKind, into: &mut Vec<Piece<'a>>) {
    for part in parts {
        match part {
            Part::Text(text) | Part::Refusal(text) => into.push(Piece {
                kind,
                text: &text.text,
            }),
            Part::Media(media) => {
                if let MediaSource::Text(text) = &media.source {
                    into.push(Piece { kind, text });
                }
            }
            Part::ToolCall(call) if reach == Reach::TextAndTools => {
                for text in [call.name.as_str(), call.arguments.as_str()] {
                    let kind = PieceKind::ToolCall;
                    into.push(Piece { kind, text });
                }
            }
            Part::ToolResult(result) if reach == Reach::TextAndTools => {
                collect(&result.parts, reach, PieceKind::ToolResult, into);
            }
            _ => {}
        }
    }
}
