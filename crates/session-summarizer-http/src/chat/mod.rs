//! The providers: for each the form of its requests and answers, and no more.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod responses;

pub use self::anthropic::Anthropic;
pub use self::gemini::Gemini;
pub use self::ollama::Ollama;
pub use self::openai::{LimitField, OpenAi};
pub use self::responses::OpenAiResponses;

/// What all adapters have: key, headers, options, model, `Debug`, and the port.
macro_rules! adapter {
    ($name:ident, $key_header:expr) => {
        impl $name {
            /// The same summarizer with a key.
            ///
            /// # Errors
            ///
            /// [`SettingsError::InvalidKey`](crate::SettingsError::InvalidKey) when the key cannot
            /// be sent.
            pub fn with_key(mut self, key: crate::ApiKey) -> Result<Self, crate::SettingsError> {
                self.link = self.link.with_key(key, &$key_header)?;
                Ok(self)
            }

            /// The same summarizer with one more header in each request, as gateways ask for it.
            /// Its value is treated as a secret.
            ///
            /// # Errors
            ///
            /// [`SettingsError::InvalidHeader`](crate::SettingsError::InvalidHeader) when the name
            /// or the value cannot be sent.
            pub fn with_header(
                mut self,
                name: &str,
                value: &str,
            ) -> Result<Self, crate::SettingsError> {
                self.link = self.link.with_header(name, value)?;
                Ok(self)
            }

            /// The same summarizer under other options.
            ///
            /// # Errors
            ///
            /// [`SettingsError`](crate::SettingsError) when the proxy or the user agent cannot be
            /// used, or a number allows no request.
            pub fn with_options(
                mut self,
                options: crate::HttpOptions,
            ) -> Result<Self, crate::SettingsError> {
                self.link = self.link.with_options(options)?;
                Ok(self)
            }

            /// The same summarizer, which asks behind the conversation as it was sent, for the sake of
            /// the provider's cache of prompts.
            #[must_use]
            pub fn with_conversation(mut self, sent: crate::Conversation) -> Self {
                self.link = self.link.with_conversation(sent);
                self
            }

            /// The model that is asked.
            #[must_use]
            pub fn model(&self) -> &str {
                self.link.model()
            }
        }

        #[async_trait::async_trait]
        impl session_summarizer::Summarizer for $name {
            async fn summarize(
                &self,
                brief: session_summarizer::Brief<'_>,
            ) -> Result<Option<session_summarizer::Summary>, session_summarizer::SummarizerError>
            {
                self.link.summarize(self, &brief).await
            }
        }
    };
}

use adapter;
