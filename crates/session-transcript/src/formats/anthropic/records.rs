//! Messages joined to records of alternating roles.

use session_log::{Part, Role, Shape};

use crate::json::{Object, Raw, array, quote};
use crate::note::{Note, Place};

/// A message of the request under construction.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) role: &'static str,
    pub(super) place: Place,
    /// The blocks, each with its slot in the record it came from.
    pub(super) blocks: Vec<Block>,
    /// The content as a plain string, while the record is one message with one text.
    pub(super) plain: Option<String>,
    /// There was no content field at all.
    pub(super) is_absent: bool,
    /// The fields beside role and content.
    pub(super) extra: Vec<(String, String)>,
    /// The source record of the first and the last message in it.
    pub(super) from: Option<(u64, u64)>,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) json: String,
    pub(super) is_result: bool,
    pub(super) slot: Option<u64>,
}

impl Record {
    pub(super) fn new(role: &'static str, note: Option<&Note>) -> Self {
        Self {
            role,
            place: note.map_or(Place::Messages, |note| note.place),
            blocks: Vec::new(),
            plain: None,
            is_absent: false,
            extra: Vec::new(),
            from: note.map(|note| (note.record, note.record)),
        }
    }

    /// Whether `next` is a part of the same source record.
    pub(super) fn is_same_source(&self, next: &Self) -> bool {
        self.role == next.role
            && match (self.from, next.from) {
                (Some((_, last)), Some((first, _))) => last == first,
                _ => false,
            }
    }

    /// Whether both stood side by side as two messages in their file.
    pub(super) fn are_neighbours(&self, next: &Self) -> bool {
        match (self.from, next.from) {
            (Some((_, last)), Some((first, _))) => first == last + 1,
            _ => false,
        }
    }

    pub(super) fn append(&mut self, mut next: Self) {
        self.blocks.append(&mut next.blocks);
        self.extra.append(&mut next.extra);
        self.plain = None;
        self.is_absent = false;
        self.place = next.place;
        self.from = match (self.from, next.from) {
            (Some((first, _)), Some((_, last))) => Some((first, last)),
            (from, None) | (None, from) => from,
        };
    }

    /// Puts the blocks where they stood in their record.
    pub(super) fn restore_order(&mut self) {
        if self.blocks.iter().all(|block| block.slot.is_some()) {
            self.blocks.sort_by_key(|block| block.slot);
        }
    }

    /// Puts results before everything else.
    pub(super) fn results_first(&mut self) {
        self.blocks.sort_by_key(|block| !block.is_result);
    }

    /// Takes white space off the end of the last text, which the provider refuses in a reply that
    /// is to be continued.
    pub(super) fn trim_end(&mut self) {
        let trimmed = |json: &str| {
            let text = Raw::parse(json)?.as_str()?;
            Some(quote(text.trim_end()))
        };
        if let Some(plain) = &mut self.plain
            && let Some(text) = trimmed(plain)
        {
            *plain = text;
        }
        let Some(last) = self.blocks.last_mut() else {
            return;
        };
        let members = Raw::parse(&last.json)
            .and_then(Raw::members)
            .unwrap_or_default();
        if members.peek_str("type").as_deref() != Some("text") {
            return;
        }
        let mut object = Object::new();
        for (name, value) in members.iter() {
            match trimmed(value.text()).filter(|_| name == "text") {
                Some(text) => object.raw(name, &text),
                None => object.raw(name, value.text()),
            };
        }
        last.json = object.finish();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.plain.is_none()
    }

    pub(super) fn into_json(self) -> (Place, String) {
        let mut object = Object::new();
        object.str("role", self.role);
        match self.plain {
            Some(plain) => {
                object.raw("content", &plain);
            }
            None if self.is_absent => {}
            None => {
                object.raw(
                    "content",
                    &array(self.blocks.iter().map(|block| &block.json)),
                );
            }
        }
        for (name, json) in &self.extra {
            object.raw(name, json);
        }
        (self.place, object.finish())
    }
}

/// Whether content of this shape is written as something else than a list of blocks.
pub(super) fn is_plain(parts: &[Part], shape: Shape) -> bool {
    matches!(
        (parts, shape),
        ([Part::Text(_) | Part::Opaque(_)], Shape::Text) | ([], Shape::Null | Shape::Absent)
    )
}

/// The role a message has in this format.
pub(super) fn role(role: &Role) -> Option<&'static str> {
    match role {
        Role::User | Role::Tool => Some("user"),
        Role::Assistant => Some("assistant"),
        Role::System | Role::Developer => Some("system"),
        _ => None,
    }
}
