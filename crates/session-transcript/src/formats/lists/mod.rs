//! The containers of formats whose conversations are lists of records that need no role: bare
//! arrays, request and response bodies, log lines with both, JSONL of records or of bodies.
//!
//! Each format says in [`Containers`] how its lists are called and what a record looks like.

mod find;
mod fold;
mod frame;
mod turns;
mod writer;

pub(crate) use crate::formats::lists::find::{Containers, Listed, Reply, first_lists};
pub(crate) use crate::formats::lists::fold::{Fold, each_list};
pub(crate) use crate::formats::lists::frame::{Laid, lay_out};
pub(crate) use crate::formats::lists::turns::{Entry, Turn, Turns};
pub(crate) use crate::formats::lists::writer::{Records, plain_text, write};
