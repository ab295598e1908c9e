//! How parts are written: as they came, or as the provider takes them.

use session_log::{Arguments, Fields};

use crate::json::{Kind, Object, Raw, quote};

/// How parts are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// The part came from this format: its extra fields are known here.
    pub(crate) is_own: bool,
    /// Nothing is repaired.
    pub(crate) is_exact: bool,
}

impl Style {
    /// Arguments as an object, and what was done to them; any value that came as one stays when
    /// nothing is repaired.
    pub(crate) fn arguments(self, arguments: &Arguments) -> (String, Option<&'static str>) {
        match arguments {
            Arguments::Value(json) if self.is_exact => (json.as_str().into(), None),
            arguments => arguments_as_object(arguments),
        }
    }

    /// Adds to the object in the member `kind` what was left in it when it was read.
    pub(crate) fn add_rest(self, inner: &mut Object, kind: &str, extra: &Fields) {
        let rest = extra.get(kind).filter(|_| self.is_own);
        if let Some(rest) = rest.and_then(|json| Raw::parse(json.as_str())?.members()) {
            inner.fields(&rest.into_fields());
        }
    }
}

/// Arguments as the object this format wants; `None` in the second place when they are one
/// already, else a word for what was done.
pub(crate) fn arguments_as_object(arguments: &Arguments) -> (String, Option<&'static str>) {
    let text = arguments.as_str().trim();
    if text.is_empty() {
        return ("{}".into(), None);
    }
    match Raw::parse(text) {
        Some(raw) if raw.kind() == Kind::Object => (text.into(), None),
        Some(raw) => {
            let mut object = Object::new();
            object.raw("input", raw.text());
            (
                object.finish(),
                Some("arguments that are no object were wrapped into one"),
            )
        }
        None => {
            let mut object = Object::new();
            object.raw("input", &quote(arguments.as_str()));
            (
                object.finish(),
                Some("arguments that are no JSON were wrapped as text"),
            )
        }
    }
}
