//! Whether a text is the transcript again.

use session_log::{Message, Part, Role};

use crate::brief::Brief;
use crate::prompt::{CONVERSATION_MARKER, PRIOR_MARKER, UPCOMING_MARKER};

/// The letters and digits a message must have to be looked for. Shorter ones ("yes, go on") are
/// quoted in sound summaries.
const SHORTEST: usize = 24;

/// The letters and digits that may stand between two copied messages: a number and a role
/// (`[12] assistant`), but no sentence and no heading.
const GAP: usize = 15;

/// Whether the text is the prompt or the transcript again.
///
/// It is when a section marker of the prompt stands in it, or when more than half of it is made of
/// whole messages of two speakers that follow one another as they do in the conversation. Sound
/// summaries quote single messages, and lists quote one speaker; they do not have the answer behind
/// the question, word by word, for most of their length.
pub(super) fn is_echo(text: &str, brief: &Brief<'_>) -> bool {
    let is_marker =
        |line: &str| [PRIOR_MARKER, CONVERSATION_MARKER, UPCOMING_MARKER].contains(&line.trim());
    if text.lines().any(is_marker) {
        return true;
    }

    let text: String = letters(text).collect();
    let mut copied = 0_usize;
    let mut run = Run::default();
    for shown in brief.covered() {
        let said = said(&shown.message);
        let opening: String = letters(&said).take(SHORTEST).collect();
        if opening.chars().nth(SHORTEST - 1).is_none() {
            continue;
        }
        // Most messages are not in the text, which their first words tell.
        let said = if text.contains(&opening) {
            letters(&said).collect()
        } else {
            opening
        };
        let role = &shown.message.role;
        let next = text.get(run.end..).and_then(|rest| rest.find(&said));
        if let Some(offset) = next.filter(|offset| run.length > 0 && *offset <= GAP) {
            run.add(role, run.end.saturating_add(offset), said.len());
            continue;
        }
        copied = copied.saturating_add(run.copied());
        run = Run::default();
        if let Some(start) = text.find(&said) {
            run.add(role, start, said.len());
        }
    }
    copied = copied.saturating_add(run.copied());
    copied.saturating_mul(2) > text.len()
}

/// Messages that stand behind one another in the text, as they do in the conversation.
#[derive(Default)]
struct Run<'a> {
    length: usize,
    end: usize,
    role: Option<&'a Role>,
    has_two_speakers: bool,
}

impl<'a> Run<'a> {
    fn add(&mut self, role: &'a Role, start: usize, length: usize) {
        self.length = self.length.saturating_add(length);
        self.end = start.saturating_add(length);
        self.has_two_speakers |= self.role.is_some_and(|first| first != role);
        self.role = self.role.or(Some(role));
    }

    /// What counts as copied.
    fn copied(&self) -> usize {
        if self.has_two_speakers {
            self.length
        } else {
            0
        }
    }
}

/// What a message says, without its calls.
fn said(message: &Message) -> String {
    let mut text = String::new();
    for part in &message.parts {
        match part {
            Part::Text(said) | Part::Refusal(said) => text.push_str(&said.text),
            Part::ToolResult(result) => text.extend(result.parts.iter().filter_map(Part::as_text)),
            _ => {}
        }
    }
    text
}

/// Letters and digits, in lower case.
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}
