#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(test)]
mod agreement;
mod encoding;
mod pieces;
mod tiktoken;
mod vocabulary;

pub use crate::encoding::{Encoding, UnknownEncoding};
pub use crate::tiktoken::Tiktoken;
