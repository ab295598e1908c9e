//! The page of a ledger: sections of single lines, as values and as text.

use core::fmt::Write as _;
use std::collections::{HashMap, HashSet};

use super::text::sentences;
use crate::specifics::specifics;

/// The line a ledger begins with.
pub(super) const TITLE: &str = "# Ledger";

/// The most lines a section keeps in memory; older ones are counted only.
const MOST_LINES: usize = 400;

/// A section, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Section {
    Earlier,
    Goal,
    Words,
    Decisions,
    Open,
    Errors,
    Changed,
    Paths,
    Commands,
    Numbers,
    Ids,
    Links,
}

use Section::{
    Changed, Commands, Decisions, Earlier, Errors, Goal, Ids, Links, Numbers, Open, Paths, Words,
};

impl Section {
    const ALL: [Self; 12] = [
        Earlier, Goal, Words, Decisions, Open, Errors, Changed, Paths, Commands, Numbers, Ids,
        Links,
    ];

    fn heading(self) -> &'static str {
        match self {
            Earlier => "Earlier summary",
            Goal => "Goal",
            Words => "What the person said",
            Decisions => "Rules and decisions",
            Open => "Calls without a result",
            Errors => "Errors, word by word",
            Changed => "Files changed",
            Paths => "Files and paths",
            Commands => "Commands",
            Numbers => "Numbers",
            Ids => "Names and ids",
            Links => "Links",
        }
    }

    /// How many lines of the section are taken for one line of what the person said: rules weigh
    /// more than chat, and what is short and exact goes in faster than sentences.
    fn share(self) -> usize {
        match self {
            Open | Decisions => 2,
            Paths | Ids => 4,
            _ => 1,
        }
    }
}

/// The lines of a ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    sections: HashMap<Section, Lines>,
    /// Longer sentences among the goal and the person's words.
    said: HashSet<String>,
}

/// The characters from which a sentence is not said twice; shorter ones ("run it again") may be.
const LONG_SENTENCE: usize = 24;

/// The lines of a section, each once, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lines {
    /// Line → when it came up last.
    lines: HashMap<String, u64>,
    clock: u64,
    left_out: u64,
}

impl Lines {
    fn push(&mut self, line: String) {
        self.clock = self.clock.saturating_add(1);
        self.lines.insert(line, self.clock);
        // Forgetting at twice the bound makes it cheap for each line.
        if self.lines.len() > MOST_LINES.saturating_mul(2) {
            let mut ordered: Vec<u64> = self.lines.values().copied().collect();
            ordered.sort_unstable();
            let oldest = ordered.len().saturating_sub(MOST_LINES);
            let floor = ordered.get(oldest).copied().unwrap_or_default();
            self.lines.retain(|_, clock| *clock >= floor);
            self.left_out = self.left_out.saturating_add(oldest as u64);
        }
    }

    fn ordered(&self) -> Vec<&str> {
        let mut lines: Vec<_> = self
            .lines
            .iter()
            .map(|(line, clock)| (*clock, line))
            .collect();
        lines.sort_unstable();
        lines.into_iter().map(|(_, line)| line.as_str()).collect()
    }
}

impl Page {
    /// Adds a line. One that is there already becomes the newest.
    pub(super) fn push(&mut self, section: Section, line: impl Into<String>) {
        let line = line.into();
        if matches!(section, Goal | Words) {
            let long = sentences(&line).filter(|it| is_long_sentence(it));
            self.said.extend(long.map(String::from));
        }
        if section == Paths && self.has(Changed, &line) {
            return self.push(Changed, line);
        }
        if section == Changed {
            self.remove(Paths, &line);
        }
        self.sections.entry(section).or_default().push(line);
    }

    /// Whether a sentence says something that the goal and the person's words do not say yet.
    pub(super) fn is_new(&self, sentence: &str) -> bool {
        !is_long_sentence(sentence) || !self.said.contains(sentence)
    }

    pub(super) fn is_empty(&self, section: Section) -> bool {
        self.sections
            .get(&section)
            .is_none_or(|lines| lines.lines.is_empty())
    }

    fn has(&self, section: Section, line: &str) -> bool {
        self.sections
            .get(&section)
            .is_some_and(|lines| lines.lines.contains_key(line))
    }

    fn remove(&mut self, section: Section, line: &str) {
        if let Some(lines) = self.sections.get_mut(&section) {
            lines.lines.remove(line);
        }
    }

    /// Removes the newest line of the section that begins with `prefix`.
    pub(super) fn remove_newest(&mut self, section: Section, prefix: &str) {
        let newest = self.sections.get(&section).and_then(|lines| {
            let matching = lines.ordered().into_iter().rev();
            matching
                .map(String::from)
                .find(|line| line.starts_with(prefix))
        });
        if let Some(line) = newest {
            self.remove(section, &line);
        }
    }

    /// Adds what the text of another page says.
    pub(super) fn read(&mut self, text: &str) {
        let mut section = None;
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                section = Section::ALL.into_iter().find(|it| it.heading() == heading);
            } else if let (Some(section), Some(item)) = (section, line.strip_prefix("- ")) {
                self.push(section, item);
            } else if let (Some(section), Some(count)) = (section, left_out(line)) {
                self.count_left_out(section, count);
            } else if let Some(list) = enclosed(line, "(left out: ", ")") {
                for (heading, count) in list.split("; ").filter_map(|it| it.rsplit_once(' ')) {
                    let section = Section::ALL.into_iter().find(|it| it.heading() == heading);
                    if let (Some(section), Ok(count)) = (section, count.parse()) {
                        self.count_left_out(section, count);
                    }
                }
            }
        }
    }

    fn count_left_out(&mut self, section: Section, count: u64) {
        let lines = self.sections.entry(section).or_default();
        lines.left_out = lines.left_out.saturating_add(count);
    }

    /// All lines, the most useful first: round by round, one line of what the person said, two
    /// decisions, four paths and so on.
    pub(super) fn ranking(&self) -> Vec<(Section, String)> {
        let mut queues: Vec<(Section, Vec<&str>)> = Vec::new();
        for section in Self::by_use() {
            let Some(lines) = self.sections.get(&section) else {
                continue;
            };
            let mut ordered = lines.ordered();
            let skipped = ordered.len().saturating_sub(MOST_LINES);
            ordered.drain(..skipped);
            // The next line to take is the last of the queue. Words that name something go before
            // "run it again".
            match section {
                Earlier | Goal => ordered.reverse(),
                Decisions => ordered = from_both_ends(&ordered),
                Words => ordered.sort_by_key(|line| !specifics(line).is_empty()),
                _ => {}
            }
            queues.push((section, ordered));
        }
        let mut ranking = Vec::new();
        while queues.iter().any(|(_, queue)| !queue.is_empty()) {
            for (section, queue) in &mut queues {
                let taken = queue.len().saturating_sub(section.share());
                let taken = queue.split_off(taken);
                ranking.extend(taken.into_iter().rev().map(|it| (*section, it.to_owned())));
            }
        }
        ranking
    }

    fn by_use() -> [Section; 12] {
        [
            Goal, Open, Decisions, Words, Earlier, Errors, Changed, Paths, Commands, Ids, Numbers,
            Links,
        ]
    }

    /// The text with the first `count` lines of `ranking`, each section in the order in which its
    /// lines came up, and how many of them are left out.
    pub(super) fn render(&self, ranking: &[(Section, String)], count: usize) -> String {
        let mut text = String::from(TITLE);
        let mut absent = Vec::new();
        for section in Section::ALL {
            let Some(lines) = self.sections.get(&section) else {
                continue;
            };
            let mut shown: Vec<(u64, &str)> = ranking
                .iter()
                .take(count)
                .filter(|(of, _)| *of == section)
                .filter_map(|(_, line)| Some((*lines.lines.get(line)?, line.as_str())))
                .collect();
            shown.sort_unstable();
            let missing = (lines.lines.len() as u64)
                .saturating_sub(shown.len() as u64)
                .saturating_add(lines.left_out);
            if shown.is_empty() {
                if missing > 0 {
                    absent.push(format!("{} {missing}", section.heading()));
                }
                continue;
            }
            let _ = write!(text, "\n## {}", section.heading());
            if missing > 0 {
                let _ = write!(text, "\n({missing} more left out)");
            }
            for (_, line) in shown {
                let _ = write!(text, "\n- {line}");
            }
        }
        if !absent.is_empty() {
            let _ = write!(text, "\n(left out: {})", absent.join("; "));
        }
        text
    }
}

fn is_long_sentence(sentence: &str) -> bool {
    sentence.chars().nth(LONG_SENTENCE).is_some()
}

/// A queue whose last entries are the newest line, the oldest, the second newest and so on: the
/// rules of a session stand at its beginning, the decisions at its end.
fn from_both_ends<'a>(ordered: &[&'a str]) -> Vec<&'a str> {
    let mut rest = ordered.iter().copied();
    let mut queue = Vec::with_capacity(ordered.len());
    while let Some(newest) = rest.next_back() {
        queue.push(newest);
        queue.extend(rest.next());
    }
    queue.reverse();
    queue
}

fn left_out(line: &str) -> Option<u64> {
    enclosed(line, "(", " more left out)")?.parse().ok()
}

fn enclosed<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    line.strip_prefix(before)?.strip_suffix(after)
}

/// A text without the ledger at its end, and that ledger.
pub(crate) fn split(text: &str) -> (&str, Option<&str>) {
    let mut at = 0_usize;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == TITLE {
            let (before, ledger) = text.split_at_checked(at).unwrap_or((text, ""));
            return (before.trim_end(), Some(ledger));
        }
        at = at.saturating_add(line.len());
    }
    (text, None)
}
