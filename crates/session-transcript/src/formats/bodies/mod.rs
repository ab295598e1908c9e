//! The containers that message formats share: bare arrays, request and response bodies, log
//! lines with both, lists of runs, JSONL of messages or of conversations.

mod condensed;
mod find;
mod fold;
mod frame;

pub(crate) use crate::formats::bodies::find::first_bodies;
pub(crate) use crate::formats::bodies::fold::{Dialect, Piece, conversations};
pub(crate) use crate::formats::bodies::frame::{Filled, lay_out};
