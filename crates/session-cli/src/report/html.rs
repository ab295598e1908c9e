//! HTML that cannot be broken out of: markup is what stands in this program, everything else is text.

use crate::output::text::number;

/// A page as it grows. Only markup that was written with the program goes in as it is.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Markup of our own.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Text of anybody: shown as it is, also in the value of an attribute in double quotes. Control
    /// characters become pictures of themselves, and those that turn the direction of writing U+FFFD.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '`' => self.0.push_str("&#96;"),
                '\n' | '\t' => self.0.push(c),
                c => self.0.push(shown(c)),
            }
        }
        self
    }

    /// A number in digits alone, for places and sizes.
    pub(super) fn digits(&mut self, value: u64) -> &mut Self {
        self.0.push_str(&value.to_string());
        self
    }

    /// A number for people, its thousands apart.
    pub(super) fn number(&mut self, value: u64) -> &mut Self {
        self.0.push_str(&number(value));
        self
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

/// A character that cannot change how what stands around it is read.
fn shown(c: char) -> char {
    match c {
        '\r' => '\u{240d}',
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{fffd}',
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            '\u{fffd}'
        }
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup_or_ends_an_attribute() {
        let mut html = Html::default();
        html.raw("<p title=\"").text("\"><script>'`&").raw("\">");
        assert_eq!(
            html.into_string(),
            "<p title=\"&quot;&gt;&lt;script&gt;&#39;&#96;&amp;\">"
        );
    }

    #[test]
    fn no_text_turns_the_writing_around_it() {
        let mut html = Html::default();
        html.text("a\u{202e}b\u{0}\u{9b}c\r\n");
        assert_eq!(html.into_string(), "a\u{fffd}b\u{2400}\u{fffd}c\u{240d}\n");
    }
}
