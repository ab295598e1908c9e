#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]

mod address;
mod answer;
mod chat;
mod conversation;
mod failure;
mod json;
mod key;
mod link;
mod options;
mod provider_error;
mod question;
mod secrets;
mod sections;
mod settings;
mod stream;
#[cfg(feature = "tokio-timer")]
mod timer;
mod tls;
mod worker;

pub use crate::chat::{Anthropic, Gemini, LimitField, Ollama, OpenAi, OpenAiResponses};
pub use crate::conversation::Conversation;
pub use crate::key::ApiKey;
pub use crate::options::{Delivery, HttpOptions, Proxy};
pub use crate::provider_error::ProviderError;
pub use crate::settings::SettingsError;
#[cfg(feature = "tokio-timer")]
pub use crate::timer::TokioTimer;
