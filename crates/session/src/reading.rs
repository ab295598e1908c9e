//! Reading events through a filter.

use std::sync::Arc;

use compaction_core::{Entry as _, EntryKind};
use session_log::{Branch, Event, Seq, SessionId, View};
use session_store::{EventQuery, SessionStoreExt as _};

use crate::error::Error;
use crate::filter::{Filter, Portion, Source, opens_turn};
use crate::sessions::Sessions;

impl Sessions {
    /// The events that `filter` asks for, oldest first; those of a view in view order.
    ///
    /// ```
    /// # futures_executor::block_on(async {
    /// # use session::{MemoryStore, Message, Sessions};
    /// # struct Characters;
    /// # impl session::TokenEstimator for Characters {
    /// #     fn name(&self) -> &str { "characters" }
    /// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
    /// # }
    /// use session::{Filter, ToolCall};
    ///
    /// # let sessions = Sessions::new(MemoryStore::new(), Characters);
    /// let id = sessions.create().await?.id;
    /// sessions.append(&id, Message::user("Is it warm?")).await?;
    /// sessions.append(&id, Message::tool_calls([ToolCall::new("k1", "weather", "{}")])).await?;
    /// sessions.append(&id, Message::tool_result("k1", "24 degrees")).await?;
    ///
    /// // The last event would be a result without its call, so the whole turn comes.
    /// assert_eq!(sessions.events(&id, &Filter::last(1)).await?.len(), 3);
    /// # Ok::<(), session::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] for a page or a number of events of zero; [`Error::UnknownSession`],
    /// [`Error::Store`].
    pub async fn events(&self, id: &SessionId, filter: &Filter) -> Result<Vec<Arc<Event>>, Error> {
        filter.check()?;
        filter.query().check()?;
        if filter.source == Source::View {
            let query = filter.query();
            let view = self.view(id).await?;
            let events = view.events().iter().filter(|event| query.accepts(event));
            return Ok(part_of(events.cloned().collect(), filter));
        }
        let session = self.session(id).await?;
        match filter.portion {
            Portion::Last(count) => self.last(id, filter, count).await,
            Portion::Events { page, size } => {
                let first = page.saturating_mul(size);
                if first as u64 >= session.head.version.as_u64() {
                    return Ok(Vec::new());
                }
                let end = first.saturating_add(size);
                let read = self.store.read_first(id, filter.query(), end).await?;
                Ok(read.into_iter().skip(first).collect())
            }
            Portion::Turns { page, size } => self.turns(id, filter, page, size).await,
            Portion::Whole => Ok(self.store.read_all(id, filter.query()).await?),
        }
    }

    /// What a branch sees of the session now: the root's events, those of its ancestors and its
    /// own.
    ///
    /// # Errors
    ///
    /// As [`view`](Self::view).
    pub async fn view_for(&self, id: &SessionId, branch: &Branch) -> Result<View, Error> {
        Ok(self.view(id).await?.visible_to(branch))
    }

    /// The last events, moved back to where their turn begins.
    async fn last(
        &self,
        id: &SessionId,
        filter: &Filter,
        count: usize,
    ) -> Result<Vec<Arc<Event>>, Error> {
        let mut newest = self.store.read_newest(id, filter.query(), count).await?;
        let Some(first) = newest.first() else {
            return Ok(newest);
        };
        if !filter.shows_turns() || opens_turn(first) {
            return Ok(newest);
        }
        let Some(before) = Seq::new(first.seq.as_u64().saturating_sub(1)) else {
            return Ok(newest);
        };
        let starts = filter
            .query()
            .with_kinds([EntryKind::TurnStart, EntryKind::Summary])
            .with_to(before)
            .newest(2);
        // Of a summary turn the prompt is the older of two.
        let starts = self.store.read(id, &starts).await?.items;
        let Some(start) = starts.iter().find(|event| opens_turn(event)) else {
            return Ok(newest);
        };
        let missing = filter.query().with_from(start.seq).with_to(before);
        let mut events = self.store.read_all(id, missing).await?;
        events.append(&mut newest);
        Ok(events)
    }

    /// A page of whole turns.
    async fn turns(
        &self,
        id: &SessionId,
        filter: &Filter,
        page: usize,
        size: usize,
    ) -> Result<Vec<Arc<Event>>, Error> {
        let first = page.saturating_mul(size);
        // Turns are told by who opens them, whatever else the filter shows.
        let mut starts = EventQuery::all().with_kinds([EntryKind::TurnStart]);
        starts.branches = filter.query().branches;
        let count = first.saturating_add(size).saturating_add(1);
        let starts = self.store.read_first(id, starts, count).await?;
        if first > 0 && first >= starts.len() {
            return Ok(Vec::new());
        }
        let mut query = filter.query();
        if first > 0 {
            query.from = starts.get(first).map(|event| event.seq);
        }
        let next = starts.get(first.saturating_add(size));
        query.to = next.and_then(|event| Seq::new(event.seq.as_u64().saturating_sub(1)));
        if next.is_some() && query.to.is_none() {
            return Ok(Vec::new());
        }
        Ok(self.store.read_all(id, query).await?)
    }
}

/// The part of a view that the filter asks for.
fn part_of(events: Vec<Arc<Event>>, filter: &Filter) -> Vec<Arc<Event>> {
    match filter.portion {
        Portion::Whole => events,
        Portion::Last(count) => {
            let raw = events.len().saturating_sub(count);
            let is_start = |at: &usize| events.get(*at).is_some_and(|event| opens_turn(event));
            let start = match filter.shows_turns() {
                true => (0..=raw).rev().find(is_start).unwrap_or(raw),
                false => raw,
            };
            events.into_iter().skip(start).collect()
        }
        Portion::Events { page, size } => {
            let first = page.saturating_mul(size);
            events.into_iter().skip(first).take(size).collect()
        }
        Portion::Turns { page, size } => {
            let starts: Vec<_> = events
                .iter()
                .enumerate()
                .filter(|(_, event)| event.kind() == EntryKind::TurnStart)
                .map(|(at, _)| at)
                .collect();
            let first = page.saturating_mul(size);
            let start = match first {
                0 => 0,
                first => starts.get(first).copied().unwrap_or(events.len()),
            };
            let end = starts.get(first.saturating_add(size)).copied();
            let end = end.unwrap_or(events.len());
            let taken = end.saturating_sub(start);
            events.into_iter().skip(start).take(taken).collect()
        }
    }
}
