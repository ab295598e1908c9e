//! A message of rig as one of ours, with everything in it.

use rig_core::message::{
    self as rig, AssistantContent, AssistantMessage, CallId, ToolFunction, ToolResultContent,
    UserContent,
};
use serde::Serialize;
use session_log::{
    Arguments, Json, Media, MediaKind, Message, Opaque, Part, Reasoning, Role, Shape, Text,
    ToolCall, ToolResult,
};

use crate::error::TypedError;
use crate::fields::{FORMAT, FUNCTION, JSON, LOCAL, mark, native_text, rest_of};
use crate::media::media_of;

/// A message of rig, to be appended or recorded.
///
/// Nothing is left behind: what our messages have no place for (who produced a turn, how it ended,
/// the provider's items, citations) is kept in the extra fields, and a part we do not know as an
/// opaque part of the format `rig`. Messages that hold only results get the role
/// [`Tool`](Role::Tool). Raw bytes become base64.
///
/// ```
/// use rig_core::message::Message;
///
/// let message = session_rig::message_of(&Message::user("Is it warm?"))?;
/// assert_eq!(message, session_log::Message::user("Is it warm?"));
/// # Ok::<(), session_rig::TypedError>(())
/// ```
///
/// # Errors
///
/// [`TypedError::Unknown`] when rig cannot write a part of it as JSON.
pub fn message_of(message: &rig::Message) -> Result<Message, TypedError> {
    match message {
        rig::Message::System { content } => Ok(Message::system(content)),
        rig::Message::User { content } => user(content),
        rig::Message::Assistant(turn) => assistant(turn),
    }
}

fn user(content: &[UserContent]) -> Result<Message, TypedError> {
    let parts: Vec<Part> = content.iter().map(user_part).collect::<Result<_, _>>()?;
    let mut message = Message::new(Role::User, parts);
    if message.is_only_results() {
        message.role = Role::Tool;
    }
    Ok(in_shape(message))
}

fn assistant(turn: &AssistantMessage) -> Result<Message, TypedError> {
    let parts = turn.content.iter().map(block).collect::<Result<_, _>>()?;
    let mut message = in_shape(Message::new(Role::Assistant, parts));
    message.extra = rest_of(turn, &["content"])?;
    Ok(message)
}

/// Content as a short record writes it: one text is a string, calls alone are no content.
fn in_shape(mut message: Message) -> Message {
    message.shape = match message.parts.as_slice() {
        [Part::Text(_)] => Shape::Text,
        [] => Shape::Parts,
        calls if calls.iter().all(|part| matches!(part, Part::ToolCall(_))) => Shape::Null,
        _ => Shape::Parts,
    };
    message
}

fn user_part(part: &UserContent) -> Result<Part, TypedError> {
    let media = match part {
        UserContent::Text(said) => return text(said),
        UserContent::ToolResult(found) => return Ok(Part::ToolResult(result(found)?)),
        UserContent::Image(shown) => return image(shown, part),
        UserContent::Audio(audio) => media_of(
            MediaKind::Audio,
            audio,
            &audio.data,
            audio.media_type.as_ref(),
        )?,
        UserContent::Video(video) => media_of(
            MediaKind::Video,
            video,
            &video.data,
            video.media_type.as_ref(),
        )?,
        UserContent::Document(file) => {
            media_of(MediaKind::File, file, &file.data, file.media_type.as_ref())?
        }
    };
    media_or_opaque(media, part)
}

fn image(image: &rig::Image, part: &impl Serialize) -> Result<Part, TypedError> {
    let media_type = image.media_type.as_ref();
    media_or_opaque(
        media_of(MediaKind::Image, image, &image.data, media_type)?,
        part,
    )
}

/// What has no media in it stays as rig has it.
fn media_or_opaque(media: Option<Media>, part: &impl Serialize) -> Result<Part, TypedError> {
    media.map_or_else(|| opaque(part), |media| Ok(Part::Media(media)))
}

fn block(part: &AssistantContent) -> Result<Part, TypedError> {
    match part {
        AssistantContent::Text(said) => text(said),
        AssistantContent::Reasoning(thought) => {
            let mut reasoning = Reasoning::default();
            if !thought.redacted || !thought.text.is_empty() {
                reasoning.text = Some(thought.text.clone());
            }
            reasoning.signature = native_text(part, "signature");
            let encrypted = native_text(part, "encrypted_content");
            reasoning.encrypted = encrypted.or_else(|| native_text(part, "data"));
            reasoning.extra = rest_of(thought, &["text"])?;
            Ok(Part::Reasoning(reasoning))
        }
        AssistantContent::ToolCall(made) => {
            let mut call = call(&made.id, &made.function)?;
            call.extra.append(&mut rest_of(made, &["id", "function"])?);
            Ok(Part::ToolCall(call))
        }
        AssistantContent::Image(shown) => image(shown, part),
        _ => opaque(part),
    }
}

fn text(said: &rig::Text) -> Result<Part, TypedError> {
    let mut text = Text::new(&said.text);
    text.extra = rest_of(said, &["text"])?;
    Ok(Part::Text(text))
}

fn call(id: &CallId, function: &ToolFunction) -> Result<ToolCall, TypedError> {
    let mut call = ToolCall::new(id.wire(), function.name.as_str(), "");
    call.arguments = match &function.invalid_arguments {
        Some(text) => Arguments::Text(text.clone()),
        None => Arguments::Value(Json::from(function.arguments_value())),
    };
    if id.is_local() {
        mark(&mut call.extra, LOCAL);
    }
    // Arguments that somebody mended: what was asked for says no longer what was called.
    if ToolFunction::parse(function.name.clone(), call.arguments.as_str()) != *function {
        let whole = Json::from(serde_json::to_value(function)?);
        call.extra.insert(FUNCTION.into(), whole);
    }
    Ok(call)
}

fn result(found: &rig::ToolResult) -> Result<ToolResult, TypedError> {
    let parts = found.content.iter().map(result_part);
    let mut result = ToolResult::new(found.call.wire(), parts.collect::<Result<_, _>>()?);
    result.name = Some(found.name.as_str().into());
    result.is_error = found.is_error.then_some(true);
    if let [Part::Text(_)] = result.parts.as_slice() {
        result.shape = Shape::Text;
    }
    if found.call.is_local() {
        mark(&mut result.extra, LOCAL);
    }
    Ok(result)
}

fn result_part(part: &ToolResultContent) -> Result<Part, TypedError> {
    match part {
        ToolResultContent::Text(said) => text(said),
        ToolResultContent::Image(shown) => image(shown, part),
        // Models and summarizers read it, so it is text that remembers what it was.
        ToolResultContent::Json { value } => {
            let mut text = Text::new(value.to_string());
            mark(&mut text.extra, JSON);
            Ok(Part::Text(text))
        }
    }
}

fn opaque(part: &impl Serialize) -> Result<Part, TypedError> {
    let json = Json::from(serde_json::to_value(part)?);
    Ok(Part::Opaque(Opaque::new(FORMAT, json)))
}
