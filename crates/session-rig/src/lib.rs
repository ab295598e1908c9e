#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]

mod error;
mod fields;
mod from_rig;
/// The page of the book, so that its code is compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rig.md")]
mod guide {}
mod media;
mod memory;
mod runs;
mod to_rig;

pub use crate::error::TypedError;
pub use crate::from_rig::message_of;
pub use crate::memory::SessionMemory;
pub use crate::to_rig::{History, history, messages};
