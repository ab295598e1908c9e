//! The lines that are no part of the conversation, and what is told of them.

use std::collections::BTreeSet;

use crate::formats::claude_code::line::Line;
use crate::formats::claude_code::path::Path;
use crate::formats::claude_code::steps::Step;
use crate::formats::claude_code::threads::Thread;
use crate::read::Context;
use crate::transcript::Warning;

/// The lines that are in no step, in file order.
pub(super) fn beside(thread: &Thread, steps: &[Step]) -> Vec<usize> {
    let used = steps.iter().flat_map(|step| step.lines.iter().copied());
    let used: BTreeSet<usize> = used.collect();
    let members = thread.members.iter().copied();
    members.filter(|at| !used.contains(at)).collect()
}

/// Tells of broken links, and of messages that are left beside the conversation.
pub(super) fn warn(lines: &[Line<'_>], path: &Path, beside: &[usize], context: &mut Context<'_>) {
    let mut warn = |at: &usize, what: &str| {
        if let Some(line) = lines.get(*at) {
            context.report.warn(Warning::line(line.number, what));
        }
    };
    for at in path.lines.iter().filter(|at| path.orphans.contains(at)) {
        warn(at, "missing parent: joined to the line before");
    }
    if let Some(at) = &path.cycle {
        warn(at, "the lines form a cycle: cut here");
    }
    let is_message = |at: &&usize| lines.get(**at).is_some_and(|line| line.what.is_message());
    let left = beside.iter().filter(is_message).count();
    if left > 0 {
        let what = format!(
            "{left} message line(s) of given-up or repeated branches are kept beside the conversation"
        );
        context.report.warn(Warning::file(what));
    }
}
