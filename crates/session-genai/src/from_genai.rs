//! Messages of genai as ours, with everything in them.

use genai::ModelIden;
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatRequest, ChatRole, ContentPart, CustomPart, ToolCall, ToolResponse,
};
use serde::Deserialize as _;
use serde_json::{Value, json};
use session_log::{Arguments, Json, Message, Opaque, Part, Reasoning, Role, Shape, ToolResult};

use crate::error::TypedError;
use crate::media::media_of;

/// The format that parts nobody else knows are kept under.
const FORMAT: &str = "genai";

/// A message of genai, to be appended or recorded.
///
/// Nothing is left behind: the options of the message and the signatures of a call are kept in the
/// extra fields, a custom part as an opaque part of the format `genai`. A signature with the
/// reasoning behind it becomes one part.
///
/// ```
/// use genai::chat::ChatMessage;
///
/// let message = session_genai::message_of(&ChatMessage::user("Is it warm?"))?;
/// assert_eq!(message, session_log::Message::user("Is it warm?"));
/// # Ok::<(), session_genai::TypedError>(())
/// ```
///
/// # Errors
///
/// [`TypedError::Unknown`] when genai cannot write a part of it as JSON.
pub fn message_of(message: &ChatMessage) -> Result<Message, TypedError> {
    let role = match message.role {
        ChatRole::System => Role::System,
        ChatRole::User => Role::User,
        ChatRole::Assistant => Role::Assistant,
        ChatRole::Tool => Role::Tool,
    };
    let mut parts: Vec<Part> = Vec::new();
    for part in message.content.parts() {
        match part {
            ContentPart::ReasoningContent(thought) => match parts.last_mut() {
                Some(Part::Reasoning(signed)) if signed.text.is_none() => {
                    signed.text = Some(thought.clone());
                }
                _ => parts.push(Part::Reasoning(Reasoning::new(thought))),
            },
            other => parts.push(part_of(other)?),
        }
    }
    let mut ours = Message::new(role, parts);
    ours.shape = shape_of(&ours);
    if let Some(options) = &message.options {
        let options = Json::from(serde_json::to_value(options)?);
        ours.extra.insert("options".into(), options);
    }
    Ok(ours)
}

/// A whole request as messages: its system prompt first, if it has one. Tools and settings are not
/// part of a conversation.
///
/// ```
/// use genai::chat::ChatRequest;
///
/// let request = ChatRequest::from_user("Is it warm?").with_system("Be brief.");
/// let talk = session_genai::conversation_of(&request)?;
/// assert_eq!(talk[0], session_log::Message::system("Be brief."));
/// # Ok::<(), session_genai::TypedError>(())
/// ```
///
/// # Errors
///
/// As [`message_of`].
pub fn conversation_of(request: &ChatRequest) -> Result<Vec<Message>, TypedError> {
    let system = request.system.iter().map(|text| Ok(Message::system(text)));
    system
        .chain(request.messages.iter().map(message_of))
        .collect()
}

/// Content as a short record writes it: one text is a string, calls alone are no content.
fn shape_of(message: &Message) -> Shape {
    let parts = message.parts.as_slice();
    match parts {
        [Part::Text(_)] => Shape::Text,
        [_, ..] if parts.iter().all(|part| matches!(part, Part::ToolCall(_))) => Shape::Null,
        _ => Shape::Parts,
    }
}

fn part_of(part: &ContentPart) -> Result<Part, TypedError> {
    Ok(match part {
        ContentPart::Text(text) => Part::text(text),
        ContentPart::Binary(binary) => Part::Media(media_of(binary)),
        ContentPart::ToolCall(made) => Part::ToolCall(call(made)?),
        ContentPart::ToolResponse(found) => Part::ToolResult(result(found)),
        ContentPart::ThoughtSignature(signature) => {
            let mut reasoning = Reasoning::default();
            reasoning.signature = Some(signature.clone());
            Part::Reasoning(reasoning)
        }
        ContentPart::ReasoningContent(thought) => Part::Reasoning(Reasoning::new(thought)),
        ContentPart::Custom(custom) => Part::Opaque(Opaque::new(FORMAT, custom_json(custom)?)),
    })
}

fn call(made: &ToolCall) -> Result<session_log::ToolCall, TypedError> {
    let mut call = session_log::ToolCall::new(&made.call_id, &made.fn_name, "");
    call.arguments = match &made.fn_arguments {
        // What a model wrote that is no JSON; text that is some was a string to begin with.
        Value::String(text) if !text.trim().is_empty() && Json::new(text.as_str()).is_err() => {
            Arguments::Text(text.clone())
        }
        value => Arguments::Value(Json::from(value.clone())),
    };
    if let Some(signatures) = &made.thought_signatures {
        let signatures = Json::from(serde_json::to_value(signatures)?);
        call.extra.insert(SIGNATURES.into(), signatures);
    }
    Ok(call)
}

/// Written by hand: genai does not read the name of a model that it wrote.
fn custom_json(custom: &CustomPart) -> Result<Json, TypedError> {
    let json = match &custom.model_iden {
        Some(model) => json!({
            "data": custom.data,
            "model_iden": {
                "adapter_kind": serde_json::to_value(model.adapter_kind)?,
                "model_name": model.model_name.as_str(),
            },
        }),
        None => json!({"data": custom.data}),
    };
    Ok(Json::from(json))
}

/// A custom part that genai wrote; `None` for what it did not.
pub(crate) fn custom_of(opaque: &Opaque) -> Option<CustomPart> {
    if opaque.format != FORMAT {
        return None;
    }
    let mut json = opaque.json.to_value().ok()?;
    let model_iden = match json.get("model_iden") {
        Some(model) => {
            let adapter = AdapterKind::deserialize(model.get("adapter_kind")?).ok()?;
            let name = model.get("model_name")?.as_str()?;
            Some(ModelIden::new(adapter, name))
        }
        None => None,
    };
    let data = json.get_mut("data")?.take();
    Some(CustomPart { model_iden, data })
}

/// The field of a call that holds the signatures over it.
pub(crate) const SIGNATURES: &str = "thought_signatures";

fn result(found: &ToolResponse) -> ToolResult {
    let mut result = ToolResult::text(&found.call_id, &found.content);
    result.name = found.fn_name.clone();
    result
}
