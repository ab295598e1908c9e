//! Folding of letter case, one character for one character.

use std::string::String;

/// Folds the letter case of a text: two texts that differ only in case fold to the same.
///
/// This is simple folding as Unicode defines it: every character becomes exactly one, so `ß` and
/// `ss` stay different, while `Σ`, `σ` and `ς` become the same, and so do `K` and the kelvin sign.
/// Accents stay. The Turkish dotted and dotless i stay apart from `i`.
///
/// ```
/// use session_store::search::fold;
///
/// assert_eq!(fold("Тест CAFÉ ΒΟΡΡΑΣ"), fold("тест café βορρας"));
/// assert_ne!(fold("Straße"), fold("STRASSE"));
/// ```
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().map(fold_char).collect()
}

/// Folds one character.
#[must_use]
pub fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    // What upper and lower case do not tell: the dotless i stays itself, and three characters are
    // twins of others.
    match c {
        'ı' => return c,
        '\u{1FD3}' => return '\u{0390}',
        '\u{1FE3}' => return '\u{03B0}',
        '\u{FB05}' => return '\u{FB06}',
        _ => {}
    }
    let upper = only(c.to_uppercase()).unwrap_or(c);
    only(upper.to_lowercase()).unwrap_or(upper)
}

/// The character, if there is only one.
fn only(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}
