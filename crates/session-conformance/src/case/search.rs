//! Searches.

use jiff::Timestamp as Instant;
use serde_json::Value;
use session::{Role, Timestamp};

use crate::json::{Object, Parsed, malformed, text, texts};

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Search {
    /// What it is called in `found`.
    pub name: String,
    /// The keywords.
    pub words: Vec<String>,
    /// Whether all of them must be there.
    pub is_all: bool,
    /// How many hits a page has; all where nothing is said.
    pub limit: Option<u64>,
    /// Which page, from 0.
    pub(crate) page: u64,
    /// Only messages of these roles.
    pub(crate) roles: Vec<Role>,
    /// Only messages since then.
    pub(crate) since: Option<Timestamp>,
}

impl Search {
    pub(crate) fn literal(word: &str) -> Self {
        Self {
            name: word.into(),
            words: vec![word.into()],
            ..Self::default()
        }
    }

    pub(crate) fn take(object: &mut Object<'_>) -> Parsed<Self> {
        let mut search = Self::parse(object.need("query")?)?;
        search.is_all = match object.text("mode")? {
            None | Some("any") => false,
            Some("all") => true,
            Some(other) => return malformed(format!("unknown mode `{other}`")),
        };
        search.limit = match object.number("limit")? {
            Some(limit) => Some(limit),
            None => object.number("page_size")?,
        };
        search.page = object.number("page")?.unwrap_or(0);
        let types = object.texts("types")?.unwrap_or_default();
        search.roles = types.iter().map(|name| Role::from_name(name)).collect();
        search.since = match object.text("since")?.map(str::parse::<Instant>) {
            None => None,
            Some(Ok(since)) => Some(Timestamp::from_millis(since.as_millisecond())),
            Some(Err(_)) => return malformed("since is no moment"),
        };
        Ok(search)
    }

    pub(crate) fn parse(value: &Value) -> Parsed<Self> {
        match value {
            Value::Array(_) => {
                let words = texts(value, "query")?;
                Ok(Self {
                    name: words.join(" "),
                    words,
                    ..Self::default()
                })
            }
            value => Ok(Self::literal(text(value, "query")?)),
        }
    }
}
