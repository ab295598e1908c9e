//! A conversation of ours as rig's messages: what its agents accept as a history.

use rig_core::message::{
    self as rig, AssistantContent, AssistantMessage, CallId, LocalCallId, ProviderCallId,
    ToolFunction, ToolName, ToolResultContent, UserContent,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use session_log::{Json, Message, Opaque, Part, Reasoning, Role, Text, ToolCall, ToolResult};
use session_transcript::{Item, Repair, repaired};

use crate::error::TypedError;
use crate::fields::{self, FORMAT, FUNCTION, JSON, LOCAL, field, with_rest};
use crate::media;

/// A conversation as rig takes it, and what it takes nothing of.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct History {
    /// The messages, each call with its result in the message behind it, as
    /// [`validate_canonical`](rig_core::transcript::validate_canonical) wants them.
    pub messages: Vec<rig::Message>,
    /// What was left out, a clause each.
    pub warnings: Vec<String>,
}

/// A conversation as messages of rig, to be sent: repaired as
/// [`repaired`](session_transcript::repaired) does, so that every call has its result.
///
/// ```
/// use session_log::{Message, ToolCall};
///
/// let talk = [
///     Message::user("Is it warm?"),
///     Message::tool_calls([ToolCall::new("k1", "weather", "{}")]),
///     Message::tool_result("k1", "21 degrees"), // the tool's name is the call's
///     Message::assistant("It is."),
/// ];
/// let messages = session_rig::messages(&talk)?;
/// rig_core::transcript::validate_canonical(&messages)?;
/// assert_eq!(messages.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`TypedError::NoCounterpart`] for the first thing that rig cannot say, such as a sound in an
/// answer or a file of a type it does not know.
pub fn messages<'a, I>(items: I) -> Result<Vec<rig::Message>, TypedError>
where
    I: IntoIterator,
    I::Item: Into<Item<'a>>,
{
    let (talk, _) = repaired(items, Repair::Everything);
    let written = Writer::write(&talk);
    match written.lost.into_iter().next() {
        Some(what) => Err(TypedError::NoCounterpart { what }),
        None => Ok(written.messages),
    }
}

/// As [`messages`], and what rig cannot say is left out and told. It never fails, so one odd part
/// of an old message does not make a whole session unusable.
///
/// ```
/// use session_log::{Media, MediaKind, MediaSource, Message, Part, Role};
///
/// let mut file = Media::new(MediaKind::File, MediaSource::Url("https://example.org/a".into()));
/// file.media_type = Some("application/zip".into());
/// let message = Message::new(Role::User, vec![Part::text("Look:"), Part::Media(file)]);
///
/// let history = session_rig::history([&message]);
/// assert_eq!(history.messages.len(), 1);
/// assert_eq!(history.warnings, ["left out: a file of the type application/zip"]);
/// ```
#[must_use]
pub fn history<'a, I>(items: I) -> History
where
    I: IntoIterator,
    I::Item: Into<Item<'a>>,
{
    let (talk, repairs) = repaired(items, Repair::Everything);
    let written = Writer::write(&talk);
    let mut warnings: Vec<String> = repairs.iter().map(ToString::to_string).collect();
    warnings.extend(written.lost.iter().map(|what| format!("left out: {what}")));
    History {
        messages: written.messages,
        warnings,
    }
}

/// A call of the newest answer, until its result comes.
struct Waiting {
    id: String,
    call: CallId,
    name: ToolName,
}

#[derive(Default)]
struct Writer {
    messages: Vec<rig::Message>,
    lost: Vec<String>,
    waiting: Vec<Waiting>,
    /// How many calls got an id here.
    issued: u64,
}

impl Writer {
    fn write(talk: &[Message]) -> Self {
        let mut writer = Self::default();
        for message in talk {
            match &message.role {
                Role::System | Role::Developer => writer.system(message),
                Role::User | Role::Tool => writer.user(message),
                Role::Assistant => writer.assistant(message),
                other => writer.lost.push(format!("a message of the role {other}")),
            }
        }
        writer
    }

    fn system(&mut self, message: &Message) {
        for part in message.parts.iter().filter(|part| part.as_text().is_none()) {
            self.lose(part, "a system message");
        }
        let content = message.text().into_owned();
        self.messages.push(rig::Message::System { content });
    }

    fn user(&mut self, message: &Message) {
        let mut content = Vec::new();
        for part in &message.parts {
            let said = match part {
                Part::Text(text) => fields::text(text),
                Part::ToolResult(result) => {
                    content.extend(self.result(result));
                    continue;
                }
                Part::Media(media) => media::part(media),
                Part::Opaque(opaque) => own(opaque),
                _ => None,
            };
            match said {
                Some(said) => content.push(said),
                None => self.lose(part, "a user's message"),
            }
        }
        if content.is_empty() {
            return;
        }
        // Rig wants all results of an answer in the one message behind it.
        match self.messages.last_mut() {
            Some(rig::Message::User { content: last })
                if has_results(last) && has_results(&content) =>
            {
                last.append(&mut content);
            }
            _ => self.messages.push(rig::Message::User { content }),
        }
    }

    fn assistant(&mut self, message: &Message) {
        let goes_on = matches!(self.messages.last(), Some(rig::Message::Assistant(_)));
        if !goes_on {
            self.waiting.clear();
        }
        let mut content = Vec::new();
        for part in &message.parts {
            let said = match part {
                Part::Text(text) | Part::Refusal(text) => fields::text(text),
                Part::Reasoning(thought) => reasoning(thought),
                Part::ToolCall(call) => self.call(call),
                Part::Media(media) => media::part(media),
                Part::Opaque(opaque) => own(opaque),
                Part::ToolResult(_) => None,
                _ => None,
            };
            match said {
                Some(said) => content.push(said),
                None => self.lose(part, "an answer"),
            }
        }
        if content.is_empty() {
            return;
        }
        let turn = AssistantMessage::new(content)
            .with_origin(field::<rig::Origin>(&message.extra, "origin"))
            .with_stop(field::<rig::StopReason>(&message.extra, "stop"));
        // Nor may two answers follow each other.
        match self.messages.last_mut() {
            Some(rig::Message::Assistant(last)) => {
                if last.origin != turn.origin {
                    last.origin = None;
                }
                last.stop = turn.stop;
                last.content.extend(turn.content);
            }
            _ => self.messages.push(rig::Message::Assistant(turn)),
        }
    }

    fn call(&mut self, call: &ToolCall) -> Option<AssistantContent> {
        let name = ToolName::new(&call.name).ok()?;
        let id = self.call_id(call)?;
        let mut fields = Map::new();
        fields.insert("type".into(), "toolcall".into());
        fields.insert("id".into(), serde_json::to_value(&id).ok()?);
        let function = field(&call.extra, FUNCTION)
            .unwrap_or_else(|| ToolFunction::parse(name.clone(), call.arguments.as_str()));
        fields.insert("function".into(), serde_json::to_value(function).ok()?);
        let block = with_rest(fields, &call.extra)?;
        self.waiting.push(Waiting {
            id: call.id.clone(),
            call: id,
            name,
        });
        Some(block)
    }

    /// The id of a call: as it is, or one of ours where it has none or one that waits already.
    fn call_id(&mut self, call: &ToolCall) -> Option<CallId> {
        let as_it_is = if call.extra.contains_key(LOCAL) {
            local(&call.id).or_else(|| provider(&call.id))
        } else {
            provider(&call.id)
        };
        let is_free = |id: &CallId| self.waiting.iter().all(|other| other.call != *id);
        if let Some(id) = as_it_is.filter(is_free) {
            return Some(id);
        }
        self.issued += 1;
        local(&format!("00000000-0000-4000-8000-{:012x}", self.issued))
    }

    fn result(&mut self, result: &ToolResult) -> Option<UserContent> {
        let at = self
            .waiting
            .iter()
            .position(|waiting| waiting.id == result.call_id);
        let Some(at) = at else {
            self.lost.push("a result whose call was left out".into());
            return None;
        };
        let Waiting { call, name, .. } = self.waiting.remove(at);
        let mut content = Vec::new();
        for part in &result.parts {
            let said = match part {
                Part::Text(text) => result_text(text),
                Part::Media(media) => media::part(media),
                Part::Opaque(opaque) => own(opaque),
                _ => None,
            };
            match said {
                Some(said) => content.push(said),
                None => self.lose(part, "a tool's result"),
            }
        }
        if content.is_empty() && !result.parts.is_empty() {
            content.push(ToolResultContent::text("[no text content]"));
        }
        let named = result.name.as_deref().map(ToolName::new);
        Some(UserContent::ToolResult(rig::ToolResult {
            call,
            name: named.and_then(Result::ok).unwrap_or(name),
            content,
            is_error: result.is_error.unwrap_or(false),
        }))
    }

    fn lose(&mut self, part: &Part, place: &str) {
        self.lost.push(match part {
            Part::Media(media) => match &media.media_type {
                Some(name) => format!("a file of the type {name}"),
                None => format!("{} in {place}", media.kind.as_str()),
            },
            Part::Opaque(opaque) => format!("a part of the format {} in {place}", opaque.format),
            other => format!("{} in {place}", other.kind_name()),
        });
    }
}

fn has_results(content: &[UserContent]) -> bool {
    content
        .iter()
        .any(|part| matches!(part, UserContent::ToolResult(_)))
}

/// A signature or an encrypted form that rig has not brought itself stays behind: rig sends a
/// provider's item back only to the model it came from, and that is not known here.
fn reasoning(thought: &Reasoning) -> Option<AssistantContent> {
    let text = thought.text.as_deref().unwrap_or_default();
    let mut fields = Map::new();
    fields.insert("type".into(), "reasoning".into());
    fields.insert("text".into(), text.into());
    if thought.text.is_none() {
        fields.insert("redacted".into(), true.into());
    }
    with_rest(fields, &thought.extra)
}

fn result_text(text: &Text) -> Option<ToolResultContent> {
    if text.extra.contains_key(JSON)
        && let Ok(value) = serde_json::from_str::<Value>(&text.text)
    {
        return Some(ToolResultContent::Json { value });
    }
    fields::text(text)
}

/// A part that rig wrote.
fn own<T: DeserializeOwned>(opaque: &Opaque) -> Option<T> {
    if opaque.format != FORMAT {
        return None;
    }
    let value = Json::to_value(&opaque.json).ok()?;
    serde_json::from_value(value).ok()
}

fn provider(id: &str) -> Option<CallId> {
    ProviderCallId::new(id).map(CallId::Provider)
}

fn local(id: &str) -> Option<CallId> {
    serde_json::from_value::<LocalCallId>(id.into())
        .ok()
        .map(CallId::Local)
}
