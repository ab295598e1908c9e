//! What other writers put into JSON although it has no place there, found and mended.

use std::borrow::Cow;

/// What one look over a record's text finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// The deepest nesting of arrays and objects.
    pub(crate) depth: usize,
    /// Whether there is a `\uD800`…`\uDFFF` escape, paired or not.
    pub(crate) surrogates: bool,
    /// Whether a number is beyond what a 64-bit float holds.
    pub(crate) huge_number: bool,
    /// Where lines end.
    pub(crate) newlines: Vec<usize>,
}

/// Looks over well-formed JSON once.
pub(crate) fn inspect(text: &str) -> Findings {
    let bytes = text.as_bytes();
    let mut findings = Findings::default();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => {
                depth += 1;
                findings.depth = findings.depth.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => at = end_of_string(bytes, at, &mut findings),
            b'\n' => findings.newlines.push(at - 1),
            b'e' | b'E' => findings.huge_number |= is_huge(text, at - 1),
            _ => {}
        }
    }
    findings
}

/// The place behind the string whose content begins at `at`.
fn end_of_string(bytes: &[u8], mut at: usize, findings: &mut Findings) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => {
                findings.surrogates |= bytes.get(at + 1) == Some(&b'u')
                    && matches!(bytes.get(at + 2), Some(b'd' | b'D'))
                    && matches!(
                        bytes.get(at + 3),
                        Some(b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F')
                    );
                at += 2;
            }
            _ => at += 1,
        }
    }
    at
}

/// Whether the number with an exponent sign at `at` overflows; `true`, `false` have an `e` too.
fn is_huge(text: &str, at: usize) -> bool {
    let is_part = |b: &u8| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E');
    let bytes = text.as_bytes();
    let before = bytes
        .iter()
        .take(at)
        .rev()
        .take_while(|b| is_part(b))
        .count();
    let after = bytes.iter().skip(at).take_while(|b| is_part(b)).count();
    text.get(at - before..at + after)
        .and_then(|number| number.parse::<f64>().ok())
        .is_some_and(f64::is_infinite)
}

/// Replaces surrogate escapes without their other half by `\ufffd`; says how many.
pub(crate) fn without_lone_surrogates(text: &str) -> (Cow<'_, str>, usize) {
    let mut mended = String::new();
    let mut copied = 0;
    let mut count = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + found;
        at = escape + 2;
        match surrogate(text, escape) {
            Some(Half::High) if surrogate(text, escape + 6) == Some(Half::Low) => at = escape + 12,
            Some(_) => {
                mended.push_str(text.get(copied..escape).unwrap_or_default());
                mended.push_str("\\ufffd");
                count += 1;
                copied = escape + 6;
                at = copied;
            }
            None => {}
        }
        while !text.is_char_boundary(at) && at < text.len() {
            at += 1;
        }
    }
    if count == 0 {
        return (Cow::Borrowed(text), 0);
    }
    mended.push_str(text.get(copied..).unwrap_or_default());
    (Cow::Owned(mended), count)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    High,
    Low,
}

/// Which half of a pair the escape at `at` is, if it is one.
fn surrogate(text: &str, at: usize) -> Option<Half> {
    let escape = text.get(at..at + 6)?;
    let code = u32::from_str_radix(escape.strip_prefix("\\u")?, 16).ok()?;
    match code {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

/// Replaces the bare words `NaN`, `Infinity` and `-Infinity` by `null`; `None` when there are none.
pub(crate) fn without_nan(text: &str) -> Option<(String, usize)> {
    const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    let bytes = text.as_bytes();
    let mut mended = String::new();
    let mut copied = 0;
    let mut count = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'"' {
            at = end_of_string(bytes, at + 1, &mut Findings::default());
            continue;
        }
        let word = WORDS
            .iter()
            .find(|word| text.get(at..).is_some_and(|rest| rest.starts_with(**word)));
        let Some(word) = word else {
            at += 1;
            continue;
        };
        mended.push_str(text.get(copied..at).unwrap_or_default());
        mended.push_str("null");
        count += 1;
        at += word.len();
        copied = at;
    }
    if count == 0 {
        return None;
    }
    mended.push_str(text.get(copied..).unwrap_or_default());
    Some((mended, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_and_overflow_are_found_outside_of_strings_only() {
        let findings = inspect(r#"{"a": [1e400, "[[[["], "b": true}"#);
        assert_eq!(findings.depth, 2);
        assert!(findings.huge_number);
        assert!(!inspect(r#"{"a": 1e300, "b": "1e400", "c": false}"#).huge_number);
    }

    #[test]
    fn a_lone_half_is_replaced_and_a_pair_is_kept() {
        let (text, count) = without_lone_surrogates(r#""a\ud83d b\ud83d\ude00 c\\ud83d d\ude00é""#);
        assert_eq!(text, r#""a\ufffd b\ud83d\ude00 c\\ud83d d\ufffdé""#);
        assert_eq!(count, 2);
    }

    #[test]
    fn an_escape_cut_at_the_end_is_left_alone() {
        for text in [r#""\ud83"#, "\"\\", "\"\\é"] {
            assert_eq!(without_lone_surrogates(text), (Cow::Borrowed(text), 0));
        }
        assert_eq!(without_lone_surrogates(r#""\ud83dé"#).0, r#""\ufffdé"#);
    }

    #[test]
    fn words_for_no_number_become_null_but_not_inside_of_strings() {
        let (text, count) = without_nan(r#"{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN"}"#).unwrap();
        assert_eq!(text, r#"{"a":null,"b":[null,null],"c":"NaN"}"#);
        assert_eq!(count, 3);
        assert!(without_nan(r#"{"a":"NaN"}"#).is_none());
    }
}
