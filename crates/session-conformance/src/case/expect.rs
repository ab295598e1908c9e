//! What must come of a case.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::json::{Object, Parsed, list, malformed, text, texts};
use crate::keys::{self, Key};
use crate::laws::Law;

/// What must come of a case or of one step of it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Expect {
    /// All of these hold.
    pub claims: Vec<Claim>,
    /// All of these laws hold.
    pub laws: Vec<Law>,
    /// One of these holds, if there are any.
    pub any_of: Vec<Expect>,
    /// What holds after steps, by number from 0.
    pub per_step: BTreeMap<usize, Expect>,
    /// What holds for the rows of a table, by the name of the key.
    pub rows: Vec<(Claim, usize)>,
    /// What holds at the end.
    pub at_end: Option<Box<Expect>>,
    /// How many rows the table must have, where it is spoken of.
    pub(crate) row_count: Option<usize>,
}

/// One thing that must be so.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Claim {
    /// What is looked at.
    pub key: &'static Key,
    /// What it must be.
    pub expected: Value,
}

/// Keys of `expect` that are for people.
const FOR_PEOPLE: [&str; 4] = ["rule", "note", "decide", "documented"];

/// What stands before the name of a key that lists what holds for each row.
const ROWS: &str = "table_";

impl Expect {
    pub(crate) fn parse(value: &Value, what: &str) -> Parsed<Self> {
        let mut object = Object::of(value, what)?;
        for name in FOR_PEOPLE {
            object.take(name);
        }
        let mut expect = Self::default();
        if let Some(value) = object.take("invariants") {
            for name in texts(value, "invariants")? {
                expect.laws.push(Law::parse(&name)?);
            }
        }
        if let Some(value) = object.take("any_of") {
            for alternative in list(value, "any_of")? {
                expect.any_of.push(Self::parse(alternative, "any_of")?);
            }
            if expect.any_of.is_empty() {
                return malformed("any_of lists nothing");
            }
        }
        if let Some(value) = object.take("per_step") {
            let mut steps = Object::of(value, "per_step")?;
            for name in steps.names().collect::<Vec<_>>() {
                let Ok(number) = name.parse() else {
                    return malformed(format!("per_step has `{name}`, which is no number"));
                };
                let step = Self::parse(steps.need(name)?, &format!("step {name} of per_step"))?;
                expect.per_step.insert(number, step);
            }
        }
        if let Some(value) = object.take("final") {
            expect.at_end = Some(Box::new(Self::parse(value, "final")?));
        }
        for name in object.names().collect::<Vec<_>>() {
            let value = object.need(name)?;
            expect.claim(name, value, what)?;
        }
        object.finish()?;
        Ok(expect)
    }

    fn claim(&mut self, name: &str, value: &Value, what: &str) -> Parsed<()> {
        if let Some(key) = keys::find(name) {
            self.claims.push(Claim::new(key, value)?);
            return Ok(());
        }
        let Some(key) = name.strip_prefix(ROWS).and_then(|name| {
            // `table_views` is the plural of `view`.
            keys::find(name).or_else(|| keys::find(name.strip_suffix('s')?))
        }) else {
            return malformed(format!("unknown key `{name}` in {what}"));
        };
        let rows = list(value, name)?;
        self.row_count = Some(rows.len());
        for (row, value) in rows.iter().enumerate() {
            self.rows.push((Claim::new(key, value)?, row));
        }
        Ok(())
    }

    /// Whether something is said about `name`.
    pub(crate) fn has(&self, name: &str) -> bool {
        let is_named = |claim: &Claim| claim.key.name == name;
        self.claims.iter().any(is_named)
            || self.any_of.iter().any(|expect| expect.has(name))
            || self.at_end.as_ref().is_some_and(|expect| expect.has(name))
    }

    /// Whether something is said about errors of the whole or of a step.
    pub(crate) fn speaks_of_errors_anywhere(&self) -> bool {
        self.speaks_of_errors() || self.per_step.values().any(Self::speaks_of_errors)
    }

    /// Whether something is said about errors, so that one that comes is not a surprise.
    pub(crate) fn speaks_of_errors(&self) -> bool {
        self.claims.iter().any(|claim| claim.key.is_about_errors())
            || self
                .rows
                .iter()
                .any(|(claim, _)| claim.key.is_about_errors())
            || self.any_of.iter().any(Self::speaks_of_errors)
    }
}

impl Claim {
    fn new(key: &'static Key, value: &Value) -> Parsed<Self> {
        key.check_shape(value)?;
        Ok(Self {
            key,
            expected: value.clone(),
        })
    }
}

/// The names in a list of texts, which every key that takes one checks first.
pub(crate) fn names(value: &Value) -> Vec<&str> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| text(item, "a name").ok())
        .collect()
}
