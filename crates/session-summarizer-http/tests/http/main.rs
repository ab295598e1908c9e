//! The tests against a server that plays answers. They are one program, since each program is linked
//! on its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod common;
mod connections;
mod conversation;
mod recorded;
mod requests;
mod secrets;
mod shapes;
#[cfg(feature = "tokio-timer")]
mod timer;
