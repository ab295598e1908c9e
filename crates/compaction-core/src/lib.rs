//! Where may a conversation be cut, and what does a compaction pass need next?
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod entry;
mod estimate;

pub use crate::entry::{Entry, EntryKind, Link};
pub use crate::estimate::TokenEstimator;
