//! Whether a text is the transcript again.

use crate::brief::Brief;
use crate::prompt::{CONVERSATION_MARKER, PRIOR_MARKER, UPCOMING_MARKER};

/// The letters and digits a message must have to be looked for. Shorter ones ("yes, go on") are
/// quoted in sound summaries.
const SHORTEST: usize = 24;

/// Whether the text is the prompt or the transcript again.
///
/// It is when a section marker of the prompt stands in it, or when more than half of it is made of
/// whole messages that are neighbours in the conversation. Sound summaries quote single messages;
/// they do not have the answer behind the question, word by word, for most of their length.
pub(super) fn is_echo(text: &str, brief: &Brief<'_>) -> bool {
    let is_marker =
        |line: &str| [PRIOR_MARKER, CONVERSATION_MARKER, UPCOMING_MARKER].contains(&line.trim());
    if text.lines().any(is_marker) {
        return true;
    }
    let text = alphanumeric(text);
    let mut copied = 0_usize;
    let mut previous = 0_usize;
    let mut is_previous_counted = false;
    for shown in brief.covered() {
        let mut rendered = String::new();
        for part in &shown.message.parts {
            if let Some(said) = part.as_text() {
                rendered.push_str(said);
            }
        }
        for result in shown.message.results() {
            for said in result.parts.iter().filter_map(|part| part.as_text()) {
                rendered.push_str(said);
            }
        }
        let said = alphanumeric(&rendered);
        if said.len() < SHORTEST {
            continue;
        }
        let is_copied = said.len() <= text.len() && text.contains(&said);
        if !is_copied {
            previous = 0;
            is_previous_counted = false;
            continue;
        }
        if previous > 0 {
            if !is_previous_counted {
                copied = copied.saturating_add(previous);
            }
            copied = copied.saturating_add(said.len());
            is_previous_counted = true;
        }
        previous = said.len();
    }
    copied.saturating_mul(2) > text.len()
}

fn alphanumeric(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
