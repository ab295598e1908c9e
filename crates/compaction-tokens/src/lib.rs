#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(test)]
mod agreement;
#[cfg(feature = "bpe-openai")]
mod cache;
mod encoding;
#[cfg(feature = "bpe-openai")]
mod fast;
mod pieces;
mod tiktoken;
mod vocabulary;
#[cfg(feature = "bpe-openai")]
mod words;

pub use crate::encoding::{Encoding, UnknownEncoding};
pub use crate::tiktoken::Tiktoken;
