//! What became of an event, as the page colours it.

use crate::output::fates;

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Pinned,
    Summary,
    Kept,
    Cleared,
    Superseded,
    Covered,
    /// No message: a boundary, an undo, a pin, or an application's own event.
    Record,
}

impl Fate {
    pub(super) const ALL: [Self; 7] = [
        Self::Pinned,
        Self::Summary,
        Self::Kept,
        Self::Cleared,
        Self::Superseded,
        Self::Covered,
        Self::Record,
    ];

    /// The word for it, which is also its class.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Summary => "summary",
            Self::Kept => "kept",
            Self::Cleared => "cleared",
            Self::Superseded => "superseded",
            Self::Covered => "covered",
            Self::Record => "record",
        }
    }

    /// What the word means.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Pinned => "leads the view and stays",
            Self::Summary => "stands for what is covered",
            Self::Kept => "in the view as it was said",
            Self::Cleared => "in the view, its results as a short line",
            Self::Superseded => "a system prompt that a later one replaced",
            Self::Covered => "not in the view, still in the log",
            Self::Record => "no message: boundaries, undos, pins",
        }
    }

    /// Whether a model sees it.
    pub(super) fn is_in_view(self) -> bool {
        matches!(
            self,
            Self::Pinned | Self::Summary | Self::Kept | Self::Cleared
        )
    }
}

impl From<fates::Fate> for Fate {
    fn from(fate: fates::Fate) -> Self {
        match fate {
            fates::Fate::Pinned => Self::Pinned,
            fates::Fate::Superseded => Self::Superseded,
            fates::Fate::Covered => Self::Covered,
            fates::Fate::Cleared => Self::Cleared,
            fates::Fate::Kept => Self::Kept,
        }
    }
}
