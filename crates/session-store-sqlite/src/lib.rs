#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![forbid(unsafe_code)]

mod append;
mod doctor;
mod error;
mod index;
mod open;
mod options;
mod pen;
mod read;
mod readers;
mod rows;
mod schema;
mod search;
mod sessions;
mod snapshot;
mod store;
mod writer;

pub use crate::doctor::{Fault, Finding};
pub use crate::open::OpenError;
pub use crate::options::{Durability, SqliteOptions};
pub use crate::store::SqliteStore;
