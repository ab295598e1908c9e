//! Cuts text into pieces of bounded size before it is tokenized.
//!
//! A tokenizer first splits text into words. Two neighbouring characters that no word can hold
//! side by side always belong to different words, so a cut between them changes no count. Only a
//! run that has no such place for [`LIMIT`] bytes is cut inside.

/// The most bytes of a piece.
///
/// Divisible by three and by a large power of two: digits are grouped by three and long runs of
/// one character into powers of two, so that a cut inside such a run mostly falls between tokens.
pub(crate) const LIMIT: usize = 3 << 13;

/// The pieces of a text, in order, none empty and none over [`LIMIT`] bytes.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(cut(rest));
        rest = after;
        Some(piece)
    })
}

/// Where the first piece of a non-empty text ends: at the last free place within the limit.
fn cut(text: &str) -> usize {
    if text.len() <= LIMIT {
        return text.len();
    }
    let mut most = LIMIT;
    while !text.is_char_boundary(most) {
        most -= 1;
    }
    let (head, tail) = text.split_at(most);
    let mut after = tail.chars().next();
    for (at, before) in head.char_indices().rev() {
        let end = at + before.len_utf8();
        if after.is_some_and(|after| is_free(before, after)) {
            return end;
        }
        after = Some(before);
    }
    most
}

/// Whether no word of any encoding holds these two characters side by side.
///
/// Errs towards `false`. A word is letters with at most one other character in front and a
/// contraction behind, digits, or a run of other characters with a blank in front and line breaks
/// or slashes behind, or white space.
pub(crate) fn is_free(before: char, after: char) -> bool {
    if after.is_whitespace() {
        let line_break = matches!(after, '\r' | '\n');
        return before.is_ascii_alphanumeric() || (!line_break && !before.is_whitespace());
    }
    if before.is_ascii_alphabetic() {
        return after.is_ascii_digit() || is_mark(after);
    }
    if before.is_ascii_digit() {
        return after.is_ascii_alphabetic() || is_mark(after);
    }
    is_cjk(before) && is_cjk_mark(after)
}

/// ASCII punctuation; the apostrophe is none here, as it may open a contraction.
fn is_mark(c: char) -> bool {
    c.is_ascii_punctuation() && c != '\''
}

/// Kana, common ideographs and Hangul syllables: all of them letters.
fn is_cjk(c: char) -> bool {
    matches!(c, 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '一'..='鿋' | '가'..='힣')
}

/// Full stops, commas, brackets and the like as they are used beside [`is_cjk`] characters.
fn is_cjk_mark(c: char) -> bool {
    matches!(
        c,
        '、' | '。' | '「'..='】' | '！' | '（' | '）' | '，' | '：' | '；' | '？'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<usize> {
        let all: Vec<&str> = pieces(text).collect();
        assert_eq!(all.concat(), text);
        all.into_iter().map(str::len).collect()
    }

    #[test]
    fn short_text_is_one_piece() {
        assert_eq!(lengths(""), [0; 0]);
        assert_eq!(lengths("a b"), [3]);
        assert_eq!(lengths(&"x".repeat(LIMIT)), [LIMIT]);
    }

    #[test]
    fn text_is_cut_before_a_blank() {
        let text = format!("{} {}", "x".repeat(LIMIT - 10), "y".repeat(20));
        assert_eq!(lengths(&text), [LIMIT - 10, 21]);
    }

    #[test]
    fn a_run_without_a_free_place_is_cut_at_the_limit() {
        assert_eq!(lengths(&"x".repeat(2 * LIMIT + 1)), [LIMIT, LIMIT, 1]);
        assert_eq!(lengths(&" ".repeat(LIMIT + 1)), [LIMIT, 1]);
    }

    #[test]
    fn a_cut_never_falls_inside_a_character() {
        let text = format!("x{}", "é".repeat(LIMIT));
        assert_eq!(lengths(&text), [LIMIT - 1, LIMIT, 2]);
    }

    #[test]
    fn contractions_line_breaks_after_marks_and_blanks_are_not_free() {
        for (before, after) in [('t', '\''), ('!', '\n'), (' ', 'a'), (' ', ' '), ('a', 'b')] {
            assert!(!is_free(before, after), "{before:?} {after:?}");
        }
        for (before, after) in [
            ('t', ' '),
            ('t', '\n'),
            ('!', ' '),
            ('a', '1'),
            ('語', '。'),
        ] {
            assert!(is_free(before, after), "{before:?} {after:?}");
        }
    }
}
