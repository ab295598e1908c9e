//! Lines of a ledger out of free text.

use session_log::ToolCall;

/// Words by which a sentence of the person sets a rule or decides. Lower case; those in Latin
/// letters are whole words.
const RULES: &[&str] = &[
    "never",
    "always",
    "must",
    "don't",
    "do not",
    "from now on",
    "only use",
    "instead of",
    "instead",
    "rule",
    "prefer",
    "agreed",
    "go with",
    "let's use",
    "decided",
    "decision",
    "everywhere",
    "niemals",
    "immer",
    "beschlossen",
    "entschieden",
    "jamais",
    "toujours",
    "décidé",
    "nunca",
    "siempre",
    "decidido",
    "sempre",
    "никогда",
    "всегда",
    "решили",
    "不要",
    "必须",
    "总是",
    "决定",
    "必ず",
    "しないで",
    "決定",
];

/// Words by which a sentence of the model says what was decided.
const DECISIONS: &[&str] = &[
    "decided",
    "decision",
    "agreed",
    "chose",
    "chosen",
    "go with",
    "going with",
    "instead of",
    "rejected",
    "ruled out",
    "beschlossen",
    "entschieden",
    "décidé",
    "decidido",
    "решили",
    "决定",
    "決定",
];

/// What a line of output says when something failed. Lower case.
const FAILURES: &[&str] = &[
    "error:",
    "error[",
    "error -",
    "exception:",
    "panicked at",
    "fatal:",
    "traceback (most recent",
    " failed",
    "failed:",
    "failure:",
    "command not found",
    "no such file",
    "permission denied",
    "cannot find",
    "not recognized",
    "undefined reference",
    "segmentation fault",
];

/// What takes it back: the line says that nothing failed.
const NO_FAILURES: &[&str] = &[
    "0 failed",
    "0 errors",
    "no errors",
    "no error",
    "without error",
    "0 failures",
];

/// Names of tools that change files, by a part of the name.
const CHANGING: &[&str] = &[
    "write", "edit", "create", "patch", "replace", "insert", "delete", "remove", "rename", "move",
];

/// Arguments that name the file a tool works on.
const PATH_ARGUMENTS: &[&str] = &[
    "path",
    "file",
    "file_path",
    "filepath",
    "filename",
    "target_file",
    "notebook_path",
    "absolute_path",
    "relative_path",
];

/// The text on one line, at most `most` characters of it, cut at a blank.
pub(super) fn line_of(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.chars().nth(most).is_some() {
            break;
        }
    }
    if line.chars().nth(most).is_none() {
        return line;
    }
    let mut short: String = line.chars().take(most.saturating_sub(1)).collect();
    if let Some((head, _)) = short.rsplit_once(' ')
        && head.chars().count() >= most / 2
    {
        short = head.to_owned();
    }
    short.push('…');
    short
}

/// The sentences of a text: lines, split behind full stops and their like, without the marks of
/// lists and headings.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(split_sentences)
        .map(|it| it.trim().trim_start_matches(['-', '*', '•', '#', '>', ' ']))
        .filter(|it| !it.is_empty())
}

fn split_sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0_usize;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_wide = matches!(c, '。' | '！' | '？');
        let is_end = matches!(c, '.' | '!' | '?')
            && chars.peek().is_some_and(|(_, next)| next.is_whitespace());
        if is_wide || is_end {
            let end = at.saturating_add(c.len_utf8());
            sentences.extend(line.get(start..end));
            start = end;
        }
    }
    sentences.extend(line.get(start..));
    sentences
}

/// Whether a sentence sets a rule or says what was decided.
pub(super) fn is_decision(sentence: &str, by_person: bool) -> bool {
    let lower = sentence.to_lowercase().replace('’', "'");
    let cues = if by_person { RULES } else { DECISIONS };
    cues.iter().any(|cue| contains_words(&lower, cue))
}

/// Whether `words` stand in `text`; in scripts with spaces, as whole words.
fn contains_words(text: &str, words: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    text.match_indices(words).any(|(at, _)| {
        let before = text.get(..at).and_then(|it| it.chars().next_back());
        let after = text
            .get(at.saturating_add(words.len())..)
            .and_then(|it| it.chars().next());
        let is_wide = words.chars().any(is_unspaced);
        is_wide || (!is_letter(before) && !is_letter(after))
    })
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// Whether a line of output says that something failed.
pub(super) fn is_failure(line: &str) -> bool {
    let lower = line.to_lowercase();
    FAILURES.iter().any(|it| lower.contains(it))
        && !NO_FAILURES.iter().any(|it| says_none(&lower, it))
}

/// Whether a line of output says that all passed: `213 passed, 0 failed`.
pub(super) fn is_all_clear(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.contains("pass") && NO_FAILURES.iter().any(|it| says_none(&lower, it))
}

/// Whether the words stand there with no digit in front: `0 failed`, but not `10 failed`.
fn says_none(lower: &str, words: &str) -> bool {
    lower.match_indices(words).any(|(at, _)| {
        let before = lower.get(..at).and_then(|it| it.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric())
    })
}

/// A number with the words around it, up to four before and four behind.
pub(super) fn number_in(sentence: &str, number: &str) -> String {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let Some(at) = words.iter().position(|word| word.contains(number)) else {
        return number.to_owned();
    };
    let from = at.saturating_sub(4);
    let around: Vec<&str> = words.into_iter().skip(from).take(at - from + 5).collect();
    let line = line_of(&around.join(" "), 80);
    line.trim_end_matches(['.', ',', ';', ':']).to_owned()
}

/// The files that a call changes, as its arguments name them.
pub(super) fn changed_files(call: &ToolCall) -> Vec<String> {
    let name = call.name.to_lowercase();
    if !CHANGING.iter().any(|it| name.contains(it)) {
        return Vec::new();
    }
    let Ok(arguments) = serde_json::from_str(call.arguments.as_str()) else {
        return patched_files(call.arguments.as_str());
    };
    let serde_json::Value::Object(arguments) = arguments else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for (name, value) in &arguments {
        let Some(text) = value.as_str() else { continue };
        if PATH_ARGUMENTS.contains(&name.to_lowercase().as_str()) {
            files.push(line_of(text, 200));
        } else {
            files.extend(patched_files(text));
        }
    }
    files
}

/// The files in a patch of the form `*** Update File: a.rs`.
fn patched_files(patch: &str) -> Vec<String> {
    let files = patch.lines().filter_map(|line| {
        let rest = line.trim().strip_prefix("*** ")?;
        let (verb, file) = rest.split_once(" File: ")?;
        ["Add", "Update", "Delete"]
            .contains(&verb)
            .then(|| line_of(file, 200))
    });
    files.collect()
}
