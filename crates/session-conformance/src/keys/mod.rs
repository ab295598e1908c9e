//! The keys of `expect`: what each of them looks at, and what must be so.
//!
//! One table holds them all, so that a key is known if and only if something checks it. A check
//! that has nothing to look at fails.

mod content;
mod errors;
mod facts;
mod file;
mod pass;
mod tokens;
mod view;

use std::fmt;

use serde_json::Value;

use crate::json::{self, Parsed, malformed};
use crate::seen::Seen;

/// A key of `expect`.
#[non_exhaustive]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    shape: Shape,
    check: Check,
}

/// Tells what is otherwise than expected.
type Check = fn(&Seen, &Value) -> Checked;

pub(crate) type Checked = Result<(), String>;

/// What a value must be to be compared at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Flag,
    Number,
    Text,
    TextOrNull,
    Texts,
    Pairs,
    Numbers,
    /// Names, or the word `unchanged`.
    View,
    NumberOrTexts,
    TextsOrMap,
    /// Numbers by name.
    NumberMap,
    /// Anything by name.
    Map,
    Reports,
    Request,
}

impl Key {
    const fn new(name: &'static str, shape: Shape, check: Check) -> Self {
        Self { name, shape, check }
    }

    /// Whether what was seen is as expected; else what came.
    pub(crate) fn check(&self, seen: &Seen, expected: &Value) -> Checked {
        (self.check)(seen, expected).map_err(|came| format!("{}: {came}", self.name))
    }

    pub(crate) fn is_about_errors(&self) -> bool {
        matches!(
            self.name,
            "error" | "errors" | "error_names" | "last_append" | "denied" | "session_usable"
        )
    }

    /// Whether the value can be compared with anything.
    pub(crate) fn check_shape(&self, value: &Value) -> Parsed<()> {
        let is_right = match self.shape {
            Shape::Flag => value.is_boolean(),
            Shape::Number => value.is_u64(),
            Shape::Text => value.is_string(),
            Shape::TextOrNull => value.is_string() || value.is_null(),
            Shape::Texts => are_texts(value),
            Shape::Pairs => of_list(value, |item| are_texts(item) && length(item) == 2),
            Shape::Numbers => of_list(value, Value::is_u64),
            Shape::View => are_texts(value) || value == "unchanged",
            Shape::NumberOrTexts => value.is_u64() || are_texts(value),
            Shape::TextsOrMap => are_texts(value) || of_map(value, are_texts),
            Shape::NumberMap => of_map(value, Value::is_u64),
            Shape::Map => value.is_object(),
            Shape::Reports => of_list(value, is_report),
            Shape::Request => of_map(value, |_| true) && pass::is_request(value),
        };
        if is_right {
            return Ok(());
        }
        malformed(format!(
            "`{}` must be {}, not {}",
            self.name,
            self.shape.name(),
            json::kind(value)
        ))
    }
}

impl Shape {
    fn name(self) -> &'static str {
        match self {
            Self::Flag => "true or false",
            Self::Number => "a whole number",
            Self::Text => "a string",
            Self::TextOrNull => "a string or null",
            Self::Texts => "a list of strings",
            Self::Pairs => "a list of pairs of strings",
            Self::Numbers => "a list of whole numbers",
            Self::View => "a list of ids or \"unchanged\"",
            Self::NumberOrTexts => "a whole number or a list of strings",
            Self::TextsOrMap => "a list of strings, or an object of such lists",
            Self::NumberMap => "an object of whole numbers",
            Self::Map => "an object",
            Self::Reports => "a list of lines with reasons, or of ids",
            Self::Request => "an object of messages_after_system, role, tools",
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.name)
    }
}

const TABLES: [&[Key]; 7] = [
    view::KEYS,
    pass::KEYS,
    content::KEYS,
    tokens::KEYS,
    errors::KEYS,
    file::KEYS,
    facts::KEYS,
];

/// The key with this name.
pub(crate) fn find(name: &str) -> Option<&'static Key> {
    all().find(|key| key.name == name)
}

/// Every key there is.
pub fn all() -> impl Iterator<Item = &'static Key> {
    TABLES.into_iter().flatten()
}

fn are_texts(value: &Value) -> bool {
    of_list(value, Value::is_string)
}

fn of_list(value: &Value, each: impl Fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(each))
}

fn of_map(value: &Value, each: impl Fn(&Value) -> bool) -> bool {
    value
        .as_object()
        .is_some_and(|fields| fields.values().all(each))
}

fn length(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

/// `{"line": 3, "why": "torn"}`, or the id of an event.
fn is_report(value: &Value) -> bool {
    value.is_string()
        || value.as_object().is_some_and(|fields| {
            fields.get("line").is_some_and(Value::is_u64)
                && fields.get("why").is_none_or(Value::is_string)
                && fields
                    .keys()
                    .all(|name| matches!(name.as_str(), "line" | "why"))
        })
}

/// Fails unless both are the same.
fn equal(came: impl Into<Value>, expected: &Value) -> Checked {
    let came = came.into();
    if came == *expected {
        return Ok(());
    }
    Err(differs(&came, expected))
}

pub(crate) fn differs(came: &Value, expected: &Value) -> String {
    format!("expected {}, came {}", short(expected), short(came))
}

/// The value, cut where it is long.
fn short(value: &Value) -> String {
    const MOST: usize = 400;
    let text = value.to_string();
    match text.char_indices().nth(MOST) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

fn at_least(came: u64, expected: &Value) -> Checked {
    match expected.as_u64() {
        Some(least) if came >= least => Ok(()),
        _ => Err(format!("expected at least {expected}, came {came}")),
    }
}

fn at_most(came: u64, expected: &Value) -> Checked {
    match expected.as_u64() {
        Some(most) if came <= most => Ok(()),
        _ => Err(format!("expected at most {expected}, came {came}")),
    }
}

/// There is nothing of the kind to look at.
fn nothing(what: &str) -> String {
    format!("nothing to compare with: {what}")
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
