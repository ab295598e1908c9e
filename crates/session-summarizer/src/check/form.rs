//! What the form of a text tells: cut off, hollow, a loop, sections that are missing.

use std::collections::HashSet;

use crate::fault::Fault;
use crate::prompt::Template;
use crate::summary::Finish;

/// What stands under a heading that has nothing to say. Lower case, letters only.
const PLACEHOLDERS: &[&str] = &[
    "",
    "none",
    "na",
    "nil",
    "null",
    "nothing",
    "empty",
    "tbd",
    "todo",
    "unknown",
    "notspecified",
    "notapplicable",
    "notmentioned",
    "noneyet",
    "nonenoted",
    "keine",
    "nichts",
    "aucun",
    "aucune",
    "ninguno",
    "ninguna",
    "nessuno",
    "nenhum",
    "нет",
    "无",
    "没有",
    "なし",
    "없음",
];

/// Whether the text ends in the middle of a JSON value, whatever the provider says, or of a block
/// of code, unless the provider says that it is complete.
pub(super) fn is_cut_off(text: &str, finish: &Finish) -> bool {
    let text = text.trim();
    if text.starts_with('{') {
        let parsed = serde_json::from_str::<serde_json::Value>(text);
        if parsed.is_err_and(|error| error.is_eof()) {
            return true;
        }
    }
    let fences = text
        .lines()
        .filter(|line| line.trim_start().starts_with("```"))
        .count();
    *finish != Finish::Complete && fences % 2 == 1
}

/// Whether there are headings and nothing under any of them but placeholders. A heading is a line
/// of at most eight words that is marked as one, or that ends in a colon.
pub(crate) fn is_hollow(text: &str, template: Option<&Template>) -> bool {
    let hints: HashSet<String> = template
        .into_iter()
        .flat_map(Template::sections)
        .map(|section| letters(&section.hint))
        .collect();
    text.lines().all(|line| {
        let said = letters(line);
        let is_placeholder = PLACEHOLDERS.contains(&said.as_str()) || hints.contains(&said);
        is_heading(line) || (is_placeholder && !line.contains(char::is_numeric))
    })
}

fn is_heading(line: &str) -> bool {
    let line = line.trim();
    let is_bold = line.starts_with("**") && line.ends_with("**") && line.len() > 4;
    let is_marked = line.starts_with('#') || is_bold;
    let ends_in_colon = line.trim_end_matches(['*', '_']).ends_with([':', '：']);
    (is_marked || ends_in_colon) && line.split_whitespace().count() <= 9
}

/// The length of the pieces that are looked for again, in letters and digits: about two words, or
/// a clause in Chinese. Shorter ones repeat in any text.
const PIECE: usize = 12;

/// The letters and digits below which a text is too short to tell.
const SHORTEST: usize = 120;

/// Whether more than half of the text was said before in it.
///
/// Headings, lists of paths in one folder and results that stand in two sections repeat up to a
/// fifth of the sound summaries we measured; a model that is caught in a loop repeats nine tenths.
pub(super) fn is_loop(text: &str) -> bool {
    let said: Vec<char> = text
        .lines()
        .flat_map(|line| {
            let item = line.trim_start_matches(|c: char| !c.is_alphabetic());
            item.chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_lowercase)
        })
        .collect();
    if said.len() < SHORTEST {
        return false;
    }
    let mut seen = HashSet::new();
    let mut total = 0_usize;
    for piece in said.windows(PIECE) {
        total = total.saturating_add(1);
        seen.insert(piece);
    }
    seen.len().saturating_mul(2) < total
}

/// Whether the headings of the template are there, each as a line of its own or as the opening of
/// one, in any marks and case.
pub(super) fn sections(text: &str, template: &Template) -> Result<(), Fault> {
    let lines: Vec<String> = text
        .lines()
        .map(|line| line.split([':', '：']).next().unwrap_or(line))
        .map(letters)
        .collect();
    let missing: Vec<String> = template
        .sections()
        .iter()
        .map(|section| &section.heading)
        .filter(|heading| !lines.contains(&letters(heading)))
        .cloned()
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Fault::MissingSections { missing })
    }
}

/// Letters only, in lower case.
fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphabetic())
        .flat_map(char::to_lowercase)
        .collect()
}
