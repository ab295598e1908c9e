#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(test)]
mod agreement;
mod budget;
#[cfg(feature = "bpe-openai")]
mod cache;
mod encoding;
mod estimators;
#[cfg(feature = "bpe-openai")]
mod fast;
mod heuristic;
mod models;
mod pieces;
mod simple;
mod tiktoken;
mod vocabulary;
#[cfg(feature = "bpe-openai")]
mod words;

pub use crate::budget::{BudgetSnapshot, OverBudget, TokenBudget};
pub use crate::encoding::{Encoding, UnknownEncoding};
pub use crate::estimators::{Estimators, UnknownEstimator};
pub use crate::heuristic::{Family, Heuristic};
pub use crate::models::{Lookup, Model, ModelRegistry, RegisterError};
pub use crate::simple::{Bytes4, Chars4};
pub use crate::tiktoken::Tiktoken;
