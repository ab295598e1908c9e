//! Asking for a summary: under the breaker, checked, and with what it cost.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use session_log::{Message, View};
use session_summarizer::{
    Brief, Fault, Prompt, Retention, Sizes, SummarizerError, Summary, Tally, Usage, check,
};

use tracing::Span;

use crate::compaction::Compaction;
use crate::error::Error;
use crate::report::{Report, SummaryReport};
use crate::sessions::Sessions;
use crate::spans::record_usage;

/// What came of asking.
pub(crate) enum Answer {
    /// A valid summary.
    Summary(Box<SummaryReport>),
    /// None; the report says why.
    Without(NoSummary),
}

/// Why there is no summary, as far as it matters to a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSummary {
    /// Nobody was asked.
    Resting,
    /// Somebody was, in vain.
    Failed,
}

/// A valid summary, and how much survives in it.
struct Valid {
    summary: Summary,
    retained: Option<u32>,
}

impl Sessions {
    /// Asks for the summary, and takes only a valid one. What it cost in vain, and why there is
    /// none, goes into the report.
    #[tracing::instrument(
        name = "summarize",
        skip_all,
        fields(
            gen_ai.operation.name = "chat",
            gen_ai.conversation.id = %report.session,
            gen_ai.response.model,
            gen_ai.usage.input_tokens,
            gen_ai.usage.output_tokens,
            error.type,
        )
    )]
    pub(crate) async fn ask(
        &self,
        compaction: &Compaction,
        view: &View,
        brief: Brief<'_>,
        replaced: u64,
        report: &mut Report,
    ) -> Result<Answer, Error> {
        let breakers = &compaction.breakers;
        if !breakers.allows(&report.session, view) {
            report.declined = Some("resting".into());
            return Ok(Answer::Without(NoSummary::Resting));
        }
        let started = Instant::now();
        let tally = Tally::new();
        let asked = self
            .valid(compaction, &brief.with_tally(&tally), replaced)
            .await;
        let lost = tally.usage();
        let without = |report: &mut Report, why: &str| {
            report.lost = lost;
            report.declined = Some(why.into());
            Ok(Answer::Without(NoSummary::Failed))
        };
        match asked {
            Ok(Some(valid)) => {
                breakers.succeeded(&report.session);
                Span::current().record("gen_ai.response.model", valid.summary.model());
                record_usage(valid.summary.usage());
                Ok(Answer::Summary(Box::new(
                    valid.report(lost, started.elapsed()),
                )))
            }
            Ok(None) => {
                breakers.succeeded(&report.session);
                without(report, "declined")
            }
            Err(SummarizerError::Cancelled) => Err(Error::Summarizer(SummarizerError::Cancelled)),
            Err(error) => {
                breakers.failed(&report.session, view);
                Span::current().record("error.type", error.name());
                record_usage(lost);
                // Where this ends in an error there is no report to say what was paid.
                tracing::warn!(
                    session = %report.session,
                    why = error.name(),
                    input_tokens = lost.input_tokens,
                    output_tokens = lost.output_tokens,
                    "no valid summary"
                );
                report.lost = lost;
                match error.fault() {
                    Some(fault) => without(report, fault.name()),
                    None => Err(Error::Summarizer(error)),
                }
            }
        }
    }

    async fn valid(
        &self,
        compaction: &Compaction,
        brief: &Brief<'_>,
        replaced: u64,
    ) -> Result<Option<Valid>, SummarizerError> {
        let Some(summarizer) = &compaction.summarizer else {
            return Ok(None);
        };
        let prompt = self.prompt(compaction);
        let brief = brief.clone().with_prompt(&prompt);
        let within = |tokens: Option<u64>| match tokens {
            Some(tokens) => brief.clone().with_budget(tokens),
            None => brief.clone(),
        };
        let shadow_prompt = Message::user(compaction.prompt.shadow());
        let wish = compaction.summary_wish(self.tokens_of(&shadow_prompt), replaced);
        // A summarizer writes a text, and it costs more as a message.
        let framing = self.tokens_of(&Message::assistant(""));
        let wish = wish.map(|tokens| tokens.saturating_sub(framing).max(1));
        let Some(summary) = summarizer.summarize(within(wish)).await? else {
            return Ok(None);
        };
        let brief = within(compaction.summary_budget());
        match self.judge(compaction, &summary, &brief, replaced) {
            Ok(retained) => Ok(Some(Valid { summary, retained })),
            Err(fault) => {
                brief.lost(summary.usage());
                Err(fault.into())
            }
        }
    }

    /// The prompt to ask with. What is counted is what is read, unless the prompt has a format of its
    /// own.
    fn prompt<'a>(&self, compaction: &'a Compaction) -> Cow<'a, Prompt> {
        match &compaction.prompt {
            prompt if prompt.has_format() => Cow::Borrowed(prompt),
            prompt => Cow::Owned(prompt.clone().with_format(self.format.clone())),
        }
    }

    /// How many thousandths of what matters survive in a summary that may land.
    fn judge(
        &self,
        compaction: &Compaction,
        summary: &Summary,
        brief: &Brief<'_>,
        replaced: u64,
    ) -> Result<Option<u32>, Fault> {
        let message = Message::assistant(summary.text());
        check(
            summary,
            brief,
            Sizes::new(self.tokens_of(&message), replaced),
        )?;
        let retention = Retention::of_brief(brief, summary.text());
        let retained = retention.total().per_mille();
        match (compaction.min_retained, retained) {
            (Some(minimum), Some(per_mille)) if per_mille < minimum => {
                Err(Fault::Forgetful { per_mille, minimum })
            }
            _ => Ok(retained),
        }
    }
}

impl Valid {
    fn report(self, lost: Usage, elapsed: Duration) -> SummaryReport {
        let summary = self.summary.with_more_usage(lost);
        let mut receipt = summary.receipt();
        receipt.retained_per_mille = self.retained;
        if receipt.duration_ms.is_none() {
            receipt.duration_ms = u64::try_from(elapsed.as_millis()).ok();
        }
        SummaryReport {
            text: summary.text().into(),
            receipt,
        }
    }
}
