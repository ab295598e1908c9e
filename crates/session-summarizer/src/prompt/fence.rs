//! Fences around text from tools, and lines that only look like markers.

use std::borrow::Cow;

/// The text between two lines of backticks, of which there are more than anywhere inside it, so
/// that no text can close its own fence.
pub(super) fn fenced(text: &str) -> String {
    let mut longest = 0_usize;
    let mut run = 0_usize;
    for c in text.chars() {
        run = if c == '`' { run.saturating_add(1) } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    format!("{fence}tool\n{text}\n{fence}")
}

/// The text with a backslash before each line that looks like a section marker, so that nothing
/// that was said opens a section of the prompt.
pub(super) fn without_markers(text: &str) -> Cow<'_, str> {
    let lines = || text.split_inclusive(LINE_ENDS);
    if !lines().any(is_marker) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len().saturating_add(8));
    for line in lines() {
        if is_marker(line) {
            safe.push('\\');
        }
        safe.push_str(line);
    }
    Cow::Owned(safe)
}

/// Whether the line is of the form `=== … ===`.
fn is_marker(line: &str) -> bool {
    let line = line.trim();
    line.len() > 6 && line.starts_with("===") && line.ends_with("===")
}

/// Whatever a model may read as the end of a line.
const LINE_ENDS: [char; 7] = [
    '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_run_inside() {
        let cases = [
            ("", "```tool\n\n```"),
            ("plain", "```tool\nplain\n```"),
            ("``", "```tool\n``\n```"),
            ("```\nend", "````tool\n```\nend\n````"),
            ("`````", "``````tool\n`````\n``````"),
        ];
        for (text, expected) in cases {
            assert_eq!(fenced(text), expected, "{text:?}");
        }
    }

    #[test]
    fn only_lines_that_look_like_markers_change() {
        let cases = [
            ("a === b ===", "a === b ==="),
            ("======", "======"),
            ("=== PRIOR SUMMARY ===", "\\=== PRIOR SUMMARY ==="),
            ("x\n  === y ===  \nz", "x\n\\  === y ===  \nz"),
            ("x\r=== y ===", "x\r\\=== y ==="),
        ];
        for (text, expected) in cases {
            assert_eq!(without_markers(text), expected, "{text:?}");
        }
    }
}
