#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]

mod breaker;
mod brief;
mod check;
mod checked;
mod chunk;
mod error;
mod fault;
mod function;
mod ledger;
mod port;
mod prompt;
mod retention;
mod retry;
mod scripted;
mod specifics;
mod summary;
mod tally;
mod timer;
mod with_ledger;

pub use crate::breaker::{Breaker, BreakerSettings, BreakerState};
pub use crate::brief::{Brief, Piece, Shown};
pub use crate::check::{Sizes, check};
pub use crate::checked::Checked;
pub use crate::chunk::Chunked;
pub use crate::error::{Cause, SummarizerError};
pub use crate::fault::Fault;
pub use crate::function::FnSummarizer;
pub use crate::ledger::Ledger;
pub use crate::port::{Silent, Summarizer};
pub use crate::prompt::{
    BlankPrompt, CONVERSATION_MARKER, Chat, ChatCall, ChatLine, ChatResult, PRIOR_MARKER, Prompt,
    Request, SHADOW_PROMPT, Section, Template, UPCOMING_MARKER,
};
pub use crate::retention::{LONG_TEXT, Retention, Share};
pub use crate::retry::{RetryPolicy, Retrying};
pub use crate::scripted::{Answer, Asked, Scripted};
pub use crate::specifics::{Specific, SpecificKind, specifics};
pub use crate::summary::{Blank, Finish, Summary, Usage, without_reasoning};
pub use crate::tally::Tally;
pub use crate::timer::{ThreadTimer, Timer, VirtualTimer};
pub use crate::with_ledger::WithLedger;
