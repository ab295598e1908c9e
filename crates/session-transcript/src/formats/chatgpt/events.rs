//! From nodes to events.

use std::collections::{BTreeMap, BTreeSet};

use session_log::{
    EventBody, EventId, EventType, Message, NewEvent, Origin, Part, Role, Timestamp, ToolCall,
    ToolResult,
};

use crate::envelope::Envelope;
use crate::format::Format;
use crate::formats::chatgpt::content::{self, Content};
use crate::formats::chatgpt::tree::{self, Node};
use crate::formats::claude_code::LINE_EVENT;
use crate::ids::{digest, event_id};
use crate::json::{Members, Raw};
use crate::note::Note;
use crate::read::Context;
use crate::source::Record;
use crate::time;
use crate::transcript::{Conversation, Warning};

/// The conversation in a value with a mapping.
pub(super) fn conversation(
    record: &Record<'_>,
    raw: Raw<'_>,
    context: &mut Context<'_>,
) -> Conversation {
    let mut about = raw.members().unwrap_or_default();
    let (line, _) = record.place_of(raw);
    let nodes = match about.take("mapping") {
        Some(mapping) => tree::nodes(record, mapping, context),
        None => Vec::new(),
    };
    let current = about.peek_str("current_node");
    let path = tree::live_path(&nodes, current.as_deref(), line, context);
    let id = ["conversation_id", "id"]
        .iter()
        .find_map(|name| about.peek_str(name));
    let id = match id {
        Some(id) => context.names.name(&id),
        None => {
            let all = digest(nodes.iter().map(|node| node.raw.text()));
            context.names.name(&format!("{}-{all}", Format::ChatGpt))
        }
    };
    let mut fold = Fold {
        id: id.clone(),
        default_time: context.options.default_time,
        nodes: &nodes,
        events: Vec::new(),
        open: Vec::new(),
        unknown: BTreeMap::new(),
    };
    fold.all(&path);
    let Fold {
        events, unknown, ..
    } = fold;
    for (line, what) in unknown {
        context.report.warn(Warning::line(line, what));
    }
    tell_of_branches(&nodes, &path, line, context);
    let model = path.iter().rev().find_map(|at| {
        let metadata = nodes.get(*at)?.message.as_ref()?.peek("metadata")?;
        metadata.member_str("model_slug").map(Into::into)
    });
    let mut envelope = Envelope::new(Format::ChatGpt);
    let title = about.peek_str("title").map(Into::into);
    let asked = about.peek_str("default_model_slug").map(Into::into);
    envelope.fields = about.into_fields();
    Conversation {
        id,
        title,
        model: model.or(asked),
        parent: None,
        tools: None,
        envelope,
        events,
    }
}

fn tell_of_branches(nodes: &[Node<'_>], path: &[usize], line: u64, context: &mut Context<'_>) {
    let live: BTreeSet<&usize> = path.iter().collect();
    let left = nodes
        .iter()
        .enumerate()
        .filter(|(at, node)| node.message.is_some() && !live.contains(at))
        .count();
    if left > 0 {
        let what =
            format!("{left} message(s) of given-up branches are kept beside the conversation");
        context.report.warn(Warning::line(line, what));
    }
}

/// A call that has no result yet.
struct Open {
    id: String,
    name: String,
}

struct Fold<'n, 'a> {
    id: String,
    default_time: Timestamp,
    nodes: &'n [Node<'a>],
    events: Vec<NewEvent>,
    open: Vec<Open>,
    /// What was met that is not known, by line.
    unknown: BTreeMap<u64, String>,
}

impl Fold<'_, '_> {
    /// The live path; what is beside it comes where it stands in the file.
    fn all(&mut self, path: &[usize]) {
        let live: BTreeSet<usize> = path.iter().copied().collect();
        let mut aside: Vec<usize> = (0..self.nodes.len())
            .filter(|at| !live.contains(at))
            .collect();
        aside.reverse();
        for at in path {
            while let Some(aside) = aside.pop_if(|aside| *aside < *at) {
                self.aside(aside);
            }
            self.node(*at);
        }
        while let Some(aside) = aside.pop() {
            self.aside(aside);
        }
    }

    fn node(&mut self, at: usize) {
        let Some(node) = self.nodes.get(at) else {
            return;
        };
        let Some(members) = &node.message else {
            return;
        };
        let Some((message, origin)) = self.message(node, members) else {
            return self.aside(at);
        };
        let Some(id) = event_id(&self.id, &node.id) else {
            return;
        };
        self.push(at, node, id, EventBody::Message(message), origin);
    }

    /// A node that is no message of the conversation. The root often is nothing at all.
    fn aside(&mut self, at: usize) {
        let Some(node) = self.nodes.get(at).filter(|node| node.message.is_some()) else {
            return;
        };
        let id = event_id(&self.id, &format!("node/{}", node.id));
        let (Some(id), Ok(event_type)) = (id, EventType::new(LINE_EVENT)) else {
            return;
        };
        let body = EventBody::Custom {
            event_type,
            payload: node.raw.to_json(),
        };
        self.push(at, node, id, body, Origin::Real);
    }

    fn push(&mut self, at: usize, node: &Node<'_>, id: EventId, body: EventBody, origin: Origin) {
        let record = u64::try_from(at).unwrap_or(u64::MAX).saturating_add(1);
        let mut note = Note::new(Format::ChatGpt, node.line, node.bytes.clone(), record);
        let written = node
            .message
            .as_ref()
            .and_then(|raw| raw.peek("create_time"));
        let moment = written.and_then(|raw| {
            let moment = time::parse(raw)?;
            note.time = Some(raw.to_json());
            Some(moment)
        });
        let event = NewEvent::new(id, moment.unwrap_or(self.default_time), body);
        self.events.push(note.on(event.with_origin(origin)));
    }

    /// The message of a node; `None` when no model reads it.
    fn message(&mut self, node: &Node<'_>, members: &Members<'_>) -> Option<(Message, Origin)> {
        let author = members.peek("author");
        let role = author.and_then(|author| author.member_str("role"));
        let role = Role::from_name(role.as_deref().unwrap_or("user"));
        let name = author
            .and_then(|author| author.member_str("name"))
            .map(String::from);
        let is_hidden = is_hidden(members);
        let (parts, is_given) = match members
            .peek("content")
            .map_or_else(|| Content::Said(Vec::new()), content::read)
        {
            Content::Said(parts) => (parts, false),
            Content::Given(parts) => (parts, true),
            Content::Shown => return None,
            Content::Unknown(part) => {
                let what = "content of an unknown type is kept as it is";
                self.unknown.insert(node.line, what.into());
                (vec![part], false)
            }
        };
        if is_hidden && parts.is_empty() {
            return None;
        }
        let recipient = members.peek_str("recipient");
        let recipient = recipient.as_deref().filter(|name| *name != "all");
        let mut message = match (&role, recipient) {
            (Role::Assistant, Some(tool)) => self.call(node, tool, parts),
            (Role::Tool, _) => self.result(node, name.as_deref(), parts),
            _ => Message::new(role.clone(), parts),
        };
        if role == Role::User {
            self.open.clear();
        }
        if role != Role::Tool {
            message.name = name;
        }
        message.extra = members
            .iter()
            .filter(|(name, _)| !matches!(*name, "content" | "create_time"))
            .map(|(name, raw)| (name.to_owned(), raw.to_json()))
            .collect();
        let is_talk = matches!(role, Role::User | Role::Assistant);
        let has_call = message.calls().next().is_some();
        let origin = match is_given || (is_hidden && is_talk && !has_call) {
            true => Origin::Injected,
            false => Origin::Real,
        };
        Some((message, origin))
    }

    /// What the model says to a tool is a call. No id joins it to its result: it gets its node's.
    fn call(&mut self, node: &Node<'_>, tool: &str, parts: Vec<Part>) -> Message {
        let (texts, mut parts): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(|part| part.as_text().is_some());
        let texts: Vec<&str> = texts.iter().filter_map(Part::as_text).collect();
        if texts.is_empty() && !parts.is_empty() {
            // Thoughts on the way to a tool.
            return Message::new(Role::Assistant, parts);
        }
        self.open.push(Open {
            id: node.id.clone(),
            name: tool.into(),
        });
        parts.push(Part::ToolCall(ToolCall::new(
            node.id.as_str(),
            tool,
            texts.join("\n"),
        )));
        Message::new(Role::Assistant, parts)
    }

    /// A result answers the nearest call of its tool that has none. What comes without one keeps
    /// the id of its node.
    fn result(&mut self, node: &Node<'_>, name: Option<&str>, parts: Vec<Part>) -> Message {
        let is_of = |open: &Open| name.is_none_or(|name| is_same_tool(&open.name, name));
        let call_id = match self.open.iter().rposition(is_of) {
            Some(at) => self.open.remove(at).id,
            None => node.id.clone(),
        };
        let mut result = ToolResult::new(call_id, parts);
        result.name = name.map(Into::into);
        Message::new(Role::Tool, vec![Part::ToolResult(result)])
    }
}

/// `web` answers for `web.run`, and the other way round.
fn is_same_tool(one: &str, other: &str) -> bool {
    let family = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    one == other || family(one) == family(other)
}

fn is_hidden(members: &Members<'_>) -> bool {
    let flag = "is_visually_hidden_from_conversation";
    let metadata = members.peek("metadata").and_then(|raw| raw.member(flag));
    let weight = members
        .peek("weight")
        .and_then(|raw| raw.text().parse::<f64>().ok());
    metadata.and_then(Raw::as_bool) == Some(true) || weight.is_some_and(|weight| weight <= 0.0)
}
