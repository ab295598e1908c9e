//! The peers that are written in Rust, and ours, on the same conversation.
//!
//! `peers cut DATA` and `peers store DATA FOLDER DURABILITY` print a line of JSON for each figure.

mod data;
mod line;
mod ours;
mod rig;
mod store;

use std::path::Path;

use serde_json::json;

use crate::data::Conversation;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["cut", data] => cut(&Conversation::read(data)),
        ["store", data, folder, durability] => {
            store::measure(&Conversation::read(data), Path::new(folder), durability);
        }
        _ => panic!("peers cut DATA | peers store DATA FOLDER NORMAL or FULL"),
    }
}

fn cut(conversation: &Conversation) {
    let events = conversation.events();
    let tokens = events.iter().filter_map(|event| event.tokens.as_ref());
    let tokens: Vec<u64> = tokens.map(|count| count.tokens).collect();
    let room = conversation.budget * tokens.len() as u64 / tokens.iter().sum::<u64>();
    assert_eq!(room, conversation.window as u64, "`WINDOW` of data.py");
    println!("{}", json!({"table": "tokens", "tokens": tokens}));
    ours::measure(conversation, &events);
    drop(events);
    rig::measure(conversation);
}
