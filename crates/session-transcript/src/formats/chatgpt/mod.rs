//! Exports of ChatGPT: each conversation a tree of nodes, of which one path is shown.

mod content;
mod events;
mod tree;

use crate::format::Format;
use crate::formats::{self, Head};
use crate::json::{Kind, Raw};
use crate::read::Context;
use crate::source::{Form, Record, Scan};
use crate::transcript::Conversation;

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::ChatGpt
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        is_conversation(*head.values.first()?)
            .then(|| "conversations with a mapping of nodes".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let mut conversations = Vec::new();
        let mut strangers = Vec::new();
        for record in &scan.records {
            for raw in values(scan.form, record) {
                if is_conversation(raw) {
                    conversations.push(events::conversation(record, raw, context));
                } else {
                    strangers.push(record.place_of(raw));
                }
            }
        }
        if !conversations.is_empty() {
            for (line, bytes) in strangers {
                context.skip(line, bytes, "no conversation with a mapping of nodes");
            }
        }
        conversations
    }

    fn can_write(&self) -> bool {
        false
    }
}

fn values<'r>(form: Form, record: &'r Record<'_>) -> Vec<Raw<'r>> {
    let raw = record.raw();
    match form {
        Form::Document => raw.items().unwrap_or_else(|| vec![raw]),
        Form::Lines | Form::BrokenArray => vec![raw],
    }
}

/// Nodes have a parent or a message; a mapping of anything else is not ours.
fn is_conversation(raw: Raw<'_>) -> bool {
    let Some(mapping) = raw.find("mapping").filter(|raw| raw.kind() == Kind::Object) else {
        return false;
    };
    let mapping = mapping.members().unwrap_or_default();
    let mut nodes = mapping.iter().map(|(_, node)| node);
    nodes.next().is_none_or(|first| {
        let is_node =
            |node: Raw<'_>| node.find("parent").is_some() || node.find("message").is_some();
        is_node(first) || nodes.any(is_node)
    })
}
