//! Search by keywords, the same in every store.
//!
//! What a keyword finds is decided here, by [`Matcher`]; a store only chooses candidates and
//! orders hits. Text is compared after [`fold`]ing, character by character, and nothing in a
//! keyword has a meaning: `%`, `_`, `*` and quotes are text.
//!
//! Searched are texts, refusals and attached plain text, and unless asked otherwise the names and
//! arguments of tool calls and what tools returned. Reasoning and the bytes of media are not.

mod fold;
mod matcher;
mod pieces;

use std::cmp::{Ordering, Reverse};
use std::ops::Range;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use session_log::{Event, Role, Seq, SessionId, Timestamp};

use crate::error::StoreError;

pub use self::fold::{fold, fold_char};
pub use self::matcher::Matcher;
pub use self::pieces::{Piece, PieceKind, pieces};

/// Where to search.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// In this session.
    Session(SessionId),
    /// In all sessions of this owner.
    Owner(String),
}

/// How many of the keywords a message must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "one or all")]
pub enum Keywords {
    /// At least one.
    #[default]
    Any,
    /// All, anywhere in the message.
    All,
}

/// Which parts of a message are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "with or without tools")]
pub enum Reach {
    /// Texts, and what tools were called with and returned.
    #[default]
    TextAndTools,
    /// Texts only.
    Text,
}

/// In which order hits come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "by place or by relevance")]
pub enum Order {
    /// In log order; across sessions by time, then by session id.
    #[default]
    OldestFirst,
    /// More keywords first, then more occurrences, then the newer. Every hit is looked at to find
    /// the best.
    Relevance,
}

/// What to search for.
///
/// ```
/// use session_store::{Keywords, SearchQuery};
///
/// let query = SearchQuery::new(["invoice", "100%"]).with_keywords(Keywords::All);
/// assert!(query.check().is_ok());
/// assert!(SearchQuery::new([" "]).check().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchQuery {
    /// What to find: 1 to [`MAX_KEYWORDS`] texts of at most [`MAX_KEYWORD_CHARS`] characters,
    /// none blank.
    pub words: Vec<String>,
    /// How many of them a message must have.
    pub keywords: Keywords,
    /// Only messages of these roles; empty for all.
    pub roles: Vec<Role>,
    /// Only messages at or after this moment.
    pub since: Option<Timestamp>,
    /// Which parts are searched.
    pub reach: Reach,
    /// In which order hits come.
    pub order: Order,
    /// Go on after this hit.
    pub after: Option<HitMark>,
    /// How many hits a page has at most, at least 1.
    pub limit: usize,
}

/// The most keywords of a search.
pub const MAX_KEYWORDS: usize = 20;

/// The longest keyword of a search, in characters.
pub const MAX_KEYWORD_CHARS: usize = 200;

impl SearchQuery {
    /// Any of these words, oldest first, ten a page.
    #[must_use]
    pub fn new<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            keywords: Keywords::Any,
            roles: Vec::new(),
            since: None,
            reach: Reach::TextAndTools,
            order: Order::OldestFirst,
            after: None,
            limit: 10,
        }
    }

    /// With any or all of the words.
    #[must_use]
    pub fn with_keywords(mut self, keywords: Keywords) -> Self {
        self.keywords = keywords;
        self
    }

    /// Only messages of these roles. System and developer stand for each other.
    #[must_use]
    pub fn with_roles(mut self, roles: impl IntoIterator<Item = Role>) -> Self {
        self.roles.extend(roles);
        self
    }

    /// Only messages at or after `moment`.
    #[must_use]
    pub fn with_since(mut self, moment: Timestamp) -> Self {
        self.since = Some(moment);
        self
    }

    /// Only in these parts.
    #[must_use]
    pub fn with_reach(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// In this order.
    #[must_use]
    pub fn with_order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// From behind `mark` on.
    #[must_use]
    pub fn with_after(mut self, mark: HitMark) -> Self {
        self.after = Some(mark);
        self
    }

    /// At most `limit` hits a page.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Checks the query, as every store must before it answers.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidQuery`] for no keyword, too many, a blank or too long one, or a page
    /// of zero hits.
    pub fn check(&self) -> Result<(), StoreError> {
        let invalid = |reason| Err(StoreError::InvalidQuery { reason });
        if self.words.is_empty() || self.words.len() > MAX_KEYWORDS {
            let given = self.words.len();
            return invalid(std::format!(
                "a search takes 1 to {MAX_KEYWORDS} keywords, not {given}"
            ));
        }
        if self.words.iter().any(|word| word.trim().is_empty()) {
            return invalid("a keyword must not be blank".into());
        }
        let is_long = |word: &String| word.chars().nth(MAX_KEYWORD_CHARS).is_some();
        if self.words.iter().any(is_long) {
            return invalid(std::format!(
                "a keyword has at most {MAX_KEYWORD_CHARS} characters"
            ));
        }
        if self.limit == 0 {
            return invalid("a page needs at least 1 hit".into());
        }
        Ok(())
    }

    /// Whether the search finds `event`, wherever the page begins. For many events make one
    /// [`Matcher`].
    #[must_use]
    pub fn matches(&self, event: &Event) -> bool {
        Matcher::new(self).matches(event)
    }
}

/// A message that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hit {
    /// The session it is in.
    pub session: SessionId,
    /// The event with the message.
    pub event: Arc<Event>,
    /// Where a keyword stands in it first.
    pub snippet: Snippet,
    /// How many different keywords it has.
    pub keywords: u64,
    /// How often it has them.
    pub occurrences: u64,
}

impl Hit {
    /// The place of the hit among the others.
    #[must_use]
    pub fn mark(&self) -> HitMark {
        HitMark {
            keywords: self.keywords,
            occurrences: self.occurrences,
            at: self.event.timestamp,
            session: self.session.clone(),
            seq: self.event.seq,
        }
    }
}

/// A piece of text around what was found. All offsets are bytes of the original text, not of a
/// folded one, and lie between characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snippet {
    /// The index of the searched text among the [`pieces`] of the message.
    pub piece: usize,
    /// Which sort of text it is.
    pub kind: PieceKind,
    /// The text around the first keyword.
    pub text: String,
    /// Where [`text`](Self::text) begins in its piece.
    pub start: usize,
    /// Where keywords stand in the piece, inside the snippet, in order and without overlap.
    pub found: Vec<Range<usize>>,
}

/// The place of a hit among the hits of a search.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HitMark {
    /// How many different keywords it has.
    pub keywords: u64,
    /// How often it has them.
    pub occurrences: u64,
    /// When the message was sent.
    pub at: Timestamp,
    /// Its session.
    pub session: SessionId,
    /// Its place in the session.
    pub seq: Seq,
}

impl HitMark {
    /// The place of a message in the order by age, where relevance plays no part. A store that
    /// ends a page early, before the next hit, marks the last message it looked at like this.
    #[must_use]
    pub fn at(at: Timestamp, session: SessionId, seq: Seq) -> Self {
        Self {
            keywords: 0,
            occurrences: 0,
            at,
            session,
            seq,
        }
    }

    /// Which of two hits comes first.
    #[must_use]
    pub fn cmp_in(&self, other: &Self, order: Order, scope: &Scope) -> Ordering {
        let by_age = |mark: &Self| (mark.at, mark.session.clone(), mark.seq);
        let by_rank = |mark: &Self| {
            let newest = (Reverse(mark.at), mark.session.clone(), Reverse(mark.seq));
            (Reverse(mark.keywords), Reverse(mark.occurrences), newest)
        };
        match (order, scope) {
            (Order::OldestFirst, Scope::Session(_)) => self.seq.cmp(&other.seq),
            (Order::OldestFirst, Scope::Owner(_)) => by_age(self).cmp(&by_age(other)),
            (Order::Relevance, _) => by_rank(self).cmp(&by_rank(other)),
        }
    }
}
