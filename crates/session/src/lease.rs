//! Passes in the background of several processes: one makes the summary, the others do not pay for
//! it again.

use std::time::Duration;

use compaction_core::Counts;
use serde_json::{Value, json};
use session_log::{Event, EventBody, EventId, EventType, Json, NewEvent, SessionId, Timestamp};
use session_store::{Appended, Batch, EventQuery, Expected};

use crate::compaction::Compaction;
use crate::error::Error;
use crate::report::{Outcome, Report};
use crate::sessions::{Sessions, fresh_id};

/// Who runs passes, and how long nobody else is to begin one.
///
/// ```
/// use std::time::Duration;
/// use session::Lease;
///
/// let lease = Lease::new("worker-7", Duration::from_secs(120));
/// # let _ = lease;
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    holder: String,
    lasts: Duration,
}

impl Lease {
    /// A lease for `holder`, whose name no other process has. It should last longer than a summary
    /// takes: when its holder dies, it is what others wait for.
    #[must_use]
    pub fn new(holder: impl Into<String>, lasts: Duration) -> Self {
        Self {
            holder: holder.into(),
            lasts,
        }
    }
}

impl Sessions {
    /// Runs one pass unless another process is at one: that is the outcome
    /// [`Declined`](Outcome::Declined), with the reason `leased`. When the trigger does not fire no
    /// lease is taken.
    ///
    /// A lease saves money and is no lock: what is true is decided by the version check, whatever
    /// clocks say. It takes two small events of the log.
    ///
    /// ```
    /// # futures_executor::block_on(async {
    /// # use session::{MemoryStore, Message, Sessions};
    /// # struct Characters;
    /// # impl session::TokenEstimator for Characters {
    /// #     fn name(&self) -> &str { "characters" }
    /// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
    /// # }
    /// # let sessions = Sessions::new(MemoryStore::new(), Characters);
    /// # let id = sessions.create().await?.id;
    /// # sessions.append(&id, Message::user("one")).await?;
    /// # sessions.append(&id, Message::user("two")).await?;
    /// use std::time::Duration;
    /// use session::{Compaction, Lease, Window};
    ///
    /// let compaction = Compaction::builder(Window::Turns(1)).build()?;
    /// let lease = Lease::new("worker-7", Duration::from_secs(120));
    /// let report = sessions.compact_leased(&id, &compaction, &lease).await?;
    /// assert_eq!(report.outcome.as_str(), "compacted");
    /// # Ok::<(), session::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As [`compact`](Self::compact).
    pub async fn compact_leased(
        &self,
        id: &SessionId,
        compaction: &Compaction,
        lease: &Lease,
    ) -> Result<Report, Error> {
        if let Some(report) = self.nothing_due(id, compaction).await? {
            return Ok(report);
        }
        if !self.take(id, lease).await? {
            let session = self.session(id).await?;
            let counts = self.stored_counts(&session).unwrap_or_default();
            return Ok(self.leased(&session, &counts, compaction));
        }
        let passed = self.compact(id, compaction).await;
        // A lease that cannot be given back runs out.
        let given_back = self.say(id, Expected::Any, lease, self.clock.now()).await;
        if let Err(error) = given_back {
            tracing::warn!(session = %id, %error, "a lease was not given back");
        }
        passed
    }

    fn leased(
        &self,
        session: &session_store::Session,
        counts: &Counts,
        compaction: &Compaction,
    ) -> Report {
        let verdict = compaction.trigger.check(counts);
        let mut report = self.report(session, &verdict, compaction);
        report.outcome = Outcome::Declined;
        report.declined = Some("leased".into());
        report
    }

    /// Takes the lease unless somebody else has it.
    async fn take(&self, id: &SessionId, lease: &Lease) -> Result<bool, Error> {
        loop {
            let version = self.session(id).await?.head.version;
            let newest = EventQuery::all().with_types([EventType::LEASE]).newest(1);
            let newest = self.store.read(id, &newest).await?.items;
            let now = self.clock.now();
            let held = newest.first().and_then(|event| Held::of(event));
            if held.is_some_and(|held| held.until > now && held.holder != lease.holder) {
                return Ok(false);
            }
            let lasts = i64::try_from(lease.lasts.as_millis()).unwrap_or(i64::MAX);
            let until = now.plus_millis(lasts);
            if self.say(id, Expected::Exact(version), lease, until).await? {
                return Ok(true);
            }
        }
    }

    /// Appends who has the lease until when; `false` when somebody was faster.
    async fn say(
        &self,
        id: &SessionId,
        expected: Expected,
        lease: &Lease,
        until: Timestamp,
    ) -> Result<bool, Error> {
        let payload = json!({"holder": lease.holder, "until": until.as_millis()});
        let body = EventBody::Custom {
            event_type: EventType::LEASE,
            payload: Json::from_value(&payload),
        };
        let event = NewEvent::new(EventId::new(fresh_id())?, self.clock.now(), body);
        let appended = self.store.append(id, expected, Batch::from(event)).await?;
        Ok(matches!(appended, Appended::Done(_)))
    }
}

/// Who has the lease until when.
struct Held {
    holder: String,
    until: Timestamp,
}

impl Held {
    /// What a lease event says; `None` when it says nothing that can be understood.
    fn of(event: &Event) -> Option<Self> {
        let EventBody::Custom { payload, .. } = &event.body else {
            return None;
        };
        let payload: Value = serde_json::from_str(payload.as_str()).ok()?;
        Some(Self {
            holder: payload.get("holder")?.as_str()?.to_owned(),
            until: Timestamp::from_millis(payload.get("until")?.as_i64()?),
        })
    }
}
