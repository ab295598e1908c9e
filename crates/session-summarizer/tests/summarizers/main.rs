//! The tests of summarizers and prompts. They are one program, since each program is linked on its
//! own.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::string_slice
)]

mod chat;
mod chunked;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod ledger;
mod prompt;
mod recorded;
mod retention;
mod retry;
