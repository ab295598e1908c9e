//! As much of Markdown as is needed to find links and headings, and no more.

use std::collections::{BTreeMap, BTreeSet};

/// What other pages may link to, and what this page links to.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) links: Vec<Link>,
    pub(super) anchors: BTreeSet<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// From 1.
    pub(super) line: usize,
    pub(super) target: String,
}

impl Page {
    pub(super) fn of(text: &str) -> Self {
        let mut page = Self::default();
        let mut times = BTreeMap::new();
        let prose = without_code(text);
        for (index, (line, written)) in prose.lines().zip(text.lines()).enumerate() {
            let is_heading = line.starts_with('#');
            if let (true, Some(heading)) = (is_heading, heading(written)) {
                page.anchors.insert(anchor(heading, &mut times));
            }
            let found = targets(line).into_iter().map(str::to_owned);
            page.links.extend(found.map(|target| Link {
                line: index + 1,
                target,
            }));
        }
        page
    }
}

impl Link {
    /// The path and what stands behind its `#`.
    pub(super) fn parts(&self) -> (&str, Option<&str>) {
        match self.target.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor)),
            None => (&self.target, None),
        }
    }

    pub(super) fn is_external(&self) -> bool {
        let scheme = self.target.split_once(':').map(|(scheme, _)| scheme);
        matches!(scheme, Some("http" | "https" | "mailto"))
    }

    /// Whether the target names an item of Rust, as the front page of a crate may: rustdoc looks
    /// after those.
    pub(super) fn is_item(&self) -> bool {
        let is_part_of_item = |c: char| c.is_ascii_alphanumeric() || "_:@!()".contains(c);
        !self.target.is_empty() && self.target.chars().all(is_part_of_item)
    }
}

/// The text with all code replaced by blanks: blocks between fences, and spans between backticks.
fn without_code(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let mark = fence_of(line);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (None, None) => prose.push_str(&without_spans(line)),
            (Some(open), Some(mark)) if mark.starts_with(open) => fence = None,
            (Some(_), _) => {}
        }
        prose.push('\n');
    }
    prose
}

/// The row of backticks or tildes that a line begins with, if it is one that opens or ends code.
fn fence_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let first = line.chars().next().filter(|c| "`~".contains(*c))?;
    let end = line.find(|c| c != first).unwrap_or(line.len());
    line.get(..end).filter(|mark| mark.len() >= 3)
}

/// A line with its code spans blank. A backtick without a partner is an ordinary character.
fn without_spans(line: &str) -> String {
    let mut prose = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let (before, behind) = rest.split_at(start);
        let ticks = behind.len() - behind.trim_start_matches('`').len();
        let (mark, inside) = behind.split_at(ticks);
        prose.push_str(before);
        match closing(inside, mark) {
            Some(end) => {
                prose.push(' ');
                rest = inside.get(end..).unwrap_or_default();
            }
            None => {
                prose.push_str(mark);
                rest = inside;
            }
        }
    }
    prose.push_str(rest);
    prose
}

/// Where the text behind the row of backticks begins that is exactly as long as `mark`.
fn closing(inside: &str, mark: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = inside.get(at..)?;
        let start = at + rest.find('`')?;
        let row = inside.get(start..)?;
        let end = start + row.len() - row.trim_start_matches('`').len();
        if end - start == mark.len() {
            return Some(end);
        }
        at = end;
    }
}

/// The targets of the links in a line without code, those of reference definitions included.
fn targets(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let definition = line.trim_start().strip_prefix('[');
    if let Some((_, target)) = definition.and_then(|line| line.split_once("]: ")) {
        found.extend(target.split_whitespace().next());
    }
    let mut rest = line;
    while let Some((_, behind)) = rest.split_once("](") {
        let end = end_of_target(behind);
        let target = behind.get(..end).unwrap_or_default();
        let target = target.split_whitespace().next().unwrap_or_default();
        found.push(target.trim_matches(['<', '>']));
        rest = behind.get(end..).unwrap_or_default();
    }
    found
}

/// Where the parenthesis ends that a link's target stands in; it may hold others.
fn end_of_target(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn heading(line: &str) -> Option<&str> {
    let level = line.len() - line.trim_start_matches('#').len();
    let text = line.get(level..)?.strip_prefix(' ')?;
    (1..=6).contains(&level).then_some(text.trim())
}

/// The name by which a heading is linked to; a second heading of the same words gets a number.
fn anchor(heading: &str, times: &mut BTreeMap<String, usize>) -> String {
    let mut name = String::new();
    for c in text_of(heading).chars() {
        match c {
            c if c.is_whitespace() => name.push('-'),
            c if c.is_alphanumeric() || "-_".contains(c) => name.extend(c.to_lowercase()),
            _ => {}
        }
    }
    let seen = times.entry(name.clone()).or_default();
    *seen += 1;
    match *seen {
        1 => name,
        more => format!("{name}-{}", more - 1),
    }
}

/// A heading without the targets of its links.
fn text_of(heading: &str) -> String {
    let mut text = String::new();
    let mut rest = heading;
    while let Some((before, behind)) = rest.split_once("](") {
        text.push_str(before);
        rest = behind.get(end_of_target(behind)..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets_of(text: &str) -> Vec<String> {
        let links = Page::of(text).links;
        links.into_iter().map(|link| link.target).collect()
    }

    #[test]
    fn links_are_found_with_titles_brackets_and_parentheses() {
        assert_eq!(
            targets_of("[a](b.md) and [`c`](d.md#e \"title\"), [f](<g.md>) [h](i_(j).md)."),
            ["b.md", "d.md#e", "g.md", "i_(j).md"]
        );
        assert_eq!(targets_of("[a]: b.md\n![c](d.png)"), ["b.md", "d.png"]);
    }

    #[test]
    fn code_holds_no_links_and_no_headings() {
        let page = Page::of(
            "```text\n[a](b)\n# no\n```\n`[c](d)` ``[e](f) ` ``\n~~~\n```\n[g](h)\n~~~\n[i](j)\n",
        );
        assert_eq!(
            page.links,
            [Link {
                line: 10,
                target: "j".into()
            }]
        );
        assert!(page.anchors.is_empty());
    }

    #[test]
    fn a_longer_fence_holds_a_shorter_one() {
        assert_eq!(targets_of("````\n```\n[a](b)\n```\n````\n[c](d)"), ["d"]);
    }

    #[test]
    fn a_lone_backtick_hides_nothing() {
        assert_eq!(targets_of("a ` and [a](b)"), ["b"]);
    }

    #[test]
    fn anchors_are_the_words_of_a_heading() {
        let page = Page::of(
            "# The command `compaction`\n## When, and how?\n## Why not …\n#no\n## [A](b.md) c\n\
             ## Twice\n## Twice\n### Größe_1\n",
        );
        let anchors: Vec<_> = page.anchors.iter().map(String::as_str).collect();
        assert_eq!(
            anchors,
            [
                "a-c",
                "größe_1",
                "the-command-compaction",
                "twice",
                "twice-1",
                "when-and-how",
                "why-not-",
            ]
        );
    }

    #[test]
    fn items_of_rust_are_told_from_files() {
        for (target, is_item) in [
            ("Sessions::undo", true),
            ("mod@laws", true),
            ("crate_name", true),
            ("docs/cli.md", false),
            ("#here", false),
            ("cli.md", false),
            ("", false),
        ] {
            let link = Link {
                line: 1,
                target: target.into(),
            };
            assert_eq!(link.is_item(), is_item, "{target}");
        }
    }
}
