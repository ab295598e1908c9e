//! Lines to write, and the chain they form.

use std::collections::BTreeSet;

use session_log::Json;

use crate::json::{Object, Raw, array};

/// A line to write.
pub(super) struct Line {
    /// Its place in the file it came from, or that of the line before it.
    pub(super) number: u64,
    /// The item it belongs to.
    pub(super) item: usize,
    pub(super) uuid: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) is_orphan: bool,
    /// Whether it was read from a session.
    pub(super) is_kept: bool,
    /// The parent to write instead of the one in the record.
    pub(super) relinked: Option<Option<String>>,
    pub(super) is_changed: bool,
    pub(super) is_reply: bool,
    /// The line without content, or all of it when there are no blocks.
    pub(super) record: Json,
    pub(super) content: Option<Content>,
}

pub(super) enum Content {
    Plain(String),
    Blocks(Vec<(u64, String)>),
}

impl Line {
    pub(super) fn to_text(&self) -> String {
        let Some(members) = Raw::parse(self.record.as_str()).and_then(Raw::members) else {
            return self.record.as_str().into();
        };
        if self.content.is_none() && self.relinked.is_none() {
            return self.record.as_str().into();
        }
        let is_attachment = members.peek_str("type").as_deref() == Some("attachment");
        let (holder, hole) = if is_attachment {
            ("attachment", "prompt")
        } else {
            ("message", "content")
        };
        let mut object = Object::new();
        for (name, value) in members.iter() {
            match (name, &self.relinked, &self.content) {
                ("parentUuid", Some(parent), _) => {
                    object.raw(name, &parent_json(parent.as_deref()));
                }
                ("toolUseResult", _, _) if self.is_changed => {}
                (name, _, Some(content)) if name == holder => {
                    let mut inner = Object::new();
                    for (name, value) in value.members().unwrap_or_default().iter() {
                        inner.raw(name, value.text());
                    }
                    inner.raw(hole, &content.to_text());
                    object.raw(name, &inner.finish());
                }
                _ => {
                    object.raw(name, value.text());
                }
            }
        }
        if let Some(parent) = &self.relinked {
            object.raw("parentUuid", &parent_json(parent.as_deref()));
        }
        object.finish()
    }
}

fn parent_json(parent: Option<&str>) -> String {
    parent.map_or_else(|| "null".into(), crate::json::quote)
}

impl Content {
    fn to_text(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Blocks(blocks) => array(blocks.iter().map(|(_, block)| block)),
        }
    }
}

/// The number of the first line of each item.
pub(super) fn firsts(lines: &[Line]) -> Vec<u64> {
    let mut firsts: Vec<(usize, u64)> = lines.iter().map(|line| (line.item, line.number)).collect();
    firsts.dedup_by_key(|(item, _)| *item);
    firsts.into_iter().map(|(_, number)| number).collect()
}

/// Joins lines to the chain whose parent was left out, but none that was read where nothing is to be
/// repaired: its parent may be in another conversation of the file. In a view every line follows the one
/// before it, unless it belongs to a reply whose parallel calls branch off.
pub(super) fn link(lines: &mut [Line], is_log: bool, is_exact: bool) {
    let written: BTreeSet<String> = lines.iter().filter_map(|line| line.uuid.clone()).collect();
    let mut before: Option<String> = None;
    let mut recent: BTreeSet<String> = BTreeSet::new();
    let mut reply = None;
    for line in lines {
        if line.is_reply && reply != Some(line.item) {
            reply = Some(line.item);
            recent.clear();
            recent.extend(before.clone());
        }
        let is_there = match line.parent.as_deref() {
            _ if is_exact && line.is_kept => true,
            None => is_log || before.is_none() || line.is_orphan,
            Some(parent) if is_log => written.contains(parent),
            Some(parent) => before.as_deref() == Some(parent) || recent.contains(parent),
        };
        if !is_there && line.content.is_some() {
            line.relinked = Some(before.clone());
        }
        if let Some(uuid) = &line.uuid {
            recent.insert(uuid.clone());
            if line.content.is_some() || is_log {
                before = Some(uuid.clone());
            }
        }
    }
}
