//! Case files: one case a line.

use serde_json::Value;

use crate::case::Case;
use crate::json::Malformed;

/// A line of a case file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The case's name; the number of the line where it has none.
    pub id: String,
    /// The case, or why the line is none.
    pub case: Result<Box<Case>, Malformed>,
}

/// The cases of a file, in its order. Blank lines are passed over; a line that is no case is an
/// entry with the reason.
#[must_use]
pub fn entries(text: &str) -> Vec<Entry> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.split('\n').enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| entry(line, index.saturating_add(1)))
        .collect()
}

fn entry(line: &str, number: usize) -> Entry {
    let value: Value = match serde_json::from_str(line) {
        Ok(value) => value,
        Err(error) => {
            let reason = format!("line {number} is not JSON: {error}");
            return Entry {
                id: format!("line-{number}"),
                case: Err(Malformed { reason }),
            };
        }
    };
    let named = value.get("id").and_then(Value::as_str);
    Entry {
        id: named.map_or_else(|| format!("line-{number}"), str::to_owned),
        case: Case::of(&value).map(Box::new),
    }
}
