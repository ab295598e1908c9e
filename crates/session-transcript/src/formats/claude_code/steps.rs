//! From the live path to messages: the lines of one reply together, its results behind it.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::claude_code::line::{Line, What};
use crate::formats::claude_code::path::Path;
use crate::formats::claude_code::threads::Thread;

/// Lines that make up one message, or a boundary.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) lines: Vec<usize>,
    pub(super) what: What,
}

/// The messages of the conversation, in order.
pub(super) fn steps(lines: &[Line<'_>], thread: &Thread, path: &Path) -> Vec<Step> {
    let on_path: BTreeSet<usize> = path.lines.iter().copied().collect();
    let mut strays = Strays::of(lines, thread, &on_path);
    let answers = path.lines.iter().filter_map(|at| lines.get(*at));
    let answers = answers.flat_map(|line| line.answers.iter().cloned());
    let mut answered: BTreeSet<String> = answers.collect();
    let mut steps = Vec::new();
    for mut step in of_path(lines, path) {
        if step.what != What::Assistant {
            steps.push(step);
            continue;
        }
        strays.join(lines, &mut step);
        let all = step.lines.iter().filter_map(|at| lines.get(*at));
        let calls: Vec<&String> = all.flat_map(|line| &line.calls).collect();
        steps.push(step);
        for call in calls {
            let Some(result) = strays.results.get(call).copied() else {
                continue;
            };
            if answered.insert(call.clone()) {
                let line = lines.get(result);
                answered.extend(
                    line.into_iter()
                        .flat_map(|line| line.answers.iter().cloned()),
                );
                steps.push(Step {
                    lines: vec![result],
                    what: What::Results,
                });
            }
        }
    }
    steps
}

/// The messages and boundaries on the path; lines of one reply are one, whatever stands between.
fn of_path(lines: &[Line<'_>], path: &Path) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    for at in &path.lines {
        let Some(line) = lines.get(*at) else {
            continue;
        };
        match (line.message_id.as_deref(), open) {
            (Some(id), Some((reply, step))) if id == reply => {
                if let Some(step) = steps.get_mut(step) {
                    step.lines.push(*at);
                }
                continue;
            }
            (Some(id), _) => open = Some((id, steps.len())),
            (None, _) if matches!(line.what, What::Results | What::Link | What::Other) => {}
            (None, _) => open = None,
        }
        if line.what.is_message() || line.what == What::Boundary {
            steps.push(Step {
                lines: vec![*at],
                what: line.what,
            });
        }
    }
    steps
}

/// Lines beside the path that belong to replies on it: parallel calls and their results are
/// siblings in the tree.
struct Strays {
    replies: BTreeMap<String, Vec<usize>>,
    results: BTreeMap<String, usize>,
}

impl Strays {
    fn of(lines: &[Line<'_>], thread: &Thread, on_path: &BTreeSet<usize>) -> Self {
        let mut strays = Self {
            replies: BTreeMap::new(),
            results: BTreeMap::new(),
        };
        for at in thread.members.iter().filter(|at| !on_path.contains(at)) {
            let Some(line) = lines.get(*at) else {
                continue;
            };
            if let Some(id) = &line.message_id {
                strays.replies.entry(id.clone()).or_default().push(*at);
            }
            if line.what == What::Results {
                for call in &line.answers {
                    strays.results.entry(call.clone()).or_insert(*at);
                }
            }
        }
        strays
    }

    /// Adds the lines of the same reply that say something it does not say yet. They are added once,
    /// to the first of several messages with one id.
    fn join(&mut self, lines: &[Line<'_>], step: &mut Step) {
        let first = step.lines.first().and_then(|at| lines.get(*at));
        let Some(strays) = first.and_then(|line| self.replies.remove(line.message_id.as_ref()?))
        else {
            return;
        };
        let content = |at: &usize| {
            lines
                .get(*at)
                .and_then(Line::content)
                .map(crate::json::Raw::text)
        };
        let calls = |at: &usize| {
            lines
                .get(*at)
                .map(|line| line.calls.clone())
                .unwrap_or_default()
        };
        let mut said: BTreeSet<_> = step.lines.iter().filter_map(content).collect();
        let mut called: BTreeSet<String> = step.lines.iter().flat_map(calls).collect();
        let before = step.lines.len();
        for at in strays {
            let is_new_call = calls(&at).into_iter().all(|call| called.insert(call));
            if is_new_call && content(&at).is_some_and(|text| said.insert(text)) {
                step.lines.push(at);
            }
        }
        if step.lines.len() > before {
            step.lines
                .sort_by_key(|at| (lines.get(*at).and_then(|line| line.text("timestamp")), *at));
        }
    }
}
