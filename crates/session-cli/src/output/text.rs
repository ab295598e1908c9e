//! Numbers, times and foreign text as people read them.

use jiff::tz::TimeZone;
use session::Timestamp;
use unicode_width::UnicodeWidthChar as _;

/// A number with its thousands apart: `41,230`.
pub(crate) fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and its noun: `1 event`, `2 events`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", number(count))
}

/// The part of `whole` in per cent, rounded: `42 %`.
pub(crate) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0 %".into();
    }
    let per_cent = (u128::from(part) * 100 + u128::from(whole) / 2) / u128::from(whole);
    format!("{per_cent} %")
}

/// A moment in the local time zone, to the second; `-` for the epoch, which stands for not known.
pub(crate) fn moment(timestamp: Timestamp) -> String {
    if timestamp == Timestamp::default() {
        return "-".into();
    }
    match jiff::Timestamp::from_millisecond(timestamp.as_millis()) {
        Ok(moment) => moment
            .to_zoned_datetime(TimeZone::system())
            .strftime("%Y-%m-%d %H:%M:%S")
            .to_string(),
        Err(_) => "-".into(),
    }
}

/// How much less `after` is than `before`, in words.
pub(crate) fn less(before: u64, after: u64) -> String {
    match before.checked_sub(after) {
        Some(saved) => format!("{} less", share(saved, before)),
        None => format!("{} more", counted(after - before, "token")),
    }
}

/// A moment as JSON has it, in UTC; `None` when it is not one of our calendar.
pub(crate) fn instant(timestamp: Timestamp) -> Option<String> {
    let moment = jiff::Timestamp::from_millisecond(timestamp.as_millis()).ok()?;
    Some(moment.to_string())
}

/// The beginning of `text` on one line of at most `width` columns. Control characters, which could
/// move the cursor or more, are shown and not sent.
pub(crate) fn line(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut columns = 0;
    let mut was_blank = true;
    for c in text.chars() {
        let c = visible(c);
        let is_blank = c.is_whitespace();
        if is_blank && was_blank {
            continue;
        }
        was_blank = is_blank;
        let c = if is_blank { ' ' } else { c };
        let wide = c.width().unwrap_or(0);
        if columns + wide > width.saturating_sub(1) {
            out.push('…');
            return out;
        }
        columns += wide;
        out.push(c);
    }
    out.trim_end().into()
}

/// `text` with its line breaks, and with control characters shown and not sent.
pub(crate) fn block(text: &str) -> String {
    text.chars()
        .map(|c| if c == '\n' { c } else { visible(c) })
        .collect()
}

/// `text` on one line, as long as it is, with control characters shown and not sent.
pub(crate) fn inline(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// A character that is safe on a terminal: control characters become pictures of themselves, and
/// those that turn the direction of writing become U+FFFD.
fn visible(c: char) -> char {
    match c {
        '\n' | '\t' | '\r' => ' ',
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

/// The columns of the terminal, or plenty where there is none.
pub(crate) fn columns() -> usize {
    match terminal_size::terminal_size() {
        Some((terminal_size::Width(columns), _)) => usize::from(columns).max(40),
        None => 200,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(counted(1, "turn"), "1 turn");
        assert_eq!(counted(0, "turn"), "0 turns");
    }

    #[test]
    fn a_share_is_rounded_and_never_fails() {
        assert_eq!(share(1, 3), "33 %");
        assert_eq!(share(2, 3), "67 %");
        assert_eq!(share(5, 0), "0 %");
        assert_eq!(share(u64::MAX, u64::MAX), "100 %");
    }

    #[test]
    fn a_line_is_cut_between_characters_by_their_width() {
        assert_eq!(line("  a\n\n b ", 10), "a b");
        assert_eq!(line("abcdef", 6), "abcde…");
        assert_eq!(line("現在のディレクトリ", 7), "現在の…");
        assert_eq!(line("", 0), "");
        assert_eq!(line("a", 0), "…");
    }

    #[test]
    fn nothing_in_a_text_can_drive_the_terminal() {
        assert_eq!(line("\u{1b}[31mred\u{7}", 20), "␛[31mred␇");
        assert_eq!(block("a\u{9b}b\r\n\u{202e}c"), "a\u{fffd}b \n\u{fffd}c");
    }
}
