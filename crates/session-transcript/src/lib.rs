#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![forbid(unsafe_code)]

mod call_ids;
mod check;
mod envelope;
mod error;
mod format;
mod formats;
mod ids;
mod item;
mod json;
mod lost;
mod marks;
mod note;
mod read;
mod repair;
mod repaired;
mod source;
mod speech;
mod time;
mod transcript;
mod write;

#[cfg(feature = "async-openai")]
pub mod async_openai;

pub use crate::check::{Rule, Violation, check_request};
pub use crate::envelope::{Envelope, Frame, Layout};
pub use crate::error::{ReadError, WriteError};
pub use crate::format::{Format, UnknownFormat};
pub use crate::item::Item;
pub use crate::note::SOURCE;
pub use crate::read::{ReadOptions, SideConversations, read};
pub use crate::repaired::repaired;
pub use crate::transcript::{Conversation, SkipReason, Skipped, Transcript, Warning};
pub use crate::write::{Repair, WriteOptions, Written, view_as_request, write};
