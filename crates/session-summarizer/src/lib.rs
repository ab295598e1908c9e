#![doc = include_str!("../README.md")]

mod brief;
mod check;
mod checked;
mod error;
mod fault;
mod port;
mod prompt;
mod retention;
mod scripted;
mod specifics;
mod summary;

pub use crate::brief::{Brief, Piece, Shown};
pub use crate::check::{Sizes, check};
pub use crate::checked::Checked;
pub use crate::error::{Cause, SummarizerError};
pub use crate::fault::Fault;
pub use crate::port::{Silent, Summarizer};
pub use crate::prompt::{
    BlankPrompt, CONVERSATION_MARKER, PRIOR_MARKER, Prompt, Request, SHADOW_PROMPT, Section,
    Template, UPCOMING_MARKER,
};
pub use crate::retention::{LONG_TEXT, Retention, Share};
pub use crate::scripted::{Answer, Asked, Scripted};
pub use crate::specifics::{Specific, SpecificKind, specifics};
pub use crate::summary::{Blank, Finish, Summary, Usage, without_reasoning};
