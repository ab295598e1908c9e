//! The conversations of a file: the main ones, and those of sub-agents.

use std::collections::BTreeMap;

use crate::formats::claude_code::line::Line;

/// The lines of one conversation, by their place in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    /// All lines that belong to it, in file order.
    pub(super) members: Vec<usize>,
    /// A conversation of a sub-agent in the file of its parent.
    pub(super) is_side: bool,
}

/// Parts a file into its conversations. A file of one sub-agent alone is a main conversation.
pub(super) fn threads(lines: &[Line<'_>]) -> Vec<Thread> {
    let is_side_file = lines.iter().any(|line| line.is_side)
        && !lines
            .iter()
            .any(|line| line.what.is_message() && !line.is_side);
    let numbered = || lines.iter().enumerate();
    let (side, main): (Vec<_>, Vec<_>) =
        numbered().partition(|(_, line)| line.is_side && line.uuid.is_some());
    let sides = sides(&side);
    if is_side_file && sides.len() == 1 {
        let members = numbered().map(|(at, _)| at).collect();
        return vec![Thread {
            members,
            is_side: false,
        }];
    }
    let mut threads = mains(&main);
    threads.extend(sides);
    threads
}

/// Lines of one agent, or hanging on one root, are one conversation.
fn sides(lines: &[(usize, &Line<'_>)]) -> Vec<Thread> {
    let mut root_of: BTreeMap<&str, String> = BTreeMap::new();
    let mut sides = Groups::default();
    for (at, line) in lines {
        let above = line
            .parent
            .as_deref()
            .and_then(|parent| root_of.get(parent).cloned());
        let root = line
            .text("agentId")
            .or(above)
            .or_else(|| line.uuid.clone())
            .unwrap_or_default();
        if let Some(uuid) = line.uuid.as_deref() {
            root_of.insert(uuid, root.clone());
        }
        sides.add(root, true, *at);
    }
    sides.threads
}

/// Usually one. Sessions in one file that are not linked are one each; linked ones are branches
/// of one conversation.
fn mains(lines: &[(usize, &Line<'_>)]) -> Vec<Thread> {
    let mut sessions = Sessions::default();
    let mut session_of: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for (_, line) in lines {
        let Some(uuid) = line.uuid.as_deref() else {
            continue;
        };
        let own = line.text("sessionId");
        let above = line
            .parent
            .as_deref()
            .and_then(|parent| session_of.get(parent)?.as_deref());
        if let (Some(own), Some(above)) = (&own, above) {
            sessions.join(own, above);
        }
        session_of.entry(uuid).or_insert(own);
    }
    let mut mains = Groups::default();
    let mut aside = Vec::new();
    // A line that names no session is of the session that was written last.
    let mut last = lines.iter().find_map(|(_, line)| line.text("sessionId"));
    for (at, line) in lines {
        last = line.text("sessionId").or(last);
        let session = sessions.group(last.clone().unwrap_or_default());
        if line.uuid.is_some() || mains.has(&session) {
            mains.add(session, false, *at);
        } else {
            aside.push((session, *at));
        }
    }
    // Metadata makes no conversation of its own beside others.
    let newest = mains.names.last().cloned();
    for (session, at) in aside {
        let is_there = mains.has(&session);
        let name = newest.clone().filter(|_| !is_there).unwrap_or(session);
        mains.add(name, false, at);
    }
    for main in &mut mains.threads {
        main.members.sort_unstable();
    }
    mains.threads
}

/// Threads by name, in the order in which they began.
#[derive(Default)]
struct Groups {
    names: Vec<String>,
    places: BTreeMap<String, usize>,
    threads: Vec<Thread>,
}

impl Groups {
    fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    fn add(&mut self, name: String, is_side: bool, line: usize) {
        let place = self.places.get(&name).copied();
        match place.and_then(|place| self.threads.get_mut(place)) {
            Some(thread) => thread.members.push(line),
            None => {
                self.places.insert(name.clone(), self.threads.len());
                self.names.push(name);
                self.threads.push(Thread {
                    members: vec![line],
                    is_side,
                });
            }
        }
    }
}

/// Which sessions are linked.
#[derive(Default)]
struct Sessions(BTreeMap<String, String>);

impl Sessions {
    /// The name of the group a session is in; every session on the way there names it from now on.
    fn group(&mut self, session: String) -> String {
        let mut passed = Vec::new();
        let mut group = session;
        while let Some(above) = self.0.get(&group) {
            passed.push(std::mem::replace(&mut group, above.clone()));
        }
        passed.pop();
        for session in passed {
            self.0.insert(session, group.clone());
        }
        group
    }

    fn join(&mut self, one: &str, other: &str) {
        let (one, other) = (self.group(one.into()), self.group(other.into()));
        if one != other {
            self.0.insert(one, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file whose sessions were linked to a long chain, each by a line of the one before, was read
    /// in quadratic time, since each line of the first went along the chain again.
    #[test]
    fn linked_sessions_are_one_step_from_their_group() {
        let mut sessions = Sessions::default();
        for number in 0..1000 {
            sessions.join(&number.to_string(), &(number + 1).to_string());
        }
        assert_eq!(sessions.group("0".into()), "1000");
        assert!(sessions.0.values().all(|group| group == "1000"));
        assert_eq!(sessions.group("alone".into()), "alone");
    }
}
