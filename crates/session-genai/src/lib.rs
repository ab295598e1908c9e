#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]

mod error;
mod from_genai;
mod media;
mod to_genai;

pub use crate::error::TypedError;
pub use crate::from_genai::{conversation_of, message_of};
pub use crate::to_genai::{History, history, messages};
