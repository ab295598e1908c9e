#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![no_std]
#![deny(
    clippy::alloc_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

extern crate alloc;

mod clearing;
mod context_window;
mod entry;
mod estimate;
mod groups;
mod named;
mod outline;
mod pairs;
mod pass;
mod plan;
mod policy;
mod spans;
mod steps;
mod trigger;
mod view;
mod window;

pub use crate::clearing::Clearing;
pub use crate::context_window::{
    ContextWindow, PairPolicy, PendingSelection, Selecting, Selection, UnknownContextWindow, Weight,
};
pub use crate::entry::{Entry, EntryKind, Link};
pub use crate::estimate::TokenEstimator;
pub use crate::named::{RecursiveSummarization, SlidingWindow, TokenCount, TurnWindow};
pub use crate::outline::{MAX_TOKENS_PER_ENTRY, Outline};
pub use crate::pairs::{Pair, Pairs, pairs};
pub use crate::pass::{
    Outcome, Pending, Progress, SummaryReply, SummaryRequest, Unchanged, compact,
};
pub use crate::plan::{Cut, Plan};
pub use crate::policy::{Order, Policy, Preamble, PriorSummary, Superseded};
pub use crate::spans::Spans;
pub use crate::steps::Steps;
pub use crate::trigger::{Check, Condition, Counts, Trigger, Verdict};
pub use crate::view::{Grain, Summarize, View};
pub use crate::window::{Strategy, Window};
