//! Content as most formats have it: a text, or a list of parts.

use session_log::{Arguments, Fields, Opaque, Part, Shape};

use crate::format::Format;
use crate::json::{Kind, Members, Raw};

/// A `content` that is a text or a list, and how it is written.
pub(crate) fn content<'a>(
    raw: Option<Raw<'a>>,
    part: impl FnMut(Raw<'a>) -> Part,
) -> (Vec<Part>, Shape) {
    let Some(raw) = raw else {
        return (Vec::new(), Shape::Absent);
    };
    match raw.kind() {
        Kind::Null => (Vec::new(), Shape::Null),
        Kind::String => (
            vec![Part::text(raw.as_str().unwrap_or_default())],
            Shape::Text,
        ),
        Kind::Array => {
            let items = raw.items().unwrap_or_default();
            (items.into_iter().map(part).collect(), Shape::Parts)
        }
        _ => {
            let mut part = part;
            (vec![part(raw)], Shape::Parts)
        }
    }
}

/// A part of a kind that is not known, kept as it is.
pub(crate) fn opaque(format: Format, raw: Raw<'_>) -> Part {
    Part::Opaque(Opaque::new(format.name(), raw.to_json()))
}

/// Arguments as text, or as whatever value they are.
pub(crate) fn arguments(raw: Option<Raw<'_>>) -> Arguments {
    match raw {
        None => Arguments::Text(String::new()),
        Some(raw) => match raw.as_str() {
            Some(text) => Arguments::Text(text.into_owned()),
            None => Arguments::Value(raw.to_json()),
        },
    }
}

/// All members but some, by name.
pub(crate) fn fields_but(members: &Members<'_>, left_out: &[&str]) -> Fields {
    let rest = members.iter().filter(|(name, _)| !left_out.contains(name));
    rest.map(|(name, raw)| (name.to_owned(), raw.to_json()))
        .collect()
}
