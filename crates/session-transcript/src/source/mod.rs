//! From the bytes of a file to the records in it.

mod archive;
mod bytes;
mod inside;
mod markdown;
mod placed;
mod records;
mod stream;
mod value;

pub(crate) use crate::source::bytes::decode;
pub(crate) use crate::source::markdown::records as of_markdown;
pub(crate) use crate::source::placed::Placed;
pub(crate) use crate::source::records::{Form, Record, Scan, scan};
pub(crate) use crate::source::stream::assemble;
