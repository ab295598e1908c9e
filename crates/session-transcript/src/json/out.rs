//! JSON written piece by piece, raw values as they came.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use session_log::{Fields, Json};

/// An object under construction.
#[derive(Debug, Default)]
pub(crate) struct Object {
    buffer: String,
    names: BTreeSet<String>,
}

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// An object with room for so many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            buffer: String::with_capacity(bytes),
            names: BTreeSet::new(),
        }
    }

    /// Adds a member of raw JSON; a name that is there already is left as it is.
    pub(crate) fn raw(&mut self, name: &str, json: &str) -> &mut Self {
        if !self.names.insert(name.into()) {
            return self;
        }
        self.buffer
            .push(if self.buffer.is_empty() { '{' } else { ',' });
        push_quoted(&mut self.buffer, name);
        self.buffer.push(':');
        self.buffer.push_str(json);
        self
    }

    pub(crate) fn str(&mut self, name: &str, text: &str) -> &mut Self {
        self.raw(name, &quote(text))
    }

    pub(crate) fn json(&mut self, name: &str, json: &Json) -> &mut Self {
        self.raw(name, json.as_str())
    }

    pub(crate) fn finish(self) -> String {
        if self.buffer.is_empty() {
            return "{}".into();
        }
        self.buffer + "}"
    }

    pub(crate) fn into_json(self) -> Json {
        Json::new(self.finish()).unwrap_or_else(|_| Json::null())
    }

    /// Adds the fields that are no marks of an importer.
    pub(crate) fn fields(&mut self, fields: &Fields) -> &mut Self {
        self.members(fields)
    }

    /// Adds those of `members` that are no marks of an importer.
    pub(crate) fn members<'f>(
        &mut self,
        members: impl IntoIterator<Item = (&'f String, &'f Json)>,
    ) -> &mut Self {
        for (name, json) in members
            .into_iter()
            .filter(|(name, _)| !name.starts_with('@'))
        {
            self.json(name, json);
        }
        self
    }
}

/// An array of raw values.
pub(crate) fn array<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let mut buffer = String::from("[");
    for item in items {
        if buffer.len() > 1 {
            buffer.push(',');
        }
        buffer.push_str(item.as_ref());
    }
    buffer.push(']');
    buffer
}

/// The text as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    let mut buffer = String::with_capacity(text.len() + 2);
    push_quoted(&mut buffer, text);
    buffer
}

fn push_quoted(buffer: &mut String, text: &str) {
    buffer.push('"');
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        buffer.push_str(text.get(copied..at).unwrap_or_default());
        copied = at + 1;
        match byte {
            b'"' => buffer.push_str("\\\""),
            b'\\' => buffer.push_str("\\\\"),
            b'\n' => buffer.push_str("\\n"),
            b'\r' => buffer.push_str("\\r"),
            b'\t' => buffer.push_str("\\t"),
            _ => {
                let _ = write!(buffer, "\\u{byte:04x}");
            }
        }
    }
    buffer.push_str(text.get(copied..).unwrap_or_default());
    buffer.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_reads_back_as_it_was() {
        for text in ["", "plain", "a\"b\\c", "\u{0}\n\r\t\u{1f}", "é😀\u{2028}"] {
            assert_eq!(serde_json::from_str::<String>(&quote(text)).unwrap(), text);
        }
    }

    #[test]
    fn the_first_member_of_a_name_stays() {
        let mut object = Object::new();
        object.str("role", "user").raw("n", "1").str("role", "tool");
        assert_eq!(object.finish(), r#"{"role":"user","n":1}"#);
        assert_eq!(Object::new().finish(), "{}");
    }
}
