//! Who speaks in a user item: the person, or Codex in the person's name.

use session_log::Message;

use crate::speech;

/// Beginnings of texts that Codex puts in.
const BEGINNINGS: [&str; 10] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions for",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<skill>",
    "<subagent_notification>",
    "<collaboration_mode>",
];

/// Whether Codex put all of the message in.
pub(super) fn is_injected(message: &Message) -> bool {
    let texts: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|part| part.as_text())
        .collect();
    if texts.len() != message.parts.len() {
        return false;
    }
    let mut said = texts
        .iter()
        .filter(|text| !text.trim().is_empty() && !is_injected_text(text))
        .copied()
        .peekable();
    match said.peek() {
        Some(_) => speech::is_injected(said),
        None => texts.iter().any(|text| !text.trim().is_empty()),
    }
}

fn is_injected_text(text: &str) -> bool {
    let text = text.trim_start();
    BEGINNINGS
        .iter()
        .any(|beginning| text.starts_with(beginning))
}
