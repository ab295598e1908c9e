//! Items of the OpenAI Responses API, for the formats that are made of them.

pub(crate) mod item;
mod parts;
