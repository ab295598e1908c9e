//! Events of the first version: actions, and observations that name their cause.

use session_log::{Message, Origin, Part, ToolCall, ToolResult};

use crate::formats::openhands::entry::{self, Entry, What};
use crate::formats::parts::{arguments, fields_but};
use crate::json::{Kind, Members, Raw};

/// Actions that say nothing to the model.
const SILENT: [&str; 7] = [
    "null",
    "change_agent_state",
    "recall",
    "pause",
    "resume",
    "start",
    "condensation_request",
];

/// Observations that say nothing to the model, or that it reads in another form.
const UNSEEN: [&str; 5] = [
    "null",
    "agent_state_changed",
    "recall",
    "condense",
    "user_rejected_state",
];

pub(super) fn is_event(raw: Raw<'_>) -> bool {
    let is_text = |name: &str| raw.find(name).is_some_and(|raw| raw.kind() == Kind::String);
    let source = raw.find_str("source");
    let is_known = matches!(source.as_deref(), Some("agent" | "user" | "environment"));
    (is_text("action") || is_text("observation"))
        && (is_known || raw.find("args").is_some() || raw.find("extras").is_some())
        && raw.find("kind").is_none()
}

pub(super) fn read(raw: Raw<'_>) -> Entry {
    let members = raw.members().unwrap_or_default();
    let id = entry::id(members.peek("id"));
    let what = match (members.peek_str("action"), members.peek_str("observation")) {
        (Some(action), _) => acted(&action, &members, id.as_deref()),
        (None, Some(observation)) => Some(observed(&observation, &members)),
        (None, None) => None,
    };
    Entry {
        id,
        what: what.unwrap_or(What::Unknown),
    }
}

fn acted(action: &str, members: &Members<'_>, id: Option<&str>) -> Option<What> {
    if SILENT.contains(&action) {
        return Some(What::Silent);
    }
    let args = members.peek("args").and_then(Raw::members);
    let args = args.unwrap_or_default();
    let text = |name: &str| args.peek_str(name).map(|text| text.into_owned());
    let is_user = members.peek_str("source").as_deref() == Some("user");
    match action {
        "system" => {
            let message = Message::system(text("content")?);
            return Some(What::Said(Box::new(message), Origin::Real));
        }
        "message" => {
            let said = text("content").or_else(|| members.peek_str("message").map(Into::into))?;
            let mut message = match is_user {
                true => Message::user(said),
                false => Message::assistant(said),
            };
            message.extra = fields_but(&args, &["content"]);
            return Some(What::Said(Box::new(message), Origin::Real));
        }
        "condensation" => return Some(What::Condensed(entry::condensed(members.peek("args")?))),
        _ if is_user => return Some(What::Silent),
        _ => {}
    }
    let metadata = members.peek("tool_call_metadata").and_then(Raw::members);
    let metadata = metadata.unwrap_or_default();
    let response = metadata.peek("model_response");
    let call_id = metadata.peek_str("tool_call_id").map(|id| id.into_owned());
    let written = call_id
        .as_deref()
        .and_then(|id| response.and_then(|raw| as_written(raw, id)));
    let name = metadata.peek_str("function_name");
    let mut call = ToolCall::new(
        call_id.unwrap_or_else(|| caused_by(id)),
        name.as_deref().unwrap_or(action),
        "",
    );
    call.arguments = arguments(written.or_else(|| members.peek("args")));
    let thought = text("thought").filter(|text| !text.trim().is_empty());
    Some(What::Acts {
        response: response.and_then(|raw| raw.member_str("id").map(Into::into)),
        thought: thought.into_iter().map(Part::text).collect(),
        call: Part::ToolCall(call),
    })
}

/// The arguments of a call as the model wrote them.
fn as_written<'a>(response: Raw<'a>, id: &str) -> Option<Raw<'a>> {
    let choices = response.member("choices")?.items()?;
    let message = choices.first()?.member("message")?;
    let calls = message.member("tool_calls")?.items()?;
    let is_it = |call: &Raw<'_>| call.member_str("id").as_deref() == Some(id);
    calls
        .into_iter()
        .find(is_it)?
        .member("function")?
        .member("arguments")
}

/// The id of a call that has none of its own.
fn caused_by(id: Option<&str>) -> String {
    format!("event-{}", id.unwrap_or_default())
}

fn observed(observation: &str, members: &Members<'_>) -> What {
    let metadata = members.peek("tool_call_metadata");
    let call_id = metadata.and_then(|raw| raw.member_str("tool_call_id"));
    let cause = entry::id(members.peek("cause"));
    let id = match (call_id, cause) {
        (Some(id), _) => id.into_owned(),
        (None, Some(cause)) if cause != "0" && cause != "-1" => caused_by(Some(&cause)),
        (None, _) => return What::Silent,
    };
    if UNSEEN.contains(&observation) {
        return What::Silent;
    }
    let text = ["content", "message"]
        .iter()
        .find_map(|name| members.peek_str(name));
    let mut result = ToolResult::text(id, text.unwrap_or_default());
    let name = metadata.and_then(|raw| raw.member_str("function_name"));
    result.name = Some(name.as_deref().unwrap_or(observation).to_owned());
    result.is_error = (observation == "error").then_some(true);
    result.extra = members
        .peek("extras")
        .and_then(Raw::members)
        .map(Members::into_fields)
        .unwrap_or_default();
    What::Brought(Box::new(result))
}
