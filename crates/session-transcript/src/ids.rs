//! Ids that are the same each time the same content is read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use session_log::{EventId, MAX_ID_BYTES};
use sha2::{Digest as _, Sha256};

/// A digest of `texts` in 16 hexadecimal digits.
pub(crate) fn digest<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.finalize()
        .iter()
        .take(8)
        .fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

/// The event id `name` inside of a conversation. What is too long or has characters an id must
/// not have is replaced by its digest, which always is an id.
pub(crate) fn event_id(conversation: &str, name: &str) -> Option<EventId> {
    EventId::new(format!("{conversation}/{name}"))
        .or_else(|_| EventId::new(format!("event-{}", digest([conversation, name]))))
        .ok()
}

/// Names conversations so that no two of a file have the same name.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    /// The last number that was put behind a name.
    numbers: BTreeMap<String, u64>,
}

impl Names {
    /// Room for `/` and the name of an event.
    const MAX_BYTES: usize = MAX_ID_BYTES - 96;

    /// `wanted`, or `wanted-2`, `wanted-3` … when it is taken.
    pub(crate) fn name(&mut self, wanted: &str) -> String {
        let is_fit = wanted.len() <= Self::MAX_BYTES
            && !wanted.trim().is_empty()
            && !wanted.chars().any(char::is_control);
        let wanted = if is_fit {
            wanted.to_owned()
        } else {
            format!("session-{}", digest([wanted]))
        };
        let mut name = wanted.clone();
        while !self.taken.insert(name.clone()) {
            let number = self.numbers.entry(wanted.clone()).or_insert(1);
            *number += 1;
            name = format!("{wanted}-{number}");
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_fit_for_ids() {
        let mut names = Names::default();
        assert_eq!(names.name("a"), "a");
        assert_eq!(names.name("a"), "a-2");
        for wild in ["", "\n", &"x".repeat(1000)] {
            let name = names.name(wild);
            assert!(name.starts_with("session-"));
            assert_eq!(event_id(&name, "1").unwrap().as_str(), format!("{name}/1"));
        }
        assert!(
            event_id("c", &"y".repeat(500))
                .unwrap()
                .as_str()
                .starts_with("event-")
        );
    }

    /// A log of twenty thousand requests that were all the same took a minute, since each of them
    /// tried every number that was taken.
    #[test]
    fn many_conversations_of_one_name_each_try_one_number() {
        let mut names = Names::default();
        for _ in 0..1000 {
            names.name("a");
        }
        assert_eq!(names.numbers["a"], 1000);
        assert_eq!(names.name("a"), "a-1001");
        // A number that is a name already is passed.
        assert_eq!(names.name("b-2"), "b-2");
        assert_eq!([names.name("b"), names.name("b")], ["b", "b-3"]);
    }

    #[test]
    fn a_digest_tells_where_texts_end() {
        assert_ne!(digest(["ab", "c"]), digest(["a", "bc"]));
        assert_eq!(digest(["ab", "c"]).len(), 16);
    }
}
