//! Files of other tools, and files that are damaged.

use serde_json::Value;

use crate::case::{Action, Case, Records};
use crate::seen::Seen;
use crate::world::{Runs, Setting, World};

/// Reads a file, or the input written as one, and does what comes then.
pub(super) fn import(
    case: &Case,
    setting: &Setting,
    format: &str,
    file: Option<&[u8]>,
    then: &[Action],
) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    match file {
        Some(bytes) => world.import(bytes, Some(format))?,
        None => world.import(&as_file(&case.input), Some(format))?,
    }
    world.look()?;
    if !then.is_empty() {
        world.act_all(then)?;
    }
    world.seen()
}

/// Reads a file of messages, one a line, of whatever format it looks like.
pub(super) fn jsonl(case: &Case, setting: &Setting, file: &[u8], then: &[Action]) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    world.import(file, None)?;
    world.look()?;
    if !then.is_empty() {
        world.act_all(then)?;
    }
    world.seen()
}

/// The input as an array of messages, each with its id beside what it says.
fn as_file(records: &Records) -> Vec<u8> {
    let with_id = |record: &crate::case::Record| {
        let mut message = record.json.clone();
        if let Value::Object(fields) = &mut message {
            fields.insert(crate::world::ID.into(), record.id.as_str().into());
        }
        message
    };
    let messages: Vec<Value> = records.all.iter().map(with_id).collect();
    Value::Array(messages).to_string().into_bytes()
}
