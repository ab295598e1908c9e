#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![no_std]
#![deny(
    clippy::alloc_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

extern crate alloc;

mod boundary;
mod branch;
mod erasure;
mod event;
mod event_type;
mod format;
mod held;
mod hex;
mod ids;
mod json;
mod message;
mod part;
mod plan;
mod view;
pub mod wire;

pub use crate::boundary::{Boundary, Covered, Pin, Receipt, Revert, Size, SummaryReceipt};
pub use crate::branch::{Branch, InvalidBranch};
pub use crate::erasure::{ERASED, is_erased, tombstone};
pub use crate::event::{Event, EventBody, NewEvent, Origin, TokenCount, latest_system, messages};
pub use crate::event_type::{EventType, InvalidEventType};
pub use crate::format::{
    AUDIO_TOKENS, FILE_TOKENS, IMAGE_TOKENS, LineFormat, MessageFormat, VIDEO_TOKENS, media_tokens,
    message_tokens,
};
pub use crate::ids::{EventId, InvalidId, MAX_ID_BYTES, Seq, SessionId, Timestamp, Version};
pub use crate::json::{Fields, InvalidJson, Json};
pub use crate::message::{Message, Role, Shape};
pub use crate::part::{
    Arguments, Media, MediaKind, MediaSource, Opaque, Part, Reasoning, Text, ToolCall, ToolResult,
};
pub use crate::plan::{boundary_keeping, boundary_of};
pub use crate::view::{View, ViewQuery, cleared_message, live_boundary};
