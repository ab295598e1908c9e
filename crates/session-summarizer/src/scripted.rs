//! A summarizer that answers from a list, for tests.

use core::fmt;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use session_log::EventId;

use crate::brief::Brief;
use crate::error::SummarizerError;
use crate::port::Summarizer;
use crate::prompt::Request;
use crate::summary::Summary;

/// Answers from a list and remembers what it was asked. Clones share both.
///
/// ```
/// use session_log::Message;
/// use session_summarizer::{Answer, Brief, Scripted, Summarizer};
///
/// let scripted = Scripted::new([Answer::text("The gate is fixed."), Answer::Decline]);
/// let talk = [Message::user("Fix the gate.")];
/// # let pass = async {
/// let first = scripted.summarize(Brief::new(&talk)).await.unwrap();
/// assert_eq!(first.unwrap().text(), "The gate is fixed.");
/// assert!(scripted.summarize(Brief::new(&talk)).await.unwrap().is_none());
/// # };
/// # let mut pass = std::pin::pin!(pass);
/// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// # assert!(std::future::Future::poll(pass.as_mut(), &mut context).is_ready());
/// assert_eq!(scripted.asked().len(), 2);
/// assert!(scripted.asked()[0].request.user.contains("User: Fix the gate."));
/// ```
#[derive(Clone)]
pub struct Scripted {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    always: Option<Answer>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// One answer of a [`Scripted`] summarizer.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "these are the three endings the port has"
)]
pub enum Answer {
    /// A summary.
    Summary(Summary),
    /// No summary.
    Decline,
    /// An error.
    Error(SummarizerError),
}

impl Answer {
    /// A summary of this text, by a model that says it is done. Blank text is what a blank answer
    /// of a model is: an error that names the fault.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        match Summary::new(text, "scripted") {
            Ok(summary) => Self::Summary(summary),
            Err(blank) => Self::Error(blank.into()),
        }
    }
}

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<SummarizerError> for Answer {
    fn from(error: SummarizerError) -> Self {
        Self::Error(error)
    }
}

/// What a [`Scripted`] summarizer was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// The prior summaries.
    pub prior: Vec<String>,
    /// The events covered, where messages came with an event; a piece of a message names its event.
    pub covered: Vec<EventId>,
    /// The events shown for continuity.
    pub overlap: Vec<EventId>,
    /// The most tokens the summary may have.
    pub budget: Option<u64>,
    /// The brief as text.
    pub request: Request,
}

impl Asked {
    /// What `brief` asks.
    #[must_use]
    pub fn of(brief: &Brief<'_>) -> Self {
        let ids = |shown: &[crate::brief::Shown<'_>]| {
            shown.iter().filter_map(|it| it.event.cloned()).collect()
        };
        Self {
            prior: brief.prior().iter().map(|text| text.to_string()).collect(),
            covered: ids(brief.covered()),
            overlap: ids(brief.overlap()),
            budget: brief.budget(),
            request: brief.request(),
        }
    }
}

impl Scripted {
    /// Gives these answers, one a call, in order. A call too many is rejected.
    #[must_use]
    pub fn new<A: Into<Answer>>(answers: impl IntoIterator<Item = A>) -> Self {
        Self {
            answers: Arc::new(Mutex::new(answers.into_iter().map(Into::into).collect())),
            always: None,
            asked: Arc::default(),
        }
    }

    /// Gives the same answer each time.
    #[must_use]
    pub fn always(answer: impl Into<Answer>) -> Self {
        Self {
            always: Some(answer.into()),
            ..Self::new(Vec::<Answer>::new())
        }
    }

    /// What was asked so far, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn next(&self) -> Answer {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let next = answers.pop_front().or_else(|| self.always.clone());
        next.unwrap_or_else(|| SummarizerError::rejected("the script has no more answers").into())
    }
}

#[async_trait]
impl Summarizer for Scripted {
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Asked::of(&brief));
        match self.next() {
            Answer::Summary(summary) => Ok(Some(summary)),
            Answer::Decline => Ok(None),
            Answer::Error(error) => Err(error),
        }
    }
}

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripted")
            .field("asked", &self.asked().len())
            .finish_non_exhaustive()
    }
}
