//! Landing a plan.

use session_log::{EventBody, EventId, Seq, Version};
use session_store::{Appended, Batch, Counters, EventQuery, Expected, SessionStoreExt as _};

use crate::compaction::OnConflict;
use crate::error::Error;
use crate::plan::PassPlan;
use crate::report::{Outcome, Report};
use crate::sessions::Sessions;

/// How often a plan is offered again while others append. Each time somebody else got ahead, so
/// this is never reached unless appends come without a pause.
const MOST_REBASES: usize = 64;

impl Sessions {
    /// Lands a plan, unchanged: one boundary, and its summary turn, in one version-checked append.
    ///
    /// A plan that something else overtook does not land; the outcome is
    /// [`Outcome::Stale`](crate::Outcome::Stale). Committing a plan that landed already changes
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`] or [`Error::Store`].
    #[tracing::instrument(skip_all, fields(gen_ai.conversation.id = %plan.session()))]
    pub async fn commit(&self, plan: &PassPlan, on_conflict: OnConflict) -> Result<Report, Error> {
        let mut base = Base {
            version: plan.based_on,
            counters: Some(plan.counters.clone()),
        };
        if self.session(plan.session()).await?.head.erasures != plan.erasures {
            return self.stale(plan).await;
        }
        for _ in 0..MOST_REBASES {
            let mut batch = Batch::new(plan.events.clone());
            batch.counters = base.counters.clone();
            let expected = Expected::Exact(base.version);
            match self.store.append(plan.session(), expected, batch).await? {
                Appended::Done(written) => {
                    let boundary = written.events.first().map(|event| event.seq);
                    let live = written.head.boundary.as_ref().map(|mark| mark.seq);
                    if written.new == 0 && boundary != live {
                        return self.stale(plan).await;
                    }
                    if written.head.erasures != plan.erasures {
                        let id = plan.session();
                        let counted = self.count_what_is_left(id, plan.erasures).await;
                        // It landed all the same.
                        if let Err(error) = counted {
                            tracing::warn!(session = %id, %error, "the view was not counted again");
                        }
                    }
                    let mut report = plan.report.clone();
                    report.version = written.head.version;
                    report.boundary = boundary;
                    return Ok(report);
                }
                Appended::Conflict { .. } if on_conflict == OnConflict::Skip => break,
                Appended::Conflict { .. } => match self.rebase(plan).await? {
                    Some(newer) => base = newer,
                    None => break,
                },
            }
        }
        self.stale(plan).await
    }

    /// The version the plan can land at now, if all that came since was appended events.
    async fn rebase(&self, plan: &PassPlan) -> Result<Option<Base>, Error> {
        let session = self.session(plan.session()).await?;
        let version = session.head.version;
        let Some(last) = Seq::new(version.as_u64()) else {
            return Ok(None);
        };
        if session.head.erasures != plan.erasures || version < plan.based_on {
            return Ok(None);
        }
        if version == plan.based_on {
            let counters = Some(plan.counters.clone());
            return Ok(Some(Base { version, counters }));
        }
        let since = EventQuery::all()
            .with_from(plan.based_on.next_seq())
            .with_to(last);
        let mut counters: Option<Counters> = Some(plan.counters.clone());
        for event in self.store.read_all(plan.session(), since).await? {
            match &event.body {
                EventBody::Message(_) | EventBody::Custom { .. } => {
                    counters = counters.and_then(|counters| counters.and(&event));
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(Base { version, counters }))
    }

    async fn stale(&self, plan: &PassPlan) -> Result<Report, Error> {
        let mut report = plan.report.clone();
        report.outcome = Outcome::Stale;
        report.version = self.session(plan.session()).await?.head.version;
        report.after = report.before;
        report.summary = None;
        let lists: [&mut Vec<EventId>; 5] = [
            &mut report.pinned,
            &mut report.superseded,
            &mut report.covered,
            &mut report.cleared,
            &mut report.preserved,
        ];
        for list in lists {
            list.clear();
        }
        Ok(report)
    }
}

/// What a plan lands on: a version of the log, and the size of the view after it.
struct Base {
    version: Version,
    counters: Option<Counters>,
}
