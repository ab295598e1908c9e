#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![forbid(unsafe_code)]

mod append;
mod change;
mod connect;
mod fault;
mod features;
mod lock;
mod migrate;
mod options;
mod read;
mod rows;
mod runtime;
mod search;
mod sessions;
mod sql;
mod store;
mod subscribe;
mod text;
#[cfg(feature = "tls")]
mod tls;
mod transaction;

pub use crate::features::Features;
pub use crate::options::{Extras, Migrate, PostgresOptions};
pub use crate::store::PostgresStore;
pub use crate::subscribe::Subscription;
#[cfg(feature = "tls")]
pub use crate::tls::Tls;
