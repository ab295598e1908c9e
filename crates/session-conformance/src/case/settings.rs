//! The settings of a case: what is done, and around what.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::case::estimator::EstimatorSpec;
use crate::case::op::Op;
use crate::json::{Object, Parsed, malformed};

/// What is done, and around what.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// What is done.
    pub op: Op,
    /// Who counts tokens.
    pub(crate) estimator: EstimatorSpec,
    /// The stores it is about; empty for any.
    pub(crate) stores: Vec<StoreName>,
    /// The environment it runs in.
    pub(crate) env: BTreeMap<String, String>,
    /// How long it may take, in milliseconds.
    pub(crate) time_limit_ms: Option<u64>,
}

/// A store by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum StoreName {
    Memory,
    Sqlite,
    Postgres,
}

impl Settings {
    pub(crate) fn parse(value: &Value) -> Parsed<Self> {
        let mut object = Object::of(value, "settings")?;
        let name = object.need_text("op")?;
        let stores = object.texts("storages")?.unwrap_or_default();
        let settings = Self {
            estimator: match object.take("estimator") {
                Some(value) => EstimatorSpec::parse(value)?,
                None => EstimatorSpec::default(),
            },
            stores: stores
                .iter()
                .map(|name| StoreName::parse(name))
                .collect::<Parsed<_>>()?,
            env: match object.take("env") {
                Some(value) => env(value)?,
                None => BTreeMap::new(),
            },
            time_limit_ms: object.number("time_limit_ms")?,
            op: Op::take(name, &mut object)?,
        };
        match object.text("clock")? {
            None | Some("fixed" | "frozen" | "moves" | "backwards") => {}
            Some(other) => return malformed(format!("unknown clock `{other}`")),
        }
        object.finish()?;
        Ok(settings)
    }
}

impl StoreName {
    pub(crate) fn parse(name: &str) -> Parsed<Self> {
        match name {
            "memory" => Ok(Self::Memory),
            "sqlite" => Ok(Self::Sqlite),
            "postgres" => Ok(Self::Postgres),
            other => malformed(format!("unknown store `{other}`")),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

fn env(value: &Value) -> Parsed<BTreeMap<String, String>> {
    let mut object = Object::of(value, "env")?;
    let mut env = BTreeMap::new();
    for name in object.names().collect::<Vec<_>>() {
        env.insert(name.to_owned(), object.need_text(name)?.to_owned());
    }
    Ok(env)
}
