//! Finds the keywords of a search in events.

use std::ops::Range;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use session_log::{Event, Message, Role, SessionId, Timestamp};

use super::{Hit, Keywords, Piece, Reach, SearchQuery, Snippet, fold, fold_char, pieces};
use crate::events::has_role;

/// How many characters a snippet shows before and after the first keyword.
const CONTEXT: usize = 80;

/// A search made ready to look at many events.
///
/// ```
/// use session_log::{EventId, Message, NewEvent, Seq, SessionId, Timestamp};
/// use session_store::SearchQuery;
/// use session_store::search::Matcher;
///
/// let id = EventId::new("e1").unwrap();
/// let event = NewEvent::message(id, Timestamp::from_millis(0), Message::user("Open CAFÉ"));
/// let event = event.at(Seq::FIRST).into();
///
/// let matcher = Matcher::new(&SearchQuery::new(["café"]));
/// let hit = matcher.hit(&SessionId::new("s1").unwrap(), &event).unwrap();
/// assert_eq!(hit.snippet.text, "Open CAFÉ");
/// assert_eq!(hit.snippet.found, [5..10]); // bytes of the original text
/// ```
#[derive(Clone, Debug)]
pub struct Matcher {
    words: Vec<String>,
    keywords: Keywords,
    roles: Vec<Role>,
    since: Option<Timestamp>,
    reach: Reach,
}

impl Matcher {
    /// Prepares `query`.
    #[must_use]
    pub fn new(query: &SearchQuery) -> Self {
        let mut words: Vec<String> = query.words.iter().map(|word| fold(word)).collect();
        words.sort_unstable();
        words.dedup();
        Self {
            words,
            keywords: query.keywords,
            roles: query.roles.clone(),
            since: query.since,
            reach: query.reach,
        }
    }

    /// The folded keywords, each once.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether the search finds `event`.
    #[must_use]
    pub fn matches(&self, event: &Event) -> bool {
        self.message(event)
            .is_some_and(|message| self.look(message).is_some())
    }

    /// What the search finds in `event`, if it finds it.
    #[must_use]
    pub fn hit(&self, session: &SessionId, event: &Arc<Event>) -> Option<Hit> {
        let message = self.message(event)?;
        let found = self.look(message)?;
        Some(Hit {
            session: session.clone(),
            event: Arc::clone(event),
            snippet: self.snippet(message, found.piece),
            keywords: found.keywords,
            occurrences: found.occurrences,
        })
    }

    /// The message of `event`, if it may be found at all.
    fn message<'a>(&self, event: &'a Event) -> Option<&'a Message> {
        let is_eligible = !event.origin.is_synthetic()
            && self.since.is_none_or(|since| since <= event.timestamp)
            && (self.roles.is_empty() || has_role(event, &self.roles));
        event.as_message().filter(|_| is_eligible)
    }

    fn look(&self, message: &Message) -> Option<Found> {
        let mut counts = std::vec![0_u64; self.words.len()];
        let mut first = None;
        for (index, piece) in pieces(message, self.reach).iter().enumerate() {
            let text = fold(piece.text);
            for (word, count) in self.words.iter().zip(&mut counts) {
                let more = u64::try_from(text.matches(word).count()).unwrap_or(u64::MAX);
                *count = count.saturating_add(more);
                if more > 0 {
                    first = first.or(Some(index));
                }
            }
        }
        let keywords = counts.iter().filter(|count| **count > 0).count();
        let is_found = match self.keywords {
            Keywords::Any => keywords > 0,
            Keywords::All => keywords == self.words.len(),
        };
        Some(Found {
            piece: first.filter(|_| is_found)?,
            keywords: u64::try_from(keywords).unwrap_or(u64::MAX),
            occurrences: counts
                .iter()
                .fold(0, |sum, count| sum.saturating_add(*count)),
        })
    }

    fn snippet(&self, message: &Message, index: usize) -> Snippet {
        let all = pieces(message, self.reach);
        let Some(piece) = all.get(index) else {
            return Snippet::default();
        };
        let window = self.window(piece);
        let text = piece.text.get(window.clone()).unwrap_or_default();
        Snippet {
            piece: index,
            kind: piece.kind,
            text: text.into(),
            start: window.start,
            found: self.ranges(text, window.start),
        }
    }

    /// The bytes of the piece from some characters before the first keyword to some after it.
    fn window(&self, piece: &Piece<'_>) -> Range<usize> {
        let folded = fold(piece.text);
        let firsts = self.words.iter().filter_map(|word| {
            let at = folded.find(word.as_str())?;
            Some((at, std::cmp::Reverse(word.chars().count())))
        });
        let Some((at, std::cmp::Reverse(length))) = firsts.min() else {
            return 0..0;
        };
        let start = original_offset(piece.text, at);
        let (before, from) = piece.text.split_at_checked(start).unwrap_or_default();
        let back = before.chars().rev().take(CONTEXT).map(char::len_utf8);
        let ahead = from.chars().take(length.saturating_add(CONTEXT));
        let end = ahead.map(char::len_utf8).fold(start, usize::saturating_add);
        start.saturating_sub(back.sum())..end
    }

    /// Where the words stand in `text`, which begins at `start` of its piece.
    fn ranges(&self, text: &str, start: usize) -> Vec<Range<usize>> {
        let folded = fold(text);
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for word in &self.words {
            for (at, found) in folded.match_indices(word.as_str()) {
                let end = at.saturating_add(found.len());
                let from = original_offset(text, at).saturating_add(start);
                let to = original_offset(text, end).saturating_add(start);
                ranges.push(from..to);
            }
        }
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        merged
    }
}

struct Found {
    piece: usize,
    keywords: u64,
    occurrences: u64,
}

/// The byte of `text` that became byte `folded` of its folded form. Folding may change how many
/// bytes a character has, never how many characters there are.
fn original_offset(text: &str, folded: usize) -> usize {
    let mut at = 0_usize;
    for (offset, c) in text.char_indices() {
        if at >= folded {
            return offset;
        }
        at = at.saturating_add(fold_char(c).len_utf8());
    }
    text.len()
}
