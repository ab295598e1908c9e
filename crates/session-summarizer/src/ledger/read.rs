//! What a ledger takes down of a brief.

use std::collections::HashSet;

use session_log::{Message, Part, Role, ToolCall, ToolResult};

use super::page::{Page, Section, split};
use super::text::{
    changed_files, is_all_clear, is_decision, is_failure, line_of, number_in, sentences,
};
use crate::brief::{Brief, Shown};
use crate::retention::LONG_TEXT;
use crate::specifics::{SpecificKind, command_of_call, specifics};

/// The most characters of a line, by what it is.
const GOAL: usize = 400;
const SENTENCE: usize = 200;
const CALL: usize = 120;

/// The most lines of an earlier summary that is no ledger.
const EARLIER_LINES: usize = 40;

/// The most failures that are taken down of one result.
const FAILURES: usize = 2;

pub(super) fn page_of(brief: &Brief<'_>) -> Page {
    let mut page = Page::default();
    for prior in brief.prior() {
        let (text, ledger) = split(prior);
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        for line in lines.take(EARLIER_LINES) {
            page.push(Section::Earlier, line_of(line, SENTENCE));
        }
        if let Some(ledger) = ledger {
            page.read(ledger);
        }
    }
    for shown in brief.covered() {
        message(shown, &mut page);
    }
    page
}

fn message(shown: &Shown<'_>, page: &mut Page) {
    let message: &Message = &shown.message;
    let is_person = message.role == Role::User && !shown.is_injected;
    // The first piece of a long message stands for it; the rest is looked through for names only.
    let is_first = shown.piece.is_none_or(|piece| piece.number <= 1);
    let put_down = if is_person && is_first && !message.is_only_results() {
        words(&message.text(), page)
    } else {
        String::new()
    };
    for part in &message.parts {
        match part {
            Part::Text(text) | Part::Refusal(text) if !shown.is_injected => {
                said(&text.text, is_person, &put_down, page);
            }
            Part::ToolCall(call) if is_first => called(call, page),
            Part::ToolResult(result) => answered(result, page),
            _ => {}
        }
    }
}

/// The words of the person: the first ones are the goal, sentences that set a rule stand among the
/// rules, and the rest is kept turn by turn. Gives what was put down.
fn words(text: &str, page: &mut Page) -> String {
    // A mark or an emoji alone is no goal to go on from.
    if !text.contains(char::is_alphanumeric) {
        return String::new();
    }
    let is_goal = page.is_empty(Section::Goal);
    if is_long(text) {
        let (section, most) = if is_goal {
            (Section::Goal, GOAL)
        } else {
            (Section::Words, SENTENCE)
        };
        let line = line_of(text, most);
        page.push(section, line.clone());
        return line;
    }
    let mut seen = HashSet::new();
    let all: Vec<&str> = sentences(text).filter(|it| seen.insert(*it)).collect();
    let goal = line_of(&all.join(" "), GOAL);
    let (rules, mut rest): (Vec<&str>, Vec<&str>) =
        all.into_iter().partition(|it| is_decision(it, true));
    rest.retain(|it| page.is_new(it));
    let mut put_down = Vec::new();
    for rule in rules.into_iter().map(|it| line_of(it, SENTENCE)) {
        if !is_goal || !goal.contains(&rule) {
            put_down.push((Section::Decisions, rule));
        }
    }
    if is_goal {
        put_down.push((Section::Goal, goal));
    } else if !rest.is_empty() {
        put_down.push((Section::Words, line_of(&rest.join(" "), SENTENCE)));
    }
    let lines: Vec<&str> = put_down.iter().map(|(_, line)| line.as_str()).collect();
    let all = lines.join("\n");
    for (section, line) in put_down {
        page.push(section, line);
    }
    all
}

fn is_long(text: &str) -> bool {
    text.chars().nth(LONG_TEXT).is_some()
}

/// What is found in the words of the person or the model, and does not stand in what was `put_down`
/// of them. A paste is not looked through.
fn said(text: &str, is_person: bool, put_down: &str, page: &mut Page) {
    if is_long(text) {
        return;
    }
    for sentence in sentences(text) {
        if is_person {
            note(sentence, put_down, page);
            continue;
        }
        let section = if is_failure(sentence) {
            Section::Errors
        } else if is_decision(sentence, false) {
            Section::Decisions
        } else {
            if is_all_clear(sentence) {
                all_clear(sentence, page);
            }
            note(sentence, "", page);
            continue;
        };
        let line = line_of(sentence, SENTENCE);
        note(sentence, &line, page);
        page.push(section, line);
    }
}

/// The specifics of a sentence; of its numbers only those that do not stand in the ledger with what
/// was `put_down`.
fn note(sentence: &str, put_down: &str, page: &mut Page) {
    let mut last = String::new();
    for specific in specifics(sentence) {
        let text = specific.text;
        match specific.kind {
            SpecificKind::Path => page.push(Section::Paths, text),
            SpecificKind::Command => page.push(Section::Commands, line_of(&text, SENTENCE)),
            SpecificKind::Url => page.push(Section::Links, text),
            SpecificKind::Id => page.push(Section::Ids, text),
            SpecificKind::Number if last.contains(&text) => {}
            SpecificKind::Number => {
                let around = number_in(sentence, &text);
                if !put_down.contains(&around) {
                    page.push(Section::Numbers, around.clone());
                }
                last = around;
            }
        }
    }
}

fn called(call: &ToolCall, page: &mut Page) {
    let arguments = line_of(call.arguments.as_str(), CALL);
    page.push(
        Section::Open,
        format!(
            "{}: {}({arguments})",
            line_of(&call.id, CALL),
            line_of(&call.name, CALL)
        ),
    );
    for file in changed_files(call) {
        page.push(Section::Changed, file);
    }
    if let Some(command) = command_of_call(call) {
        page.push(Section::Commands, line_of(&command, SENTENCE));
        return;
    }
    if is_long(call.arguments.as_str()) {
        return;
    }
    for specific in specifics(call.arguments.as_str()) {
        match specific.kind {
            SpecificKind::Path => page.push(Section::Paths, specific.text),
            SpecificKind::Url => page.push(Section::Links, specific.text),
            _ => {}
        }
    }
}

/// Closes the call, and takes down what failed. What else a tool wrote is not looked through: it
/// is long, and whoever needed something of it said so.
fn answered(result: &ToolResult, page: &mut Page) {
    page.remove_newest(
        Section::Open,
        &format!("{}: ", line_of(&result.call_id, CALL)),
    );
    let texts = result.parts.iter().filter_map(Part::as_text);
    let lines: Vec<&str> = texts.flat_map(str::lines).collect();
    let mut failures = lines
        .iter()
        .filter(|line| is_failure(line))
        .take(FAILURES)
        .peekable();
    if failures.peek().is_none() && result.is_error == Some(true) {
        let first = lines.iter().find(|line| !line.trim().is_empty());
        let first = first.copied().unwrap_or("(no text)");
        page.push(Section::Errors, line_of(first, SENTENCE));
    }
    for failure in failures {
        page.push(Section::Errors, line_of(failure, SENTENCE));
    }
    if let Some(end) = lines.iter().rfind(|line| is_all_clear(line)) {
        all_clear(end, page);
    }
}

/// Takes down that nothing fails, where something failed before: an error without its end would
/// read as if it were still there.
fn all_clear(line: &str, page: &mut Page) {
    if !page.is_empty(Section::Errors) {
        page.push(Section::Errors, line_of(line, SENTENCE));
    }
}

#[cfg(test)]
mod tests {
    use session_log::Message;

    use super::{Section, page_of};
    use crate::brief::Brief;

    #[test]
    fn a_number_stands_once_with_the_words_of_the_person() {
        let talk = [
            Message::user("Book a room for 12 people."),
            Message::user("It starts at 9:30 on page 4."),
            Message::assistant("Room 7 has 14 seats, and I took it for you until the evening."),
        ];
        let text = {
            let page = page_of(&Brief::new(&talk));
            assert!(!page.is_empty(Section::Words));
            let ranking = page.ranking();
            page.render(&ranking, ranking.len())
        };
        for (number, times) in [
            ("12 people", 1),
            ("9:30", 1),
            ("page 4", 1),
            ("14 seats", 1),
        ] {
            assert_eq!(text.matches(number).count(), times, "{number}: {text}");
        }
    }
}
