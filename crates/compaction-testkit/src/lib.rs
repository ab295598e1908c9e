#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![forbid(unsafe_code)]

pub mod generate;
pub mod laws;
mod log;
mod note;
pub mod oracle;
mod parse;
mod pass;
mod short;

pub use crate::log::Log;
pub use crate::note::{Note, Role, characters};
pub use crate::parse::NotationError;
pub use crate::pass::{Pass, check};
pub use crate::short::for_each_short_log;
