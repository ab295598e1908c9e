#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(test)]
mod agreement;
mod budget;
#[cfg(feature = "bpe-openai")]
mod cache;
mod calibrated;
mod encoding;
mod estimators;
#[cfg(feature = "bpe-openai")]
mod fast;
mod heuristic;
mod media;
mod models;
mod overhead;
mod pieces;
mod simple;
mod tiktoken;
mod vocabulary;
#[cfg(feature = "bpe-openai")]
mod words;

pub use crate::budget::{BudgetSnapshot, OverBudget, TokenBudget};
pub use crate::calibrated::{Calibrated, CalibratedTokens, InputUsage, Learned, ViewId};
pub use crate::encoding::{Encoding, UnknownEncoding};
pub use crate::estimators::{Estimators, UnknownEstimator};
pub use crate::heuristic::{Family, Heuristic};
pub use crate::media::{
    GEMINI_AUDIO_SECOND, GEMINI_VIDEO_SECOND, Media, MediaCosts, OPENAI_LOW_DETAIL_IMAGE,
    anthropic_image, gemini_image, openai_image,
};
pub use crate::models::{Lookup, Model, ModelRegistry, RegisterError};
pub use crate::overhead::{Framing, TOOL_OVERHEAD, ToolSchema, tool_schemas};
pub use crate::simple::{Bytes4, Chars4};
pub use crate::tiktoken::Tiktoken;
