//! A summarizer that answers as a case says, and takes down what it was asked.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use session::TokenEstimator as _;
use session_log::{LineFormat, Message, MessageFormat as _, Part};
use session_summarizer::{Brief, Finish, Shown, Summarizer, SummarizerError, Summary};

use crate::case::SummarizerSpec;
use crate::fakes::CaseEstimator;
use crate::seen::CallSeen;

/// What happens while the summarizer works.
#[async_trait]
pub(crate) trait Meanwhile: Send + Sync {
    async fn happen(&self);
}

/// What summarizers were asked, in order. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<CallSeen>>>);

impl Recorder {
    /// What was asked since the last time.
    pub(crate) fn take(&self) -> Vec<CallSeen> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, call: CallSeen) -> usize {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(call);
        calls.len()
    }
}

/// The summarizer of one pass.
#[derive(Clone)]
pub(crate) struct CaseSummarizer {
    pub(crate) spec: SummarizerSpec,
    pub(crate) estimator: CaseEstimator,
    pub(crate) recorder: Recorder,
    /// How often the fakes of the case answered before.
    pub(crate) earlier: usize,
    /// What the case calls the summary turn that comes of it.
    pub(crate) name: String,
    pub(crate) meanwhile: Option<Arc<dyn Meanwhile>>,
}

impl CaseSummarizer {
    /// What the input costs: each message shown as its event costs, each prior summary as the
    /// answer it was.
    fn tokens(&self, brief: &Brief<'_>) -> u64 {
        let of_message = |message: &Message| {
            let mut text = String::new();
            LineFormat.format(message, &mut text);
            self.estimator.estimate(&text)
        };
        let of_shown = |shown: &Shown<'_>| {
            let whole = shown.event.filter(|_| shown.piece.is_none());
            match whole.and_then(|id| self.estimator.cost_of(id.as_str())) {
                Some(count) => count.tokens,
                None => of_message(&shown.message),
            }
        };
        let prior = brief.prior().iter();
        prior
            .map(|text| of_message(&Message::assistant(text.as_ref())))
            .chain(brief.covered().iter().map(of_shown))
            .fold(0, u64::saturating_add)
    }

    fn answer(&self, brief: &Brief<'_>, call: usize) -> Option<String> {
        if self.spec.echoes {
            let priors = brief.prior().iter().map(ToString::to_string);
            let shown = brief.covered().iter().map(|shown| said(&shown.message));
            let texts = priors.chain(shown).filter(|text| !text.is_empty());
            return Some(texts.collect::<Vec<_>>().join("\n"));
        }
        let answers = &self.spec.answers;
        answers.get(call).or(answers.last()).cloned().flatten()
    }
}

#[async_trait]
impl Summarizer for CaseSummarizer {
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        let tokens = self.tokens(&brief);
        let calls = self.recorder.push(CallSeen {
            prior: brief.prior().iter().map(ToString::to_string).collect(),
            covered: brief
                .covered()
                .iter()
                .filter_map(|shown| shown.event.cloned())
                .collect(),
            request: brief.request(),
            tokens,
        });
        if let Some(meanwhile) = &self.meanwhile {
            meanwhile.happen().await;
        }
        if let Some(limit) = self.spec.max_input_tokens
            && tokens > limit
        {
            let limit = Some(limit);
            return Err(SummarizerError::InputTooLong { limit });
        }
        if let Some(reason) = &self.spec.fails {
            let cause = std::io::Error::other(reason.clone());
            return Err(SummarizerError::unavailable(None).with_cause(cause));
        }
        let call = self.earlier.saturating_add(calls.saturating_sub(1));
        let Some(text) = self.answer(&brief, call) else {
            return Ok(None);
        };
        let shadow = Message::user(brief.prompt().shadow());
        self.estimator.learn(&format!("{}.u", self.name), &shadow);
        self.estimator
            .learn(&format!("{}.a", self.name), &Message::assistant(&text));
        let summary = Summary::new(text, "case")?;
        Ok(Some(match &self.spec.finish {
            Some(finish) => summary.with_finish(Finish::from_name(finish)),
            None => summary,
        }))
    }
}

/// What a message says or brings, without who says it.
fn said(message: &Message) -> String {
    let results = message.results().flat_map(|result| &result.parts);
    let texts = message
        .parts
        .iter()
        .chain(results)
        .filter_map(Part::as_text);
    texts.collect::<Vec<_>>().join("\n")
}

impl fmt::Debug for CaseSummarizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CaseSummarizer")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}
