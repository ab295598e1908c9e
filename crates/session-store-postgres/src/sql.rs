//! Statements: which schema they name, and how those are put together whose text depends on the
//! question.

use std::borrow::Cow;
use std::fmt::Write as _;

use tokio_postgres::types::{ToSql, Type};

/// The schema that statements are written with.
pub(crate) const DEFAULT_SCHEMA: &str = "session_store";

/// The schema a store has its tables in.
#[derive(Clone, Debug)]
pub(crate) struct Schema(String);

impl Schema {
    /// `name` is a plain name, see `PostgresOptions::check`.
    pub(crate) fn new(name: &str) -> Self {
        Self(name.to_owned())
    }

    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    /// The statement for this schema.
    pub(crate) fn sql<'a>(&self, statement: &'a str) -> Cow<'a, str> {
        if self.0 == DEFAULT_SCHEMA {
            return Cow::Borrowed(statement);
        }
        let from = format!("{DEFAULT_SCHEMA}.");
        Cow::Owned(statement.replace(&from, &format!("\"{}\".", self.0)))
    }
}

/// A value for a place in a statement.
pub(crate) enum Value {
    Bool(bool),
    Int(i64),
    Ints(Vec<i64>),
    Text(String),
    Texts(Vec<String>),
}

impl Value {
    pub(crate) fn as_sql(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Bool(value) => value,
            Self::Int(value) => value,
            Self::Ints(value) => value,
            Self::Text(value) => value,
            Self::Texts(value) => value,
        }
    }

    pub(crate) fn sql_type(&self) -> Type {
        match self {
            Self::Bool(_) => Type::BOOL,
            Self::Int(_) => Type::INT8,
            Self::Ints(_) => Type::INT8_ARRAY,
            Self::Text(_) => Type::TEXT,
            Self::Texts(_) => Type::TEXT_ARRAY,
        }
    }
}

/// A statement that grows, with the values for its places. Only text of this crate is ever pushed;
/// what callers hand in becomes a value.
#[derive(Default)]
pub(crate) struct Statement {
    text: String,
    values: Vec<Value>,
}

impl Statement {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            values: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Puts text around all there is.
    pub(crate) fn wrap(&mut self, before: &str, after: &str) {
        self.text.insert_str(0, before);
        self.text.push_str(after);
    }

    /// Adds the text with `value` in the place of its one `$`.
    pub(crate) fn push_with(&mut self, text: &str, value: Value) {
        let place = self.place(value);
        let (before, after) = text.split_once('$').unwrap_or((text, ""));
        let _ = write!(self.text, "{before}{place}{after}");
    }

    /// A new place with this value.
    pub(crate) fn place(&mut self, value: Value) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_names_the_schema_of_the_store() {
        let statement = "SELECT 1 FROM session_store.event, session_store.session";
        assert_eq!(Schema::new(DEFAULT_SCHEMA).sql(statement), statement);
        assert_eq!(
            Schema::new("user").sql(statement),
            "SELECT 1 FROM \"user\".event, \"user\".session"
        );
    }

    #[test]
    fn values_get_their_places_in_order() {
        let mut statement = Statement::new("SELECT 1 WHERE true");
        statement.push_with(" AND a = $", Value::Int(7));
        let (b, c) = (
            statement.place(Value::Bool(true)),
            statement.place(Value::Texts(Vec::new())),
        );
        statement.push(&format!(" AND ({b} OR {c} = $)"));
        assert_eq!(
            statement.text(),
            "SELECT 1 WHERE true AND a = $1 AND ($2 OR $3 = $)"
        );
        assert_eq!(statement.values().len(), 3);
    }
}
