//! Costs of events and sizes of views: counted once, kept by the store.

use compaction_core::{Counts, MAX_TOKENS_PER_ENTRY, Outline};
use session_log::{
    Event, EventBody, Message, NewEvent, SessionId, TokenCount, View, is_erased, message_tokens,
};
use session_store::{Counters, Recount, Session};

use crate::error::Error;
use crate::sessions::Sessions;

impl Sessions {
    /// What a message costs in a request, in tokens of the service's estimator. More than a pass
    /// counts of one entry (2⁴⁰) is counted as that, so that no store refuses a message for it.
    #[must_use]
    pub fn tokens_of(&self, message: &Message) -> u64 {
        message_tokens(message, &*self.format, &*self.estimator).min(MAX_TOKENS_PER_ENTRY)
    }

    /// Gives each message event its token count, unless this estimator counted it already.
    pub(crate) fn count_all(&self, events: &mut [NewEvent]) {
        let name = self.estimator.name();
        for event in events {
            if let (false, EventBody::Message(message)) =
                (is_by(event.tokens.as_ref(), name), &event.body)
            {
                event.tokens = Some(TokenCount::new(name, self.tokens_of(message)));
            }
        }
    }

    /// What each event of the view costs as it is shown: the stored count where it is this
    /// estimator's.
    pub(crate) fn costs(&self, view: &View) -> Vec<u64> {
        let cost = |event: &Event| match &event.tokens {
            Some(count) if self.is_stored_count_good(view, event) => count.tokens,
            _ => view
                .shown(event)
                .map_or(0, |message| self.tokens_of(&message)),
        };
        view.events().iter().map(|event| cost(event)).collect()
    }

    /// Of an event that was erased a count may be stored that somebody made before.
    fn is_stored_count_good(&self, view: &View, event: &Event) -> bool {
        is_by(event.tokens.as_ref(), self.estimator.name())
            && !view.is_cleared(event.seq)
            && !event.as_message().is_some_and(is_erased)
    }

    /// The size of the view as the store keeps it, if it is known in tokens of this estimator.
    pub(crate) fn stored_counts(&self, session: &Session) -> Option<Counts> {
        let counters = session.head.counters.as_ref()?;
        let tokens = match &counters.tokens {
            Some(count) if count.estimator == self.estimator.name() => count.tokens,
            None if counters.events == 0 => 0,
            _ => return None,
        };
        Some(Counts::new(counters.events, counters.turns, tokens))
    }

    /// The size of a view for the store to keep.
    pub(crate) fn counters(&self, counts: &Counts) -> Counters {
        let tokens = TokenCount::new(self.estimator.name(), counts.tokens);
        Counters::new(counts.events, counts.turns, Some(tokens))
    }

    /// Stores counts that had to be made, so that the next trigger reads one row.
    pub(crate) async fn keep_counts(
        &self,
        session: &Session,
        view: &View,
        costs: &[u64],
        outline: &Outline,
    ) -> Result<(), Error> {
        let name = self.estimator.name();
        let is_uncounted = |event: &Event| {
            !is_by(event.tokens.as_ref(), name)
                && !view.is_cleared(event.seq)
                && !event.as_message().is_some_and(is_erased)
        };
        let counts: Vec<_> = view
            .events()
            .iter()
            .zip(costs)
            .filter(|(event, _)| is_uncounted(event))
            .map(|(event, tokens)| (event.seq, TokenCount::new(name, *tokens)))
            .collect();
        if counts.is_empty() && self.stored_counts(session).is_some() {
            return Ok(());
        }
        let recount = Recount::new(counts).with_counters(self.counters(&Counts::from(outline)));
        let (id, head) = (&session.id, &session.head);
        self.store.recount(id, head.version, recount).await?;
        self.count_what_is_left(id, head.erasures).await
    }

    /// Counts the view again if something was erased since there were so many `erasures`: an erasure
    /// moves no version, so counts from before it may have been stored behind it.
    pub(crate) async fn count_what_is_left(
        &self,
        id: &SessionId,
        erasures: u64,
    ) -> Result<(), Error> {
        let mut known = erasures;
        loop {
            let head = self.session(id).await?.head;
            if head.erasures == known {
                return Ok(());
            }
            known = head.erasures;
            let (session, view) = self.load(id).await?;
            let outline = view.outline_at(&self.costs(&view));
            let recount = Recount::new(Vec::new());
            let recount = recount.with_counters(self.counters(&Counts::from(&outline)));
            let version = session.head.version;
            if !self.store.recount(id, version, recount).await? {
                known = erasures;
            }
        }
    }
}

fn is_by(count: Option<&TokenCount>, estimator: &str) -> bool {
    count.is_some_and(|count| count.estimator == estimator)
}
