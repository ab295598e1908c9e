#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![forbid(unsafe_code)]

mod case;
mod compare;
mod export;
mod failure;
mod fakes;
mod json;
mod keys;
mod laws;
mod ops;
mod program;
mod run;
mod seen;
mod stopwatch;
mod store;
mod world;

pub use crate::case::{
    Action, Case, Claim, Entry, Expect, Lifetime, Op, PassSpec, Race, Record, Records, Search,
    Settings, SummarizerSpec, TriggerSpec, WindowSpec, entries,
};
pub use crate::json::Malformed;
pub use crate::keys::{Key, all as keys};
pub use crate::laws::Law;
pub use crate::program::program;
pub use crate::run::{Options, Verdict, run, run_case};
pub use crate::store::{POSTGRES, StoreKind};
