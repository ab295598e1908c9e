//! Boundaries: the one thing a compaction writes.

use alloc::string::String;
use alloc::vec::Vec;

use sha2::{Digest as _, Sha256};

use crate::hex::hex;
use crate::ids::{EventId, Seq};
use crate::json::Json;

/// What the view shows from here on.
///
/// A boundary is absolute: the newest live one is enough to build the view. It is small: it names
/// what is pinned and where the kept events begin, so it does not grow with the view.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Boundary {
    /// The first event that is kept; every later message event is in the view unless named below.
    pub kept_from: Seq,
    /// Events that lead the view, in view order, wherever they stand in the log.
    pub pinned: Vec<Seq>,
    /// Events that leave the view although they lie at or after `kept_from`.
    pub superseded: Vec<Seq>,
    /// The summary turn: the events right after the boundary, by id. Empty without a summary.
    pub summary: Vec<EventId>,
    /// All events that somebody holds pinned, wherever they are.
    pub held: Vec<Seq>,
    /// The part of `pinned` that is there only because somebody holds it: such an event leaves
    /// the view as soon as it is released.
    pub pins: Vec<Seq>,
    /// Events whose tool results are shown as a short line, in ascending order.
    pub cleared: Vec<Seq>,
    /// How the pass went.
    pub receipt: Receipt,
}

impl Boundary {
    /// A boundary that keeps everything from `kept_from` on and pins nothing.
    #[must_use]
    pub fn new(kept_from: Seq, receipt: Receipt) -> Self {
        Self {
            kept_from,
            pinned: Vec::new(),
            superseded: Vec::new(),
            summary: Vec::new(),
            held: Vec::new(),
            pins: Vec::new(),
            cleared: Vec::new(),
            receipt,
        }
    }
}

/// A boundary, or an earlier revert, that no longer counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Revert {
    /// The event that is taken back.
    pub of: Seq,
}

impl Revert {
    /// Takes back the boundary or revert at `of`.
    #[must_use]
    pub fn new(of: Seq) -> Self {
        Self { of }
    }
}

/// An event that somebody pins, or releases again. A pinned event stays in every view.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pin {
    /// The event.
    pub of: Seq,
    /// Whether it is held from here on, or released.
    pub is_held: bool,
}

impl Pin {
    /// Holds the event at `of`.
    #[must_use]
    pub fn hold(of: Seq) -> Self {
        Self { of, is_held: true }
    }

    /// Releases the event at `of`.
    #[must_use]
    pub fn release(of: Seq) -> Self {
        Self { of, is_held: false }
    }
}

/// The size of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Size {
    /// Message events.
    pub events: u64,
    /// Turns.
    pub turns: u64,
    /// Tokens, by the receipt's estimator.
    pub tokens: u64,
}

impl Size {
    /// A view of so many events, turns and tokens.
    #[must_use]
    pub fn new(events: u64, turns: u64, tokens: u64) -> Self {
        Self {
            events,
            turns,
            tokens,
        }
    }
}

/// What a pass covered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Covered {
    /// How many events.
    pub count: u64,
    /// The first of them in log order.
    pub first: Option<Seq>,
    /// The last of them in log order.
    pub last: Option<Seq>,
    /// A SHA-256 over their ids, one a line, in hexadecimal: it tells whether a set of events is
    /// exactly what was covered.
    pub digest: String,
}

impl Covered {
    /// Describes the covered events, given in log order.
    #[must_use]
    pub fn of<'a>(events: impl IntoIterator<Item = (Seq, &'a EventId)>) -> Self {
        let mut covered = Self::default();
        let mut digest = Sha256::new();
        for (seq, id) in events {
            covered.count += 1;
            covered.first = covered.first.or(Some(seq));
            covered.last = Some(seq);
            digest.update(id.as_str());
            digest.update(b"\n");
        }
        covered.digest = hex(&digest.finalize());
        covered
    }
}

/// Who wrote the summary and what it cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SummaryReceipt {
    /// The summarizer or model.
    pub model: String,
    /// Tokens the provider says it read.
    pub input_tokens: Option<u64>,
    /// Tokens the provider says it wrote.
    pub output_tokens: Option<u64>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// How often it was asked.
    pub attempts: u64,
    /// How many thousandths of the paths, commands, ids and numbers it covers survive in it.
    pub retained_per_mille: Option<u32>,
}

impl SummaryReceipt {
    /// A summary by `model`, asked once.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            attempts: 1,
            ..Self::default()
        }
    }
}

/// How a pass went: written into the boundary, so that it can be explained later.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// The trigger with its settings, as JSON.
    pub trigger: Json,
    /// The strategy with its settings, as JSON.
    pub strategy: Json,
    /// The name of the estimator that counted.
    pub estimator: String,
    /// The view before the pass.
    pub before: Size,
    /// The view after the pass.
    pub after: Size,
    /// What was covered.
    pub covered: Covered,
    /// The summary, if there is one.
    pub summary: Option<SummaryReceipt>,
    /// How many events of the session had been erased. A summary of what is erased later is stale.
    pub erasures: u64,
}

impl Receipt {
    /// A receipt without sizes, to be filled in.
    #[must_use]
    pub fn new(trigger: Json, strategy: Json, estimator: impl Into<String>) -> Self {
        Self {
            trigger,
            strategy,
            estimator: estimator.into(),
            before: Size::default(),
            after: Size::default(),
            covered: Covered::default(),
            summary: None,
            erasures: 0,
        }
    }
}
