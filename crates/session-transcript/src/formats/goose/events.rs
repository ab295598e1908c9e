//! From messages to events. Nothing is removed when goose compacts: each message says who sees it.

use session_log::{Message, Origin, Part, Role, Seq, Shape};

use crate::format::Format;
use crate::formats::goose::content::{self, What};
use crate::formats::log::{Compaction, Log, Spot};
use crate::formats::parts::fields_but;
use crate::json::{Members, Raw};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::Conversation;

/// The conversation of messages; `about` is the session they belong to.
pub(super) fn conversation(
    messages: &[Placed<'_>],
    about: &Members<'_>,
    context: &mut Context<'_>,
) -> Conversation {
    let id = about.peek_str("id");
    let texts = messages.iter().map(|message| message.raw.text());
    let mut fold = Fold {
        log: Log::new(Format::Goose, id.as_deref(), texts, context),
        hidden: Vec::new(),
    };
    for (at, value) in messages.iter().enumerate() {
        let members = value.raw.members().unwrap_or_default();
        if !members.has("role") {
            context.skip(value.line, value.bytes.clone(), "a message without a role");
            continue;
        }
        let spot = Spot::of(value, at)
            .named(members.peek_str("id"))
            .at(members.peek("created"));
        fold.message(&spot, value.raw, &members);
    }
    if let Some(last) = messages.last() {
        let spot = Spot::of(last, messages.len()).named(Some("hidden"));
        fold.log.hide(&spot, &fold.hidden);
    }
    let fields = fields_but(about, &["id", "conversation"]);
    let mut conversation = fold.log.into_conversation(fields, context);
    let title = ["name", "description"];
    let title = title.iter().find_map(|name| about.peek_str(name));
    conversation.title = title.filter(|title| !title.is_empty()).map(Into::into);
    let config = about.peek("model_config");
    let model = config.and_then(|config| config.member_str("model_name"));
    conversation.model = model.map(Into::into);
    conversation
}

struct Fold {
    log: Log,
    /// Messages that the model does not see any more, since the last boundary.
    hidden: Vec<Seq>,
}

impl Fold {
    fn message(&mut self, spot: &Spot<'_>, raw: Raw<'_>, members: &Members<'_>) {
        let metadata = members.peek("metadata");
        let is_seen_by = |name: &str| {
            let flag = metadata.and_then(|metadata| metadata.member(name));
            flag.and_then(Raw::as_bool) != Some(false)
        };
        let (is_for_model, is_for_user) = (is_seen_by("agentVisible"), is_seen_by("userVisible"));
        let said = said(members);
        if said.is_empty() || (!is_for_model && !is_for_user) {
            return self.log.aside(spot, raw);
        }
        // What only the model sees behind messages that it does not see any more is their summary.
        if is_for_model && !is_for_user && !self.hidden.is_empty() {
            let compaction = Compaction {
                only: Some(self.hidden.drain(..).collect()),
                summary: said,
                ..Compaction::default()
            };
            let beside = metadata.map_or_else(session_log::Json::null, Raw::to_json);
            self.log.compaction(spot, compaction, beside);
            return;
        }
        let origin = match is_for_user {
            true => Origin::Real,
            false => Origin::Injected,
        };
        for (number, message) in said.into_iter().enumerate() {
            let spot = match number {
                0 => spot.clone(),
                number => spot.with(&format!("/{number}")),
            };
            let seq = self.log.message(&spot, message, origin.clone());
            self.hidden.extend(seq.filter(|_| !is_for_model));
        }
    }
}

/// The results in a message, and what else is said in it.
fn said(members: &Members<'_>) -> Vec<Message> {
    let role = Role::from_name(&members.peek_str("role").unwrap_or_default());
    let parts = members.peek("content").and_then(Raw::items);
    let (mut results, mut rest) = (Vec::new(), Vec::new());
    for raw in parts.unwrap_or_default() {
        match content::read(raw) {
            What::Said(part) => rest.push(part),
            What::Result(result) => results.push(Part::ToolResult(result)),
            What::Silent => {}
        }
    }
    let mut messages = Vec::new();
    if !results.is_empty() {
        messages.push(Message::new(Role::Tool, results));
    }
    if !rest.is_empty() {
        messages.push(Message::new(role, rest).with_shape(Shape::Parts));
    }
    if let Some(first) = messages.first_mut() {
        first.extra = fields_but(members, &["id", "role", "created", "content"]);
    }
    messages
}
