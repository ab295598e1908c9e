//! Marks in `extra`: what an importer must remember to write a record again as it was. Their
//! names begin with `@`, which no provider's fields do.

use session_log::{Fields, Json};

/// The field of the record that a part came from, when it is not the usual one.
pub(crate) const FIELD: &str = "@field";

/// Fields that are usual, but not there.
pub(crate) const ABSENT: &str = "@absent";

/// The value is written without the object that is usual around it.
pub(crate) const BARE: &str = "@bare";

/// The role as it was written, when it is another name for one we know.
pub(crate) const ROLE: &str = "@role";

pub(crate) fn set(extra: &mut Fields, mark: &str, text: &str) {
    extra.insert(mark.into(), Json::string(text));
}

/// Whether the mark is there with this text.
pub(crate) fn is(extra: &Fields, mark: &str, text: &str) -> bool {
    extra
        .get(mark)
        .is_some_and(|json| *json == Json::string(text))
}

pub(crate) fn has(extra: &Fields, mark: &str) -> bool {
    extra.contains_key(mark)
}
