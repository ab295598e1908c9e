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
    let mut sides: Vec<(String, Thread)> = Vec::new();
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
        match sides.iter_mut().find(|(name, _)| *name == root) {
            Some((_, side)) => side.members.push(*at),
            None => sides.push((
                root,
                Thread {
                    members: vec![*at],
                    is_side: true,
                },
            )),
        }
    }
    sides.into_iter().map(|(_, side)| side).collect()
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
    let mut mains: Vec<(Option<String>, Thread)> = Vec::new();
    let mut unnamed = Vec::new();
    // A line that names no session is of the session that was written last.
    let mut last = lines.iter().find_map(|(_, line)| line.text("sessionId"));
    for (at, line) in lines {
        last = line.text("sessionId").or(last);
        let session = last.clone().map(|session| sessions.group(session));
        match mains.iter_mut().find(|(name, _)| *name == session) {
            Some((_, main)) => main.members.push(*at),
            None if line.uuid.is_some() => {
                let members = vec![*at];
                mains.push((
                    session,
                    Thread {
                        members,
                        is_side: false,
                    },
                ));
            }
            None => unnamed.push((session, *at)),
        }
    }
    for (session, at) in unnamed {
        let place = mains.iter().position(|(name, _)| *name == session);
        let place = place.unwrap_or(mains.len().saturating_sub(1));
        match mains.get_mut(place) {
            Some((_, main)) => main.members.push(at),
            None => {
                let members = vec![at];
                mains.push((
                    session,
                    Thread {
                        members,
                        is_side: false,
                    },
                ));
            }
        }
    }
    for (_, main) in &mut mains {
        main.members.sort_unstable();
    }
    mains.into_iter().map(|(_, main)| main).collect()
}

/// Which sessions are linked.
#[derive(Default)]
struct Sessions(BTreeMap<String, String>);

impl Sessions {
    /// The name of the group a session is in.
    fn group(&self, session: String) -> String {
        let mut group = session;
        while let Some(above) = self.0.get(&group) {
            group.clone_from(above);
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
