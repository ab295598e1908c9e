//! The conversation's own request, as far as an adapter has to repeat it.

use core::fmt;

use serde_json::Value;

use crate::settings::SettingsError;

/// Asks for the summary behind the conversation as the provider was sent it, and not about a
/// transcript of it: where the provider keeps a cache of prompts, what it was sent before costs less
/// and is read faster.
///
/// It holds what stands before the messages in the conversation's own requests, to be sent again:
/// system prompts and tools. The messages are those of the brief, no more, so that a summary is
/// shown exactly what it stands for. A cache knows them as long as nothing stands between: up to the
/// first event that is pinned or kept apart. How much it knew is in
/// [`Usage::cached_tokens`](session_summarizer::Usage::cached_tokens).
///
/// A [`Chunked`](session_summarizer::Chunked) around the adapter measures neither the system prompts
/// nor the tools: take them off its limit.
///
/// A model that is shown roles tends to play on; use it with a
/// [`Checked`](session_summarizer::Checked) around the adapter, and not with a small model.
///
/// ```
/// use session_summarizer_http::{Conversation, OpenAi};
///
/// let sent = Conversation::new()
///     .with_system("You are a careful engineer.")
///     .with_tools(r#"[{"type":"function","function":{"name":"read"}}]"#)?;
/// let summarizer = OpenAi::new("http://127.0.0.1:8080/v1", "local")?.with_conversation(sent);
/// # Ok::<(), session_summarizer_http::SettingsError>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Conversation {
    pub(crate) system: Vec<String>,
    pub(crate) tools: Option<Value>,
}

impl Conversation {
    /// A conversation without a system prompt and without tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more system prompt, in order.
    #[must_use]
    pub fn with_system(mut self, text: impl Into<String>) -> Self {
        self.system.push(text.into());
        self
    }

    /// The same with the tools as they were sent: a list in JSON, in the provider's own form. They
    /// are part of what a cache knows. The model is told to call none; where telling a provider so
    /// by a field would cost the cache, by words alone.
    ///
    /// # Errors
    ///
    /// [`SettingsError::InvalidTools`] when it is no list in JSON.
    pub fn with_tools(mut self, json: &str) -> Result<Self, SettingsError> {
        match serde_json::from_str(json) {
            Ok(tools @ Value::Array(_)) => {
                self.tools = Some(tools);
                Ok(self)
            }
            _ => Err(SettingsError::InvalidTools),
        }
    }
}

impl fmt::Debug for Conversation {
    /// Shows how much there is, never what it says.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.tools.as_ref().and_then(Value::as_array);
        f.debug_struct("Conversation")
            .field("system", &self.system.len())
            .field("tools", &tools.map(Vec::len))
            .finish()
    }
}
