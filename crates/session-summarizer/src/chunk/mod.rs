//! Folding in chunks what does not fit a summarizer at once.

mod plan;
mod split;

use core::fmt;
use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use compaction_core::TokenEstimator;
use session_log::{Message, Part, Role};

use self::plan::{chunks, is_covered};
use crate::brief::{Brief, Shown};
use crate::error::SummarizerError;
use crate::fault::Fault;
use crate::port::Summarizer;
use crate::summary::{Summary, Usage};

/// Folds a brief that is over its summarizer's input limit in chunks: each call shows the next
/// chunk, with the summary so far as the prior one.
///
/// - *Coverage.* Every covered message is shown exactly once, in order. One that is larger than a
///   chunk is split into pieces, which together say all of it. This is compared before the first
///   call is made. A prior summary that is too large is folded in too, first of all.
/// - *Bounded.* No request is over the limit as the estimator counts it, and how many calls there
///   will be is known before the first: more than [`with_most_calls`](Self::with_most_calls)
///   allows are not begun. Besides the brief itself only the pieces of oversized messages are held
///   in memory.
/// - *All or nothing.* When one call declines or fails, so does the whole.
/// - *It learns.* When the summarizer says that an input was too long after all, what is left is
///   folded in smaller chunks.
///
/// The summary so far may take a quarter of the limit. The overlap is shown with the last chunk, if
/// it takes no more than another quarter. A brief that fits is passed on as it is.
///
/// To rebuild a summary from the log instead of from the prior summary, make the brief over all
/// events and give it no prior.
///
/// ```
/// # use session_log::Message;
/// # struct Characters;
/// # impl compaction_core::TokenEstimator for Characters {
/// #     fn name(&self) -> &str { "characters" }
/// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
/// # }
/// use session_summarizer::{Brief, Chunked, Scripted, Summarizer};
///
/// let model = Scripted::new(["first half", "all of it"]);
/// let talk = [Message::user("x".repeat(3_000)), Message::assistant("y".repeat(3_000))];
/// let chunked = Chunked::new(model.clone(), 7_000, Characters);
/// assert_eq!(chunked.calls(&Brief::new(&talk)).unwrap(), 2);
/// # let pass = async {
/// let summary = chunked.summarize(Brief::new(&talk)).await.unwrap().unwrap();
/// assert_eq!(summary.text(), "all of it");
/// # };
/// # let mut pass = std::pin::pin!(pass);
/// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// # assert!(std::future::Future::poll(pass.as_mut(), &mut context).is_ready());
/// assert_eq!(model.asked()[1].prior, ["first half"]);
/// ```
#[derive(Clone)]
pub struct Chunked<S> {
    inner: S,
    limit: u64,
    estimator: Arc<dyn TokenEstimator>,
    most_calls: usize,
}

/// How often the limit may shrink during one fold.
const MOST_LESSONS: u32 = 4;

impl<S> Chunked<S> {
    /// The most calls of one fold unless others are set: at a limit of 8,000 tokens, of which two
    /// thirds are conversation, more than two megabytes of it.
    pub const MOST_CALLS: usize = 128;

    /// Folds so that no request to `inner` is over `limit` tokens as `estimator` counts them. The
    /// limit is the model's context less what it may write.
    #[must_use]
    pub fn new(inner: S, limit: u64, estimator: impl TokenEstimator + 'static) -> Self {
        Self {
            inner,
            limit,
            estimator: Arc::new(estimator),
            most_calls: Self::MOST_CALLS,
        }
    }

    /// Begins no fold that needs more than `calls` calls.
    #[must_use]
    pub fn with_most_calls(mut self, calls: usize) -> Self {
        self.most_calls = calls;
        self
    }

    /// How many calls summarizing `brief` takes.
    ///
    /// # Errors
    ///
    /// [`SummarizerError::InputTooLong`] when there is no room for a chunk beside the prompt and
    /// the summary so far, or more calls are needed than allowed.
    pub fn calls(&self, brief: &Brief<'_>) -> Result<usize, SummarizerError> {
        if self.cost(brief) <= self.limit {
            return Ok(1);
        }
        Ok(self.fold(brief, self.limit)?.chunks.len())
    }

    /// The tokens of the request that a brief becomes, paragraph by paragraph: what is packed by
    /// its parts is measured by its parts.
    fn cost(&self, brief: &Brief<'_>) -> u64 {
        let around = brief
            .over(brief.prior().to_vec(), Vec::new())
            .with_overlap(brief.overlap().to_vec())
            .request();
        let system = self.estimator.estimate(&around.system);
        let user = self.estimator.estimate(&around.user);
        brief
            .covered()
            .iter()
            .map(|shown| self.paragraph(brief, shown))
            .fold(system.saturating_add(user), u64::saturating_add)
    }

    /// The tokens of a message in the request, with its line break.
    fn paragraph(&self, brief: &Brief<'_>, shown: &Shown<'_>) -> u64 {
        let text = brief.prompt().paragraph(shown);
        self.estimator.estimate(&text).saturating_add(1)
    }

    /// The tokens of a summary so far.
    fn running_budget(brief: &Brief<'_>, limit: u64) -> u64 {
        brief.budget().unwrap_or(u64::MAX).min(limit / 4)
    }

    /// What to show in which call so that no request is over `limit`.
    fn fold<'a>(&self, brief: &Brief<'a>, limit: u64) -> Result<Fold<'a>, SummarizerError> {
        let too_long = SummarizerError::InputTooLong { limit: Some(limit) };
        let running = Self::running_budget(brief, limit);
        let prior_tokens = brief
            .prior()
            .iter()
            .map(|text| self.estimator.estimate(text))
            .fold(0, u64::saturating_add);

        // A prior summary that is larger than one of ours is material like the rest.
        let mut prior = brief.prior().to_vec();
        let mut covered = Vec::new();
        if prior_tokens > running {
            covered.extend(prior.drain(..).map(summary_as_message));
        }
        covered.extend(brief.covered().iter().cloned());

        let placeholder = vec![Cow::Borrowed("=")];
        let fixed = self.cost(&brief.over(placeholder, Vec::new()).with_budget(u64::MAX));
        let with_overlap = brief
            .over(Vec::new(), Vec::new())
            .with_overlap(brief.overlap().to_vec());
        let overlap = self
            .cost(&with_overlap)
            .saturating_sub(self.cost(&brief.over(Vec::new(), Vec::new())));
        let shows_overlap = overlap <= limit / 4;
        let taken = fixed
            .saturating_add(running)
            .saturating_add(if shows_overlap { overlap } else { 0 });
        // With less room than an eighth of the limit nearly every call would be prompt.
        let room = limit.saturating_sub(taken);
        if room < (limit / 8).max(16) {
            return Err(too_long);
        }

        let chunks = chunks(&covered, room, &|shown| self.paragraph(brief, shown));
        if chunks.len() > self.most_calls {
            return Err(too_long);
        }
        if !is_covered(&covered, &chunks) {
            let reason = "the chunks do not show the input exactly once";
            return Err(SummarizerError::rejected(reason));
        }
        Ok(Fold {
            prior,
            chunks,
            running,
            shows_overlap,
        })
    }
}

/// What is shown in which call.
struct Fold<'a> {
    prior: Vec<Cow<'a, str>>,
    chunks: Vec<Vec<Shown<'a>>>,
    running: u64,
    shows_overlap: bool,
}

impl<S: Summarizer> Chunked<S> {
    /// Folds chunk by chunk. When the summarizer finds a chunk too long, what is left and the
    /// summary so far come back.
    async fn run<'a>(
        &self,
        brief: &Brief<'a>,
        limit: u64,
        so_far: Option<Summary>,
    ) -> Result<Run<'a>, SummarizerError> {
        // A fold that comes to nothing was paid for as far as it came.
        let give_up = |so_far: &Option<Summary>| brief.lost(usage_of(so_far));
        let fold = self.fold(brief, limit).inspect_err(|_| give_up(&so_far));
        let Fold {
            mut prior,
            chunks,
            running,
            shows_overlap,
        } = fold?;
        let mut so_far = so_far;
        let mut chunks = chunks.into_iter().peekable();
        while let Some(chunk) = chunks.next() {
            let is_last = chunks.peek().is_none();
            let mut part = brief.over(prior.clone(), chunk);
            if !is_last {
                part = part.with_budget(running);
            } else if shows_overlap {
                part = part.with_overlap(brief.overlap().to_vec());
            }
            let tried = self.cost(&part);
            if tried > limit {
                give_up(&so_far);
                return Err(self.too_large(so_far.as_ref(), running, limit));
            }
            let summary = match self.inner.summarize(part.clone()).await {
                Ok(Some(summary)) => summary,
                Ok(None) => {
                    give_up(&so_far);
                    return Ok(Run::Done(None));
                }
                Err(SummarizerError::InputTooLong { limit }) => {
                    let left = part.covered().iter().cloned().chain(chunks.flatten());
                    return Ok(Run::TooLong {
                        limit: smaller(limit, tried),
                        so_far,
                        prior,
                        left: left.collect(),
                    });
                }
                Err(error) => {
                    give_up(&so_far);
                    return Err(error);
                }
            };
            prior = vec![Cow::Owned(summary.text().to_owned())];
            so_far = Some(match &so_far {
                Some(earlier) => summary.after(earlier),
                None => summary,
            });
        }
        Ok(Run::Done(so_far))
    }
}

impl<S> Chunked<S> {
    /// Why a planned request is over the limit after all: the summary so far is longer than it was
    /// allowed to be, or there is a part that cannot be cut.
    fn too_large(&self, so_far: Option<&Summary>, running: u64, limit: u64) -> SummarizerError {
        let summary = so_far.map_or(0, |it| self.estimator.estimate(it.text()));
        if summary > running {
            return SummarizerError::invalid(Fault::OverBudget {
                summary,
                budget: running,
            });
        }
        SummarizerError::InputTooLong { limit: Some(limit) }
    }
}

/// How a fold ends.
enum Run<'a> {
    Done(Option<Summary>),
    TooLong {
        /// The limit to go on with.
        limit: u64,
        so_far: Option<Summary>,
        prior: Vec<Cow<'a, str>>,
        left: Vec<Shown<'a>>,
    },
}

#[async_trait]
impl<S: Summarizer> Summarizer for Chunked<S> {
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        let mut limit = self.limit;
        let tried = self.cost(&brief);
        if tried <= limit {
            match self.inner.summarize(brief.clone()).await {
                Err(SummarizerError::InputTooLong { limit: told }) => {
                    limit = smaller(told, tried);
                }
                answer => return answer,
            }
        }
        let overlap = brief.overlap().to_vec();
        let mut left = brief;
        let mut so_far = None;
        for _ in 0..MOST_LESSONS {
            match self.run(&left, limit, so_far).await? {
                Run::Done(summary) => return Ok(summary),
                Run::TooLong {
                    limit: told,
                    so_far: summary,
                    prior,
                    left: covered,
                } => {
                    limit = told;
                    so_far = summary;
                    left = left.over(prior, covered).with_overlap(overlap.clone());
                }
            }
        }
        left.lost(usage_of(&so_far));
        Err(SummarizerError::InputTooLong { limit: Some(limit) })
    }
}

/// The limit that the summarizer names, if it explains why the request was too long; where the
/// estimator counts less than the summarizer does, half of what was tried.
fn smaller(told: Option<u64>, tried: u64) -> u64 {
    told.filter(|told| *told < tried).unwrap_or(tried / 2)
}

fn usage_of(summary: &Option<Summary>) -> Usage {
    summary.as_ref().map(Summary::usage).unwrap_or_default()
}

fn summary_as_message(text: Cow<'_, str>) -> Shown<'_> {
    let message = Message::new(
        Role::Other("Earlier summary".into()),
        vec![Part::text(text.into_owned())],
    );
    message.into()
}

impl<S: fmt::Debug> fmt::Debug for Chunked<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunked")
            .field("inner", &self.inner)
            .field("limit", &self.limit)
            .field("estimator", &self.estimator.name())
            .field("most_calls", &self.most_calls)
            .finish()
    }
}
