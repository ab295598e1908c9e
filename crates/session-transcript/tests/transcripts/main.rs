//! The tests of the formats, a module each, and of what holds for all of them. They are one program,
//! since each program is linked on its own.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod ai_sdk;
mod aider;
mod archives;
mod atif;
mod bedrock;
mod boundaries;
mod chatgpt;
mod claude_ai;
mod claude_code;
mod cline;
mod codex;
mod common;
mod copilot_cli;
mod cross;
mod cut;
mod damage;
mod gemini;
mod gemini_cli;
mod goose;
mod inspect;
mod langchain;
mod langchain_chunks;
mod langchain_states;
mod mutated;
mod never_panics;
mod openai_responses;
mod openai_responses_out;
mod opencode;
mod openhands;
mod otel;
mod pi;
mod pydantic_ai;
mod requests;
mod round_trips;
mod run_state;
mod sharegpt;
mod strangers;
mod swe_agent;
#[cfg(feature = "async-openai")]
mod typed;
