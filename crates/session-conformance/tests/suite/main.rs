//! The tests of the runner. They are one program, since each program is linked on its own; the one
//! that starts a server of PostgreSQL stands alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod keys_can_fail;
mod known_cases;
mod mutations;
mod program;
