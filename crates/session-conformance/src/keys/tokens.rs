//! Token counts.

use serde_json::Value;

use super::{Checked, Key, Shape, at_least, at_most, equal, nothing};
use crate::seen::Seen;

pub(super) const KEYS: &[Key] = &[
    Key::new("at_least", Shape::Number, |seen, expected| {
        at_least(total(costs(seen)?), expected)
    }),
    Key::new("at_most", Shape::Number, |seen, expected| {
        at_most(total(costs(seen)?), expected)
    }),
    Key::new("tokens", Shape::Number, |seen, expected| {
        equal(total(costs(seen)?), expected)
    }),
    Key::new("each_at_least", Shape::Number, each_at_least),
    Key::new("each_at_most", Shape::Number, each_at_most),
    Key::new("per_event_at_least", Shape::Number, each_at_least),
    Key::new("per_event_at_most", Shape::Number, each_at_most),
    Key::new("by_id_at_least", Shape::NumberMap, |seen, expected| {
        by_id(seen, expected, at_least)
    }),
    Key::new("by_id_at_most", Shape::NumberMap, |seen, expected| {
        by_id(seen, expected, at_most)
    }),
    Key::new(
        "independent_of_payload_size",
        Shape::Flag,
        independent_of_size,
    ),
];

type Costs = [(String, u64)];

fn costs(seen: &Seen) -> Result<&Costs, String> {
    match seen.costs.as_deref() {
        Some(costs) if !costs.is_empty() => Ok(costs),
        _ => Err(nothing("nothing was counted")),
    }
}

fn total(costs: &Costs) -> u64 {
    costs
        .iter()
        .fold(0, |sum, (_, tokens)| sum.saturating_add(*tokens))
}

fn each_at_least(seen: &Seen, expected: &Value) -> Checked {
    each(costs(seen)?, expected, at_least)
}

fn each_at_most(seen: &Seen, expected: &Value) -> Checked {
    each(costs(seen)?, expected, at_most)
}

fn each(costs: &Costs, expected: &Value, check: fn(u64, &Value) -> Checked) -> Checked {
    for (id, tokens) in costs {
        check(*tokens, expected).map_err(|came| format!("{id}: {came}"))?;
    }
    Ok(())
}

fn by_id(seen: &Seen, expected: &Value, check: fn(u64, &Value) -> Checked) -> Checked {
    let costs = costs(seen)?;
    for (id, limit) in expected.as_object().into_iter().flatten() {
        let found = costs.iter().find(|(other, _)| other == id);
        let (_, tokens) = found.ok_or_else(|| nothing(&format!("{id} was not counted")))?;
        check(*tokens, limit).map_err(|came| format!("{id}: {came}"))?;
    }
    Ok(())
}

/// Whether the counts are the same with everything that is generated a tenth as long.
fn independent_of_size(seen: &Seen, expected: &Value) -> Checked {
    let shorter = seen.shorter_costs.as_deref();
    let shorter = shorter.ok_or_else(|| nothing("nothing in the input is generated"))?;
    equal(costs(seen)? == shorter, expected)
}
