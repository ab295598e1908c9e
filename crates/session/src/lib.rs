#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]

mod ask;
#[cfg(doctest)]
mod book;
mod breakers;
mod cleared;
mod clock;
mod commit;
mod compaction;
mod counts;
mod draft;
mod erasure;
mod error;
mod filter;
mod flights;
mod harness;
mod history;
mod lease;
mod owned;
mod pass;
mod pins;
mod plan;
mod plan_record;
mod reading;
mod recall;
mod report;
mod sessions;
mod settings;
mod spans;
mod strategy;

pub use compaction_core::{
    Clearing, Condition, ContextWindow, Counts, Entry, EntryKind, Grain, Outline, PairPolicy,
    PendingSelection, Policy, RecursiveSummarization, Selecting, Selection, SlidingWindow, Spans,
    Strategy, TokenCount, TokenEstimator, Trigger, TurnWindow, UnknownContextWindow, Verdict,
    Weight, Window,
};
pub use session_log::{
    Branch, Event, EventId, EventType, Message, NewEvent, Role, Seq, SessionId, Timestamp,
    ToolCall, Version, View,
};
pub use session_store::{
    Appended, Damage, Direction, EventQuery, Expected, Hit, HitMark, Keywords, NewSession,
    OnDamage, Order, Page, Reach, Scope, SearchQuery, Session, SessionMark, SessionQuery,
    SessionStore, Snippet, StoreError, Synthetic, attribute,
};
pub use session_summarizer::{
    BreakerSettings, Chunked, Ledger, Retention, Retrying, Share, Summarizer, Timer, Usage,
};

#[cfg(feature = "memory")]
pub use session_store_memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use session_store_postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use session_store_sqlite::SqliteStore;
#[cfg(feature = "http")]
pub use session_summarizer_http as http;

pub use crate::clock::{Clock, FixedClock, SystemClock};
pub use crate::compaction::{Compaction, CompactionBuilder, OnConflict, SummaryMode};
pub use crate::error::Error;
pub use crate::filter::{Filter, Portion, Source};
pub use crate::harness::{Happening, Harness, Turn, TurnEnd, TurnRequest};
pub use crate::history::{FORKED_FROM, ViewDiff};
pub use crate::lease::Lease;
pub use crate::pass::Prepared;
pub use crate::plan::PassPlan;
pub use crate::recall::{MAX_CONTEXT, MAX_MATCHES, PAGE_SIZE, Recall, ToolSpec, hint};
pub use crate::report::{Outcome, Reason, Report, SummaryReport, Warning};
pub use crate::sessions::{Sessions, SystemMessages, TIME_TO_LIVE};
pub use crate::settings::InvalidSettings;
pub use crate::strategy::AnyStrategy;
