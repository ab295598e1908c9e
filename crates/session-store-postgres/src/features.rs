//! What the database can do beyond what all of its kind can.

use std::fmt;

/// What a store found its database to have, see [`PostgresStore::features`](crate::PostgresStore::features).
/// Nothing it does depends on them but its speed, and whether it can
/// [`subscribe`](crate::PostgresStore::subscribe).
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Features {
    /// Whether a search by words of three letters or more is led by an index.
    pub trigram_index: bool,
    /// Whether that holds for letters beyond ASCII, which it does unless the database was made
    /// with the locale `C`.
    pub all_letters: bool,
    /// Whether new events can be told to subscribers.
    pub notifications: bool,
}

impl Features {
    /// None of them.
    pub(crate) const NONE: Self = Self {
        trigram_index: false,
        all_letters: false,
        notifications: false,
    };

    /// Whether the index leads to texts with this folded word: it must have three letters or
    /// digits in a row.
    pub(crate) fn has_trigram(self, word: &str) -> bool {
        let is_letter =
            |c: char| c.is_ascii_alphanumeric() || (self.all_letters && c.is_alphabetic());
        let mut run = 0_u8;
        for c in word.chars() {
            run = if is_letter(c) {
                run.saturating_add(1)
            } else {
                0
            };
            if run == 3 {
                return self.trigram_index;
            }
        }
        false
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            ("trigram_index", self.trigram_index),
            ("all_letters", self.all_letters),
            ("notifications", self.notifications),
        ];
        let found = all.iter().filter(|(_, is_there)| *is_there);
        f.write_str("Features")?;
        f.debug_set().entries(found.map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_letters_in_a_row_lead_to_the_index() {
        let all = Features {
            trigram_index: true,
            all_letters: true,
            ..Features::NONE
        };
        let ascii = Features {
            all_letters: false,
            ..all
        };
        for (word, with_all, with_ascii) in [
            ("plum", true, true),
            ("a b c", false, false),
            ("v2.10.333", true, true),
            ("%__", false, false),
            ("要約し", true, false),
            ("тест", true, false),
            ("😀😀😀", false, false),
        ] {
            assert_eq!(all.has_trigram(word), with_all, "{word}");
            assert_eq!(ascii.has_trigram(word), with_ascii, "{word}");
            assert!(!Features::NONE.has_trigram(word));
        }
    }
}
