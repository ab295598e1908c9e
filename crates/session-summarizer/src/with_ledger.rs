//! A model's summary with the ledger under it.

use std::borrow::Cow;

use async_trait::async_trait;

use crate::brief::Brief;
use crate::check::room_tokens;
use crate::error::SummarizerError;
use crate::ledger::{Ledger, split_ledger};
use crate::port::Summarizer;
use crate::summary::Summary;

/// Puts a [`Ledger`] under the summary of another summarizer, within the same budget.
///
/// A model tells what it was about; the ledger keeps what must be exact, whatever the model
/// forgets. The ledger takes at most a third of the budget, the model is told what is left, and
/// where its summary is longer the ledger gives way. Of the prior summary each gets its own part.
///
/// ```
/// # use session_log::Message;
/// # struct Characters;
/// # impl compaction_core::TokenEstimator for Characters {
/// #     fn name(&self) -> &str { "characters" }
/// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
/// # }
/// use session_summarizer::{Brief, Ledger, Scripted, Summarizer, WithLedger};
///
/// let model = Scripted::new(["The login is fixed."]);
/// let summarizer = WithLedger::new(model, Ledger::new(Characters));
/// let talk = [
///     Message::user("Fix the login."),
///     Message::assistant("Done. ".repeat(30) + "The fault was in src/auth.rs."),
/// ];
/// # let pass = async {
/// let summary = summarizer.summarize(Brief::new(&talk)).await.unwrap().unwrap();
/// assert!(summary.text().starts_with("The login is fixed.\n\n# Ledger\n"));
/// assert!(summary.text().contains("- src/auth.rs"));
/// # };
/// # let mut pass = std::pin::pin!(pass);
/// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// # assert!(std::future::Future::poll(pass.as_mut(), &mut context).is_ready());
/// ```
#[derive(Clone, Debug)]
pub struct WithLedger<S> {
    inner: S,
    ledger: Ledger,
}

impl<S> WithLedger<S> {
    /// Puts `ledger` under the summaries of `inner`.
    #[must_use]
    pub fn new(inner: S, ledger: Ledger) -> Self {
        Self { inner, ledger }
    }
}

#[async_trait]
impl<S: Summarizer> Summarizer for WithLedger<S> {
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        let (told, ledgers) = parted(&brief);
        let tokens = |text: &str| self.ledger.tokens(text);
        let room = room_tokens(&brief, self.ledger.estimator());
        let cap = brief.budget().unwrap_or(u64::MAX).min(room);

        let share = (cap / 3).min(Ledger::DEFAULT_BUDGET);
        let for_ledger = brief.over(ledgers, brief.covered().to_vec());
        let page = self.ledger.write_within(&for_ledger, share);
        let taken = page.as_deref().map_or(0, |page| tokens(&joined("", page)));

        let mut for_model = brief.over(told, brief.covered().to_vec());
        for_model = for_model.with_overlap(brief.overlap().to_vec());
        if let Some(budget) = brief.budget() {
            for_model = for_model.with_budget(budget.saturating_sub(taken));
        }
        let Some(summary) = self.inner.summarize(for_model).await? else {
            return Ok(None);
        };

        let fits = |page: &String| tokens(&joined(summary.text(), page)) <= cap;
        let page = page.filter(fits).or_else(|| {
            // Two tokens for the line between; a page that is still too long is left out.
            let left = cap.saturating_sub(tokens(summary.text()).saturating_add(2));
            self.ledger.write_within(&for_ledger, left).filter(fits)
        });
        match page {
            Some(page) => {
                let text = joined(summary.text(), &page);
                Ok(Some(summary.with_text(text)?))
            }
            None => Ok(Some(summary)),
        }
    }
}

fn joined(text: &str, page: &str) -> String {
    format!("{}\n\n{page}", text.trim_end())
}

/// The prior summaries as they are told, and as ledgers. Where there is only a ledger, it is told.
fn parted<'a>(brief: &Brief<'a>) -> (Vec<Cow<'a, str>>, Vec<Cow<'a, str>>) {
    let mut told = Vec::new();
    let mut ledgers = Vec::new();
    for prior in brief.prior() {
        let (text, ledger) = split_ledger(prior);
        if !text.trim().is_empty() {
            told.push(Cow::Owned(text.to_owned()));
        }
        if let Some(ledger) = ledger {
            ledgers.push(Cow::Owned(ledger.to_owned()));
        }
    }
    if told.is_empty() {
        told.clone_from(&ledgers);
    }
    (told, ledgers)
}
