#![doc = include_str!("../README.md")]

mod brief;
mod error;
mod fault;
mod port;
mod prompt;
mod summary;

pub use crate::brief::{Brief, Piece, Shown};
pub use crate::error::{Cause, SummarizerError};
pub use crate::fault::Fault;
pub use crate::port::{Silent, Summarizer};
pub use crate::prompt::{
    BlankPrompt, CONVERSATION_MARKER, PRIOR_MARKER, Prompt, Request, SHADOW_PROMPT, Section,
    Template, UPCOMING_MARKER,
};
pub use crate::summary::{Blank, Finish, Summary, Usage, without_reasoning};
