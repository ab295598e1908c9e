//! What was sent and nobody is to read in an answer: keys, values of headers, and what stands in the
//! query of an address.

use reqwest::Url;

use crate::key::ApiKey;

/// Texts to take out of what a provider wrote, the longest first: one may be a part of another.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<Secret>);

#[derive(Clone)]
struct Secret {
    text: String,
    shown: &'static str,
}

/// What is shorter is no secret, and is found by chance in any text.
const SHORTEST: usize = 8;

impl Secrets {
    pub(crate) fn add_key(&mut self, key: &ApiKey) {
        self.add(key.text(), "[key]");
    }

    /// The value of a header, and what of it stands behind a word such as `Bearer`.
    pub(crate) fn add_header(&mut self, value: &str) {
        self.add_long(value);
        if let Some((_, behind)) = value.rsplit_once(' ') {
            self.add_long(behind);
        }
    }

    /// The values in the query of an address, as they are and as they are sent.
    pub(crate) fn add_query(&mut self, url: &Url) {
        for (_, value) in url.query_pairs() {
            self.add_long(&value);
        }
        for pair in url.query().unwrap_or_default().split('&') {
            self.add_long(pair.split_once('=').map_or(pair, |(_, value)| value));
        }
    }

    fn add_long(&mut self, text: &str) {
        if text.len() >= SHORTEST {
            self.add(text, "[hidden]");
        }
    }

    fn add(&mut self, text: &str, shown: &'static str) {
        let text = text.to_owned();
        self.0.push(Secret { text, shown });
        self.0
            .sort_by_key(|secret| core::cmp::Reverse(secret.text.len()));
    }

    /// The text without them.
    pub(crate) fn taken_out_of(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.0 {
            text = text.replace(&secret.text, secret.shown);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_was_sent_as_a_secret_is_taken_out() {
        let mut secrets = Secrets::default();
        secrets.add_key(&ApiKey::new("sk-1").unwrap());
        secrets.add_header("Bearer gateway-key");
        secrets.add_header("short");
        secrets.add_query(&Url::parse("http://a.example/?a=with%20blank&b=1").unwrap());
        let cases = [
            ("sk-1 is no key", "[key] is no key"),
            ("got Bearer gateway-key", "got [hidden]"),
            ("got gateway-key", "got [hidden]"),
            ("/?a=with%20blank&b=1", "/?a=[hidden]&b=1"),
            ("a is with blank", "a is [hidden]"),
            ("a short one", "a short one"),
        ];
        for (text, expected) in cases {
            assert_eq!(secrets.taken_out_of(text), expected);
        }
    }

    #[test]
    fn a_secret_that_is_a_part_of_another_leaves_nothing_of_it() {
        let mut secrets = Secrets::default();
        secrets.add_header("abcdefgh");
        secrets.add_header("abcdefghijkl");
        assert_eq!(secrets.taken_out_of("abcdefghijkl"), "[hidden]");
    }
}
