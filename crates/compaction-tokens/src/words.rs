//! Splits plain ASCII text into words, as the patterns of two encodings would.
//!
//! Most text that is counted is ASCII, and there the patterns need no Unicode tables: a byte has
//! one of a few classes and a word ends where the class changes. Wherever a byte outside ASCII or
//! the end of the text could matter, [`Pattern::word`] gives no answer and the regex decides.

/// Which rules split the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// Words begin anew at a capital, contractions belong to the word before.
    O200k,
    /// Words are letters of any case, contractions are words of their own.
    Cl100k,
}

impl Pattern {
    /// The length of the first word, if ASCII alone decides it.
    #[inline]
    pub(crate) fn word(self, text: &[u8]) -> Option<usize> {
        match class_at(text, 0)? {
            Class::Lower | Class::Upper => self.letters(text, 0),
            Class::Digit => digits(text),
            Class::Blank => match class_at(text, 1)? {
                Class::Lower | Class::Upper => self.letters(text, 1),
                Class::Mark if text.first() == Some(&b' ') => self.marks(text, 1),
                Class::Mark | Class::Digit => Some(1),
                Class::Blank | Class::Break => white_space(text),
                Class::Other => None,
            },
            Class::Break => white_space(text),
            Class::Mark => self.mark(text),
            Class::Other => None,
        }
    }

    /// A word whose letters begin at `from`.
    #[inline]
    fn letters(self, text: &[u8], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        let length = match self {
            Self::O200k => {
                let upper = rest.iter().take_while(|byte| byte.is_ascii_uppercase());
                let upper = upper.count();
                let lower = rest.iter().skip(upper);
                upper + lower.take_while(|byte| byte.is_ascii_lowercase()).count()
            }
            Self::Cl100k => rest
                .iter()
                .take_while(|byte| byte.is_ascii_alphabetic())
                .count(),
        };
        let end = from + length;
        let next = *text.get(end)?;
        if next == b'\'' && self == Self::O200k {
            return Some(end + contraction(text, end)?);
        }
        next.is_ascii().then_some(end)
    }

    /// A word that begins with a mark: in front of letters, or a run of marks.
    #[inline]
    fn mark(self, text: &[u8]) -> Option<usize> {
        if self == Self::Cl100k && text.first() == Some(&b'\'') {
            match contraction(text, 0)? {
                0 => {}
                length => return Some(length),
            }
        }
        match class_at(text, 1)? {
            Class::Lower | Class::Upper => self.letters(text, 1),
            Class::Other => None,
            Class::Digit | Class::Blank | Class::Break | Class::Mark => self.marks(text, 0),
        }
    }

    /// A run of marks that begins at `from`, and the line breaks behind it.
    #[inline]
    fn marks(self, text: &[u8], from: usize) -> Option<usize> {
        let mut end = from;
        while class_at(text, end)? == Class::Mark {
            end += 1;
        }
        if class_at(text, end)? == Class::Other {
            return None;
        }
        loop {
            match text.get(end)? {
                b'\r' | b'\n' => end += 1,
                b'/' if self == Self::O200k => end += 1,
                _ => return Some(end),
            }
        }
    }
}

/// Up to three digits.
#[inline]
fn digits(text: &[u8]) -> Option<usize> {
    for at in 1..3 {
        match class_at(text, at)? {
            Class::Digit => {}
            Class::Other => return None,
            _ => return Some(at),
        }
    }
    Some(3)
}

/// White space: to the last line break, or else all but the last blank.
#[inline]
fn white_space(text: &[u8]) -> Option<usize> {
    let mut end = 0;
    let mut after_break = 0;
    loop {
        match class_at(text, end)? {
            Class::Blank => end += 1,
            Class::Break => {
                end += 1;
                after_break = end;
            }
            Class::Other => return None,
            _ if after_break > 0 => return Some(after_break),
            _ => return Some((end - 1).max(1)),
        }
    }
}

/// The length of the contraction at `from`, zero if there is none.
#[inline]
fn contraction(text: &[u8], from: usize) -> Option<usize> {
    let first = *text.get(from + 1)?;
    if !first.is_ascii() {
        return None;
    }
    let wanted = match first.to_ascii_lowercase() {
        b's' | b't' | b'm' | b'd' => return Some(2),
        b'r' | b'v' => b'e',
        b'l' => b'l',
        _ => return Some(0),
    };
    let second = text.get(from + 2)?.to_ascii_lowercase();
    Some(if second == wanted { 3 } else { 0 })
}

/// What a byte is to the patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// White space that breaks no line.
    Blank,
    Break,
    /// Punctuation and control characters.
    Mark,
    /// Not ASCII.
    Other,
}

#[inline]
fn class_at(text: &[u8], at: usize) -> Option<Class> {
    let byte = *text.get(at)?;
    CLASSES.get(usize::from(byte)).copied()
}

#[expect(
    clippy::indexing_slicing,
    reason = "done by the compiler, within 256 places"
)]
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'\r' | b'\n' => Class::Break,
            b' ' | b'\t' | 0x0b | 0x0c => Class::Blank,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};
