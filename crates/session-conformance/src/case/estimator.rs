//! How tokens are counted in a case.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::json::{Object, Parsed, malformed};

/// How tokens are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum EstimatorSpec {
    /// As the library does.
    #[default]
    Library,
    /// A quarter of the characters.
    CharsDiv4,
    /// Each event has a cost.
    Costs {
        by_id: BTreeMap<String, u64>,
        each: u64,
    },
}

impl EstimatorSpec {
    pub(crate) fn parse(value: &Value) -> Parsed<Self> {
        if let Value::String(name) = value {
            return match name.as_str() {
                "default" => Ok(Self::Library),
                "chars_div_4" => Ok(Self::CharsDiv4),
                other => malformed(format!("unknown estimator `{other}`")),
            };
        }
        let mut object = Object::of(value, "estimator")?;
        let each = object.number("each")?;
        let default = object.number("default")?;
        let mut by_id = BTreeMap::new();
        if let Some(value) = object.take("by_id") {
            let mut costs = Object::of(value, "by_id")?;
            for id in costs.names().collect::<Vec<_>>() {
                by_id.insert(id.to_owned(), costs.need_number(id)?);
            }
        } else if each.is_none() {
            return malformed("estimator has neither `each` nor `by_id`");
        }
        object.finish()?;
        match each.or(default) {
            Some(each) => Ok(Self::Costs { by_id, each }),
            None => malformed("estimator has no `default`"),
        }
    }
}
