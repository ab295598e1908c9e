//! Texts as columns hold them: NUL, which PostgreSQL has no place for, is written another way, and
//! long texts are looked up by a digest, since an index row has a largest size.

use std::borrow::Cow;
use std::fmt::Write as _;

use session_log::{Branch, EventBody, Origin, Role};
use session_store::search::{Reach, fold, pieces};
use sha2::{Digest as _, Sha256};

/// The longest text that is its own key, in bytes. Ids are never longer.
const MAX_KEY_BYTES: usize = session_log::MAX_ID_BYTES;

/// Stands between two searched texts, and for NUL in them. What it makes a search find in error is
/// looked at again before it counts.
const STAND_IN: char = '\u{1}';

/// The text with `\` for NUL and for itself doubled.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', '\0']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('\\', "\\\\").replace('\0', "\\0"))
}

/// What was escaped, or `None` for what `escape` never writes.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                '\\' => plain.push('\\'),
                '0' => plain.push('\0'),
                _ => return None,
            },
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// What a text is looked up by: itself, escaped, or a digest when it is long. Two texts have the
/// same key only if they are the same.
pub(crate) fn key(text: &str) -> String {
    let escaped = escape(text);
    if escaped.len() <= MAX_KEY_BYTES {
        return escaped.into_owned();
    }
    // No escaped text begins like this.
    let mut key = String::from("\\#");
    for byte in Sha256::digest(text) {
        let _ = write!(key, "{byte:02x}");
    }
    key
}

/// What messages of a role are looked up by.
pub(crate) fn role_key(role: &Role) -> String {
    match role {
        Role::Other(name) => format!("={}", key(name)),
        known => known.as_str().to_owned(),
    }
}

/// The branch and its ancestors, as columns hold them.
pub(crate) fn lineage(branch: &Branch) -> Vec<String> {
    let path = branch.as_str();
    let dots = path.match_indices('.').map(|(at, _)| at);
    let ends = dots.chain([path.len()]);
    let paths = ends.filter_map(|end| path.get(..end));
    paths.map(|path| escape(path).into_owned()).collect()
}

/// The text a search looks through; `None` for what no search finds.
pub(crate) fn searched(body: &EventBody, origin: &Origin) -> Option<String> {
    let EventBody::Message(message) = body else {
        return None;
    };
    if origin.is_synthetic() {
        return None;
    }
    let mut text = String::new();
    for piece in pieces(message, Reach::TextAndTools) {
        text.push_str(&fold(piece.text));
        text.push(STAND_IN);
    }
    Some(without_nul(&text).into_owned())
}

/// A pattern for `LIKE` that finds the folded word in a searched text, whatever characters it has.
pub(crate) fn pattern(word: &str) -> String {
    let mut pattern = String::with_capacity(word.len().saturating_add(2));
    pattern.push('%');
    for c in without_nul(word).chars() {
        if matches!(c, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        return Cow::Owned(text.replace('\0', "\u{1}"));
    }
    Cow::Borrowed(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn escaped_text_has_no_nul_and_comes_back() {
        for text in ["", "ann", "a\0b", "\\", "\\0", "\\\\0\0", "\0\\", "é 😀"] {
            let escaped = escape(text);
            assert!(!escaped.contains('\0'));
            assert_eq!(unescape(&escaped).as_deref(), Some(text));
        }
        for broken in ["\\", "\\n", "a\\"] {
            assert_eq!(unescape(broken), None);
        }
    }

    #[test]
    fn keys_are_short_and_differ_where_texts_do() {
        let long = "x".repeat(256);
        let digest_like = key(&long);
        let texts = [
            "",
            "a",
            "a\0",
            "a\\0",
            &long,
            &"x".repeat(257),
            &digest_like,
        ];
        let keys: std::collections::BTreeSet<String> = texts.iter().map(|it| key(it)).collect();
        assert_eq!(keys.len(), texts.len());
        assert!(keys.iter().all(|key| key.len() <= MAX_KEY_BYTES));
        assert_eq!(key(&"x".repeat(255)), "x".repeat(255));
    }

    #[test]
    fn a_lineage_is_cut_at_dots() {
        let branch = Branch::new("root.agent_1.se\0arch").unwrap();
        assert_eq!(
            lineage(&branch),
            ["root", "root.agent_1", "root.agent_1.se\\0arch"]
        );
    }

    #[test]
    fn no_character_of_a_pattern_has_a_meaning() {
        assert_eq!(pattern("100%_[x]\\\0"), "%100\\%\\_[x]\\\\\u{1}%");
    }

    #[test]
    fn no_role_by_name_is_taken_for_a_known_one() {
        assert_eq!(role_key(&Role::User), "user");
        assert_eq!(role_key(&Role::Other("user".into())), "=user");
    }
}
