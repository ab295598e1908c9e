//! Which events of a session to show.

use session_log::{Branch, Event, EventType, Role, Timestamp};
use session_store::{Branches, EventQuery, Synthetic};

use crate::settings::InvalidSettings;

/// Which events of a session to show, oldest first.
///
/// A filter reads what it needs: conditions are pushed down to the store, and the last events of a
/// long log cost no more than those of a short one. To walk through a long log page by page, go on
/// from a place with [`Sessions::read`](crate::Sessions::read) instead of counting pages.
///
/// ```
/// use session::{Filter, Role};
///
/// let screen = Filter::last(50).with_roles([Role::User, Role::Assistant]);
/// let third_page = Filter::real_only().page_of_turns(2, 10);
/// # let _ = (screen, third_page);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// Whether to look at the log or at the view.
    pub source: Source,
    /// Only messages of one of these roles; empty for events of any kind.
    pub roles: Vec<Role>,
    /// Only events of one of these types; empty for all.
    pub types: Vec<EventType>,
    /// Only events that happened at or after this moment.
    pub since: Option<Timestamp>,
    /// Only events that happened at or before this moment.
    pub until: Option<Timestamp>,
    /// With or without events that nobody said.
    pub synthetic: Synthetic,
    /// Only what this branch sees: the root's events, its ancestors' and its own.
    pub branch: Option<Branch>,
    /// All of what is left, or a part.
    pub portion: Portion,
}

/// What a [`Filter`] looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "there is what happened and what a model sees of it"
)]
pub enum Source {
    /// Everything that was appended, what is covered included.
    #[default]
    Log,
    /// What a model sees now, in view order.
    View,
}

/// All of what a [`Filter`] lets through, or a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Portion {
    /// All.
    #[default]
    Whole,
    /// The last so many events, and what stands before them in their turn: no turn is entered in
    /// the middle, so no result comes without its call. When the filter lets no turn starts
    /// through, exactly so many.
    Last(usize),
    /// Page `page`, counted from 0, of `size` events.
    Events {
        /// The number of the page.
        page: usize,
        /// The events on a page.
        size: usize,
    },
    /// Page `page`, counted from 0, of `size` whole turns. What stands before the first turn is on
    /// the first page.
    Turns {
        /// The number of the page.
        page: usize,
        /// The turns on a page.
        size: usize,
    },
}

impl Filter {
    /// The whole log.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// What a model sees now.
    #[must_use]
    pub fn active() -> Self {
        Self {
            source: Source::View,
            ..Self::default()
        }
    }

    /// The last `events` of the log, and the beginning of the turn they begin in.
    #[must_use]
    pub fn last(events: usize) -> Self {
        Self {
            portion: Portion::Last(events),
            ..Self::default()
        }
    }

    /// What people, models and tools said: the log without summaries and without what a program
    /// put in.
    #[must_use]
    pub fn real_only() -> Self {
        Self {
            synthetic: Synthetic::Without,
            ..Self::default()
        }
    }

    /// Only messages of these roles. System and developer stand for each other.
    #[must_use]
    pub fn with_roles(mut self, roles: impl IntoIterator<Item = Role>) -> Self {
        self.roles.extend(roles);
        self
    }

    /// Only events of these types.
    #[must_use]
    pub fn with_types(mut self, types: impl IntoIterator<Item = EventType>) -> Self {
        self.types.extend(types);
        self
    }

    /// Only events that happened at or after this moment.
    #[must_use]
    pub fn with_since(mut self, moment: Timestamp) -> Self {
        self.since = Some(moment);
        self
    }

    /// Only events that happened at or before this moment.
    #[must_use]
    pub fn with_until(mut self, moment: Timestamp) -> Self {
        self.until = Some(moment);
        self
    }

    /// Only what this branch sees.
    #[must_use]
    pub fn with_branch(mut self, branch: Branch) -> Self {
        self.branch = Some(branch);
        self
    }

    /// Page `page`, counted from 0, of `size` events.
    #[must_use]
    pub fn page_of_events(mut self, page: usize, size: usize) -> Self {
        self.portion = Portion::Events { page, size };
        self
    }

    /// Page `page`, counted from 0, of `size` whole turns.
    #[must_use]
    pub fn page_of_turns(mut self, page: usize, size: usize) -> Self {
        self.portion = Portion::Turns { page, size };
        self
    }

    /// Refuses parts that can have nothing in them.
    pub(crate) fn check(&self) -> Result<(), InvalidSettings> {
        let zero = |setting| Err(InvalidSettings::Zero { setting });
        match self.portion {
            Portion::Last(0) => zero("the number of last events"),
            Portion::Events { size: 0, .. } | Portion::Turns { size: 0, .. } => {
                zero("the size of a page")
            }
            _ => Ok(()),
        }
    }

    /// The conditions on single events, as a store takes them.
    pub(crate) fn query(&self) -> EventQuery {
        let mut query = EventQuery::all()
            .with_roles(self.roles.iter().cloned())
            .with_types(self.types.iter().cloned())
            .with_synthetic(self.synthetic);
        query.since = self.since;
        query.until = self.until;
        if let Some(branch) = &self.branch {
            query.branches = Branches::VisibleTo(branch.clone());
        }
        query
    }

    /// Whether the filter lets messages that open turns through, so that turns can be whole.
    pub(crate) fn shows_turns(&self) -> bool {
        let has_users = self.roles.is_empty() || self.roles.contains(&Role::User);
        let has_messages = self.types.is_empty() || self.types.contains(&EventType::MESSAGE);
        has_users && has_messages
    }
}

/// Whether a turn may be entered here: a person's message at the root, or the prompt that a
/// summary answers.
pub(crate) fn opens_turn(event: &Event) -> bool {
    use compaction_core::{Entry as _, EntryKind};

    match event.kind() {
        EntryKind::TurnStart => true,
        EntryKind::Summary => event
            .as_message()
            .is_some_and(|message| message.role == Role::User),
        _ => false,
    }
}
