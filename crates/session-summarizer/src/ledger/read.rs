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
    if is_person && is_first && !message.is_only_results() {
        words(&message.text(), page);
    }
    for part in &message.parts {
        match part {
            Part::Text(text) | Part::Refusal(text) if !shown.is_injected => {
                said(&text.text, is_person, page);
            }
            Part::ToolCall(call) if is_first => called(call, page),
            Part::ToolResult(result) => answered(result, page),
            _ => {}
        }
    }
}

/// The words of the person: the first ones are the goal, sentences that set a rule stand among the
/// rules, and the rest is kept turn by turn.
fn words(text: &str, page: &mut Page) {
    // A mark or an emoji alone is no goal to go on from.
    if !text.contains(char::is_alphanumeric) {
        return;
    }
    let is_goal = page.is_empty(Section::Goal);
    if is_long(text) {
        let (section, most) = if is_goal {
            (Section::Goal, GOAL)
        } else {
            (Section::Words, SENTENCE)
        };
        page.push(section, line_of(text, most));
        return;
    }
    let mut seen = HashSet::new();
    let all: Vec<&str> = sentences(text).filter(|it| seen.insert(*it)).collect();
    let goal = line_of(&all.join(" "), GOAL);
    let (rules, mut rest): (Vec<&str>, Vec<&str>) =
        all.into_iter().partition(|it| is_decision(it, true));
    rest.retain(|it| page.is_new(it));
    for rule in rules.into_iter().map(|it| line_of(it, SENTENCE)) {
        if !is_goal || !goal.contains(&rule) {
            page.push(Section::Decisions, rule);
        }
    }
    if is_goal {
        page.push(Section::Goal, goal);
    } else if !rest.is_empty() {
        page.push(Section::Words, line_of(&rest.join(" "), SENTENCE));
    }
}

fn is_long(text: &str) -> bool {
    text.chars().nth(LONG_TEXT).is_some()
}

/// What is found in the words of the person or the model. A paste is not looked through.
fn said(text: &str, is_person: bool, page: &mut Page) {
    if is_long(text) {
        return;
    }
    for sentence in sentences(text) {
        let is_kept = !is_person && (is_failure(sentence) || is_decision(sentence, false));
        if !is_person && is_failure(sentence) {
            page.push(Section::Errors, line_of(sentence, SENTENCE));
        } else if is_kept {
            page.push(Section::Decisions, line_of(sentence, SENTENCE));
        } else if !is_person && is_all_clear(sentence) {
            all_clear(sentence, page);
        }
        note(sentence, !is_kept, page);
    }
}

/// The specifics of a sentence; of its numbers only those that do not stand in the ledger with it.
fn note(sentence: &str, with_numbers: bool, page: &mut Page) {
    let mut last = String::new();
    for specific in specifics(sentence) {
        let text = specific.text;
        match specific.kind {
            SpecificKind::Path => page.push(Section::Paths, text),
            SpecificKind::Command => page.push(Section::Commands, line_of(&text, SENTENCE)),
            SpecificKind::Url => page.push(Section::Links, text),
            SpecificKind::Id => page.push(Section::Ids, text),
            SpecificKind::Number if !with_numbers || last.contains(&text) => {}
            SpecificKind::Number => {
                last = number_in(sentence, &text);
                page.push(Section::Numbers, last.clone());
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
