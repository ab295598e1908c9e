//! What stays around the window. There are two designs, and this is all they differ in.

/// What becomes of the events before the first turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Preamble {
    /// They are pinned and use no slot of a window.
    Pinned,
    /// They count and can be covered like any other entry.
    Counted,
}

/// Where entries that stay although they lie before the cut are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// In front: system prompt, preamble, carried summary, pins.
    PinnedFirst,
    /// In log order; the system prompt stays where it was stored.
    AsStored,
}

/// When superseded system prompts leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Superseded {
    /// With a pass that cuts.
    LeaveWithCut,
    /// With every pass, also one that cuts nothing.
    LeaveAlways,
}

/// Whether a token budget pays for a prior summary that the pass replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PriorSummary {
    /// No: it will be replaced.
    Replaced,
    /// Yes.
    Deducted,
}

/// What stays around the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Policy {
    /// What becomes of the preamble.
    pub preamble: Preamble,
    /// Where entries that stay are shown.
    pub order: Order,
    /// When superseded system prompts leave.
    pub superseded: Superseded,
    /// Whether a token budget pays for a prior summary that is replaced.
    pub prior_summary: PriorSummary,
}

impl Policy {
    /// The window design, the main one.
    pub const WINDOW: Self = Self {
        preamble: Preamble::Pinned,
        order: Order::PinnedFirst,
        superseded: Superseded::LeaveWithCut,
        prior_summary: PriorSummary::Replaced,
    };

    /// The older design of four named strategies.
    pub const ARCHIVE: Self = Self {
        preamble: Preamble::Counted,
        order: Order::AsStored,
        superseded: Superseded::LeaveAlways,
        prior_summary: PriorSummary::Deducted,
    };

    /// The older design as its turn window has it: the preamble stays.
    pub const ARCHIVE_TURNS: Self = Self {
        preamble: Preamble::Pinned,
        ..Self::ARCHIVE
    };
}
