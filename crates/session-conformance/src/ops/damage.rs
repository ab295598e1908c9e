//! Stores that are damaged, and stores of an earlier schema.

use serde_json::json;

use super::Ran;
use crate::case::{Action, Case};
use crate::world::{Runs, Setting};

/// Damages a stored row and goes on.
pub(super) fn corrupt(
    case: &Case,
    setting: &Setting,
    row: &str,
    column: &str,
    value: Option<&str>,
    then: &[Action],
) -> Runs<Ran> {
    if !setting.store.is_durable() {
        return Ok(Ran::Skipped(no_rows(setting)));
    }
    let _ = (case, row, column, value, then, json!(null));
    Err(format!(
        "a row of a {} store cannot be damaged from here yet",
        setting.store
    ))
}

/// Opens a store that an earlier release wrote, and goes on.
pub(super) fn migrate(
    case: &Case,
    setting: &Setting,
    from_schema: &str,
    then: &[Action],
) -> Runs<Ran> {
    if !setting.store.is_durable() {
        return Ok(Ran::Skipped(no_rows(setting)));
    }
    let _ = (case, then);
    Err(format!(
        "a {} store of schema {from_schema} cannot be made from here yet",
        setting.store
    ))
}

fn no_rows(setting: &Setting) -> String {
    format!("a {} store keeps nothing between two runs", setting.store)
}
