//! Made-up text that is the same on every run.

/// Numbers that look random and are the same on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(usize::try_from(self.below(from.len() as u64)).ok()?)
    }

    /// Characters of an alphabet, one after the other.
    pub(crate) fn characters(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..count).filter_map(|_| self.pick(&alphabet)).collect()
    }

    /// Whole and decimal numbers in lines of eight.
    pub(crate) fn numbers(&mut self, count: u64) -> String {
        let mut text = String::new();
        for index in 1..=count {
            let digits = 1 + self.below(9);
            let number = self.below(10_u64.pow(u32::try_from(digits).unwrap_or(1)));
            text.push_str(&number.to_string());
            if self.below(3) == 0 {
                text.push('.');
                text.push_str(&self.below(1_000).to_string());
            }
            text.push_str(if index % 8 == 0 { "\n" } else { ", " });
        }
        text
    }
}

pub(crate) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub(crate) const EMOJI: &str =
    "😀😂🙂😉😊😍🤔😎😢😡👍👎👏🙏💪🔥✨🎉🚀⭐✅❌📁📄🔑🔒🐛🧪🌍🌞🍎☕🚗🏠 \n";
