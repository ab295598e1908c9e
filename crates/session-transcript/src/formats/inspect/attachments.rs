//! Long texts that lie beside the messages.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::json::{Members, Raw};

/// What stands in front of the name of one.
const MARK: &str = "\"attachment://";

/// The long texts of a sample.
pub(super) struct Attachments<'a> {
    texts: BTreeMap<String, Raw<'a>>,
    /// How many more bytes may be put in.
    room: u64,
    /// How many were not there, or too much.
    pub(super) missing: usize,
}

impl<'a> Attachments<'a> {
    pub(super) fn of(sample: &Members<'a>, max_bytes: u64) -> Self {
        let members = sample.peek("attachments").and_then(Raw::members);
        let texts = members.unwrap_or_default();
        Self {
            texts: texts
                .iter()
                .filter(|(_, raw)| raw.as_str().is_some())
                .map(|(name, raw)| (name.to_owned(), raw))
                .collect(),
            room: max_bytes,
            missing: 0,
        }
    }

    /// The JSON with the texts that it names put in.
    pub(super) fn resolve<'t>(&mut self, json: &'t str) -> Cow<'t, str> {
        if !json.contains(MARK) {
            return Cow::Borrowed(json);
        }
        let mut resolved = String::with_capacity(json.len());
        let mut rest = json;
        while let Some((before, after)) = rest.split_once(MARK) {
            resolved.push_str(before);
            let (name, behind) = after.split_once('"').unwrap_or((after, ""));
            match self.take(name) {
                Some(text) => {
                    resolved.push_str(text);
                    rest = behind;
                }
                None => {
                    self.missing += 1;
                    resolved.push_str(MARK);
                    rest = after;
                }
            }
        }
        resolved.push_str(rest);
        Cow::Owned(resolved)
    }

    fn take(&mut self, name: &str) -> Option<&'a str> {
        let text = self.texts.get(name)?.text();
        self.room = self.room.checked_sub(text.len() as u64)?;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_texts_up_to_the_limit() {
        let sample = r#"{"attachments": {"a1": "a \"long\" text"}}"#;
        let sample = Raw::parse(sample).unwrap().members().unwrap();
        let mut attachments = Attachments::of(&sample, 20);
        let json = r#"{"a":"attachment://a1","b":["attachment://a1","attachment://no"]}"#;
        assert_eq!(
            attachments.resolve(json),
            r#"{"a":"a \"long\" text","b":["attachment://a1","attachment://no"]}"#
        );
        assert_eq!(attachments.missing, 2);
        assert!(matches!(attachments.resolve("{}"), Cow::Borrowed(_)));
    }
}
