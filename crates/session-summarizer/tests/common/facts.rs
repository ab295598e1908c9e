//! Facts that were planted in conversations, and which of them survive in a text.

use std::collections::BTreeMap;

use serde_json::Value;
use session_log::{Message, ToolCall};

/// A conversation with facts in it.
pub(crate) struct Planted {
    pub(crate) name: &'static str,
    pub(crate) talk: Vec<Message>,
    pub(crate) facts: Vec<Fact>,
}

/// Something that a summary should keep.
pub(crate) struct Fact {
    pub(crate) id: String,
    /// What it is: a path, an id, a number, a command, a decision, a name.
    pub(crate) kind: String,
    /// It survives in a line that has one of the words of each list.
    words: Vec<Vec<String>>,
}

impl Fact {
    pub(crate) fn survives(&self, text: &str) -> bool {
        text.lines().map(str::to_lowercase).any(|line| {
            let has = |words: &Vec<String>| words.iter().any(|word| line.contains(word));
            self.words.iter().all(has)
        })
    }
}

/// The conversations with their facts.
pub(crate) fn planted() -> [Planted; 2] {
    let planted = read(include_str!("../data/planted.json"));
    let halyard = read(include_str!("../data/halyard.json"));
    let facts = |name: &str| list(&planted[name]["facts"]).map(fact).collect();
    [
        Planted {
            name: "halyard",
            talk: list(&halyard).map(plain).collect(),
            facts: facts("halyard"),
        },
        Planted {
            name: "depot",
            talk: with_calls(&planted["depot"]["messages"]),
            facts: facts("depot"),
        },
    ]
}

/// How many facts of each kind survive, of how many; and of all together.
pub(crate) fn column(facts: &[Fact], text: &str) -> BTreeMap<String, (usize, usize)> {
    let mut column: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for fact in facts {
        for kind in [fact.kind.as_str(), "~all"] {
            let (kept, of) = column.entry(kind.to_owned()).or_default();
            *kept += usize::from(fact.survives(text));
            *of += 1;
        }
    }
    column
}

/// The same as cells of a table, all together last.
pub(crate) fn cells(facts: &[Fact], text: &str) -> String {
    let cell = |(kept, of): &(usize, usize)| format!("{kept}/{of}");
    let cells: Vec<String> = column(facts, text).values().map(cell).collect();
    cells.join(" | ")
}

/// The kinds as cells of a heading.
pub(crate) fn heading(facts: &[Fact]) -> String {
    let kinds: Vec<String> = column(facts, "").into_keys().collect();
    kinds.join(" | ").replace('~', "")
}

fn fact(record: &Value) -> Fact {
    let words = |list: &Value| -> Vec<String> { self::list(list).map(text).collect() };
    Fact {
        id: text(&record["id"]),
        kind: text(&record["kind"]),
        words: list(&record["words"]).map(words).collect(),
    }
}

fn plain(record: &Value) -> Message {
    match record["role"].as_str() {
        Some("user") => Message::user(text(&record["content"])),
        _ => Message::assistant(text(&record["content"])),
    }
}

fn with_calls(records: &Value) -> Vec<Message> {
    let mut calls = 0;
    let mut message = |record: &Value| {
        if let Some(said) = record["user"].as_str() {
            return Message::user(said);
        }
        if let Some(said) = record["assistant"].as_str() {
            return Message::assistant(said);
        }
        if let Some(said) = record["result"].as_str() {
            return Message::tool_result(format!("k{calls}"), said);
        }
        calls += 1;
        let arguments = record["arguments"].to_string();
        Message::tool_calls([ToolCall::new(
            format!("k{calls}"),
            text(&record["call"]),
            arguments,
        )])
    };
    list(records).map(&mut message).collect()
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
