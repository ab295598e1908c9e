//! What a text is made of, counted in one pass without a vocabulary.

/// One thing that costs tokens.
///
/// The order is the order of the weights in a [`Family`](crate::Family)'s table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    /// The start of a Latin word, or of a capitalized part of one.
    Word,
    /// The start of a capitalized part after a small letter, as in `camelCase`.
    Joined,
    /// A letter of a Latin word from the seventh on.
    Long,
    /// A Latin letter outside ASCII.
    Accent,
    /// A digit.
    Digit,
    /// Each third digit of a number, from the first on.
    Group,
    /// A number after a blank.
    BlankNumber,
    /// A run of two or more blanks.
    Indent,
    /// A blank from the third of a run on.
    Blank,
    /// A run of line breaks.
    Break,
    /// A line break from the second of a run on.
    MoreBreak,
    /// A run of ASCII punctuation or control characters.
    Mark,
    /// A mark that follows another one.
    MoreMark,
    /// A mark that follows the same one.
    SameMark,
    /// The start of a word in a script other than Latin.
    OtherWord,
    /// A Greek, Cyrillic or Armenian letter.
    Cyrillic,
    /// A Hebrew letter.
    Hebrew,
    /// An Arabic letter.
    Arabic,
    /// A letter or sign of Devanagari.
    Devanagari,
    /// A letter or sign of another script of India.
    Indic,
    /// A letter or sign of Thai, Lao, Burmese or Khmer.
    Thai,
    /// A Hangul syllable.
    Hangul,
    /// A kana.
    Kana,
    /// An ideograph.
    Han,
    /// An emoji, or a part that joins or varies one.
    Emoji,
    /// Punctuation and symbols outside ASCII.
    Symbol,
    /// Anything else.
    Rare,
}

/// How many kinds of [`Item`] there are.
pub(crate) const ITEMS: usize = Item::Rare as usize + 1;

/// How often each item is in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tally([u64; ITEMS]);

impl Tally {
    /// Counts the items of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut tally = Self([0; ITEMS]);
        let mut run = Run::default();
        for c in text.chars() {
            tally.see(c, &mut run);
        }
        tally
    }

    /// Items with their weights, summed.
    pub(crate) fn weigh(&self, weights: &[u16; ITEMS]) -> u64 {
        let items = self.0.iter().zip(weights);
        items
            .map(|(count, weight)| count * u64::from(*weight))
            .sum()
    }

    fn add(&mut self, item: Item) {
        if let Some(count) = self.0.get_mut(item as usize) {
            *count += 1;
        }
    }

    fn see(&mut self, c: char, run: &mut Run) {
        let class = Class::of(c);
        let before = run.class;
        let capital = before == Class::Lower && class == Class::Upper;
        let goes_on = class.group() == before.group() && !capital;
        run.length = if goes_on {
            run.length.saturating_add(1)
        } else {
            1
        };
        match class {
            Class::Lower | Class::Upper | Class::Accent => {
                if run.length == 1 {
                    self.add(Item::Word);
                    if capital {
                        self.add(Item::Joined);
                    }
                } else if run.length > 6 {
                    self.add(Item::Long);
                }
                if class == Class::Accent {
                    self.add(Item::Accent);
                }
            }
            Class::Digit => {
                self.add(Item::Digit);
                if run.length % 3 == 1 {
                    self.add(Item::Group);
                }
                if before == Class::Blank {
                    self.add(Item::BlankNumber);
                }
            }
            Class::Blank if run.length == 2 => self.add(Item::Indent),
            Class::Blank if run.length > 2 => self.add(Item::Blank),
            Class::Start | Class::Blank => {}
            Class::Break if run.length == 1 => self.add(Item::Break),
            Class::Break => self.add(Item::MoreBreak),
            Class::Mark if run.length == 1 => self.add(Item::Mark),
            Class::Mark if run.last == c => self.add(Item::SameMark),
            Class::Mark => self.add(Item::MoreMark),
            Class::Other(item) => {
                if run.length == 1 && item.is_spaced() {
                    self.add(Item::OtherWord);
                }
                self.add(item);
            }
        }
        run.class = class;
        run.last = c;
    }
}

/// The run of like characters that a text is in the middle of.
#[derive(Debug, Default)]
struct Run {
    class: Class,
    last: char,
    length: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Class {
    #[default]
    Start,
    Lower,
    Upper,
    Accent,
    Digit,
    Blank,
    Break,
    Mark,
    Other(Item),
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            '\r' | '\n' => Self::Break,
            ' ' | '\t' => Self::Blank,
            '\0'..='\u{7f}' => Self::Mark,
            '\u{aa}' | '\u{b5}' | '\u{ba}' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                Self::Accent
            }
            _ => Self::Other(Item::of(c)),
        }
    }

    /// Classes whose characters go on with one another's runs.
    fn group(self) -> Self {
        match self {
            Self::Upper | Self::Accent => Self::Lower,
            other => other,
        }
    }
}

impl Item {
    /// The item of a character outside ASCII and Latin.
    fn of(c: char) -> Self {
        match c {
            '\u{370}'..='\u{58f}' | '\u{1c80}'..='\u{1c8f}' | '\u{1f00}'..='\u{1fff}' => {
                Self::Cyrillic
            }
            '\u{590}'..='\u{5ff}' => Self::Hebrew,
            '\u{600}'..='\u{6ff}'
            | '\u{750}'..='\u{77f}'
            | '\u{8a0}'..='\u{8ff}'
            | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}' => Self::Arabic,
            '\u{900}'..='\u{97f}' => Self::Devanagari,
            '\u{980}'..='\u{dff}' => Self::Indic,
            '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => Self::Thai,
            '\u{ac00}'..='\u{d7a3}' => Self::Hangul,
            '\u{3041}'..='\u{30ff}' => Self::Kana,
            '\u{3400}'..='\u{9fff}' => Self::Han,
            '\u{200d}' | '\u{fe0f}' | '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}' => {
                Self::Emoji
            }
            '\u{80}'..='\u{bf}'
            | '\u{d7}'
            | '\u{f7}'
            | '\u{2000}'..='\u{2bff}'
            | '\u{3000}'..='\u{3040}'
            | '\u{ff00}'..='\u{ff65}' => Self::Symbol,
            _ => Self::Rare,
        }
    }

    /// Whether the script puts blanks between words.
    fn is_spaced(self) -> bool {
        matches!(
            self,
            Self::Cyrillic
                | Self::Hebrew
                | Self::Arabic
                | Self::Devanagari
                | Self::Indic
                | Self::Hangul
        )
    }
}
