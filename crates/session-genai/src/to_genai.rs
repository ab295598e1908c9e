//! A conversation of ours as genai's messages.

use genai::chat::{
    ChatMessage, ChatRole, ContentPart, MessageContent, MessageOptions, ToolResponse,
};
use serde_json::Value;
use session_log::{Message, Part, Reasoning, Role, ToolCall, ToolResult};
use session_transcript::{Item, Repair, repaired};

use crate::error::TypedError;
use crate::from_genai::{SIGNATURES, custom_of};
use crate::media;

/// A conversation as genai takes it, and what it takes nothing of.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct History {
    /// The messages, each call with its result behind it.
    pub messages: Vec<ChatMessage>,
    /// What was left out, a clause each.
    pub warnings: Vec<String>,
}

/// A conversation as messages of a request: repaired as
/// [`repaired`](session_transcript::repaired) does, so that every call has its result.
///
/// ```
/// use genai::chat::{ChatRequest, ChatRole};
/// use session_log::{Message, ToolCall};
///
/// let talk = [
///     Message::user("Is it warm?"),
///     Message::tool_calls([ToolCall::new("k1", "weather", "{}")]),
///     Message::tool_result("k1", "21 degrees"),
/// ];
/// let request = ChatRequest::new(session_genai::messages(&talk)?);
/// assert_eq!(request.messages[2].role, ChatRole::Tool);
/// # Ok::<(), session_genai::TypedError>(())
/// ```
///
/// # Errors
///
/// [`TypedError::NoCounterpart`] for the first thing that genai cannot say, such as a file that
/// lies at the provider, or an image in a tool's result.
pub fn messages<'a, I>(items: I) -> Result<Vec<ChatMessage>, TypedError>
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

/// As [`messages`], and what genai cannot say is left out and told. It never fails.
///
/// ```
/// use session_log::{Media, MediaKind, MediaSource, Message, Part, Role};
///
/// let file = Media::new(MediaKind::File, MediaSource::FileId("file-7".into()));
/// let message = Message::new(Role::User, vec![Part::text("Look:"), Part::Media(file)]);
///
/// let history = session_genai::history([&message]);
/// assert_eq!(history.messages.len(), 1);
/// assert_eq!(history.warnings, ["left out: a file by its provider's id or as text"]);
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

#[derive(Default)]
struct Writer {
    messages: Vec<ChatMessage>,
    lost: Vec<String>,
}

impl Writer {
    fn write(talk: &[Message]) -> Self {
        let mut writer = Self::default();
        for message in talk {
            match &message.role {
                Role::System | Role::Developer => writer.message(message, ChatRole::System),
                Role::User => writer.message(message, ChatRole::User),
                Role::Assistant => writer.message(message, ChatRole::Assistant),
                Role::Tool => writer.message(message, ChatRole::Tool),
                other => writer.lost.push(format!("a message of the role {other}")),
            }
        }
        writer
    }

    fn message(&mut self, message: &Message, role: ChatRole) {
        let mut results = Vec::new();
        let mut parts = Vec::new();
        for part in &message.parts {
            match part {
                Part::Text(text) | Part::Refusal(text) => {
                    parts.push(ContentPart::Text(text.text.clone()));
                }
                Part::Reasoning(thought) => parts.extend(reasoning(thought)),
                Part::ToolCall(made) => parts.push(ContentPart::ToolCall(call(made))),
                Part::ToolResult(found) => {
                    let response = ContentPart::ToolResponse(self.result(found));
                    // Results have a role of their own, also where others let a user bring them.
                    if role == ChatRole::Tool {
                        parts.push(response);
                    } else {
                        results.push(response);
                    }
                }
                Part::Media(media) => match media::binary(media) {
                    Some(binary) => parts.push(ContentPart::Binary(binary)),
                    None => self
                        .lost
                        .push("a file by its provider's id or as text".into()),
                },
                Part::Opaque(opaque) => match custom_of(opaque) {
                    Some(custom) => parts.push(ContentPart::Custom(custom)),
                    None => self
                        .lost
                        .push(format!("a part of the format {}", opaque.format)),
                },
                other => self.lost.push(other.kind_name().into()),
            }
        }
        if !results.is_empty() {
            self.push(ChatRole::Tool, results, message);
        }
        if !parts.is_empty() {
            self.push(role, parts, message);
        }
    }

    fn push(&mut self, role: ChatRole, parts: Vec<ContentPart>, message: &Message) {
        let mut said = ChatMessage::new(role, MessageContent::from_parts(parts));
        said.options = message
            .extra
            .get("options")
            .and_then(|json| serde_json::from_value::<MessageOptions>(json.to_value().ok()?).ok());
        self.messages.push(said);
    }

    fn result(&mut self, found: &ToolResult) -> ToolResponse {
        let mut texts = Vec::new();
        for part in &found.parts {
            match part.as_text() {
                Some(text) => texts.push(text),
                None => self
                    .lost
                    .push(format!("{} in a tool's result", part.kind_name())),
            }
        }
        let mut response = ToolResponse::new(&found.call_id, texts.join("\n"));
        response.fn_name = found.name.clone();
        response
    }
}

/// The signature or encrypted form in front of the text it is over, as genai writes them.
fn reasoning(thought: &Reasoning) -> impl Iterator<Item = ContentPart> {
    let signature = thought.signature.as_ref().or(thought.encrypted.as_ref());
    let signature = signature.cloned().map(ContentPart::ThoughtSignature);
    let text = thought.text.clone().map(ContentPart::ReasoningContent);
    signature.into_iter().chain(text)
}

fn call(made: &ToolCall) -> genai::chat::ToolCall {
    let text = made.arguments.as_str();
    let arguments = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(_) if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
        Err(_) => Value::String(text.into()),
    };
    let signatures = made.extra.get(SIGNATURES);
    genai::chat::ToolCall {
        call_id: made.id.clone(),
        fn_name: made.name.clone(),
        fn_arguments: arguments,
        thought_signatures: signatures
            .and_then(|json| serde_json::from_value(json.to_value().ok()?).ok()),
    }
}
