//! Where may a conversation be cut, and what does a compaction pass need next?
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod estimate;

pub use crate::estimate::TokenEstimator;
