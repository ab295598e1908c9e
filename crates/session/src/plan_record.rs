//! The stored form of a plan: a frozen record, apart from the types it is made of.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use session_log::{EventId, Json, SessionId, Size, TokenCount, Version, wire};
use session_store::Counters;
use session_summarizer::Usage;

use crate::error::Error;
use crate::plan::PassPlan;
use crate::report::{Outcome, Report, SummaryReport, Warning};

/// The version new plans are written in.
const VERSION: u64 = 1;

impl PassPlan {
    /// The plan as one line of JSON, to be stored and committed later.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidPlan`] when an event of the plan cannot be written, which does not happen
    /// to a plan that [`prepare`](crate::Sessions::prepare) made.
    pub fn to_json(&self) -> Result<String, Error> {
        let events: Result<Vec<_>, _> = self.events.iter().map(wire::encode).collect();
        let report = &self.report;
        let record = Record {
            v: VERSION,
            session: report.session.as_str().into(),
            based_on: self.based_on.as_u64(),
            erasures: self.erasures,
            events: events.map_err(|error| invalid(&error))?,
            estimator: report.estimator.clone(),
            fired: report.fired,
            why: report.why.clone(),
            strategy: report.strategy.as_str().into(),
            before: sizes(report.before),
            after: sizes(report.after),
            pinned: texts(&report.pinned),
            superseded: texts(&report.superseded),
            covered: texts(&report.covered),
            cleared: texts(&report.cleared),
            preserved: texts(&report.preserved),
            declined: report.declined.clone(),
            lost: [
                report.lost.input_tokens,
                report.lost.output_tokens,
                report.lost.cached_tokens,
            ],
            warnings: report.warnings.iter().map(Caution::of).collect(),
        };
        serde_json::to_string(&record).map_err(|error| invalid(&error))
    }

    /// Reads a plan that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidPlan`] that says what is wrong with the text.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let record: Record = serde_json::from_str(text).map_err(|error| invalid(&error))?;
        if record.v != VERSION {
            return Err(Error::InvalidPlan {
                reason: format!(
                    "it has version {}, this release reads version {VERSION}",
                    record.v
                ),
            });
        }
        let events: Result<Vec<_>, _> = record
            .events
            .iter()
            .map(|event| wire::decode(event))
            .collect();
        let events = events.map_err(|error| invalid(&error))?;
        let boundary = events.first().and_then(|event| match &event.body {
            session_log::EventBody::Compaction(boundary) => Some(boundary.clone()),
            _ => None,
        });
        let boundary = boundary.ok_or_else(|| invalid(&"it holds no boundary"))?;
        let behind = events.iter().skip(1).map(|event| &event.id);
        if !behind.eq(&boundary.summary) {
            return Err(invalid(
                &"what stands behind its boundary is not the summary that it names",
            ));
        }
        let summary = boundary.receipt.summary.as_ref().zip(events.last());
        let after = size(record.after);
        let [input, output, cached] = record.lost;
        let tokens = TokenCount::new(record.estimator.as_str(), after.tokens);
        let session = SessionId::new(&record.session)?;
        let based_on = Version::new(record.based_on);
        let report = Report {
            outcome: Outcome::Compacted,
            session,
            version: based_on,
            fired: record.fired,
            why: record.why,
            strategy: Json::new(record.strategy).map_err(|error| invalid(&error))?,
            estimator: record.estimator,
            before: size(record.before),
            after,
            pinned: ids(&record.pinned)?,
            superseded: ids(&record.superseded)?,
            covered: ids(&record.covered)?,
            cleared: ids(&record.cleared)?,
            preserved: ids(&record.preserved)?,
            summary: summary.and_then(|(receipt, event)| match &event.body {
                session_log::EventBody::Message(message) => Some(SummaryReport {
                    text: message.text().into_owned(),
                    receipt: receipt.clone(),
                }),
                _ => None,
            }),
            boundary: None,
            declined: record.declined,
            lost: Usage::new(input, output).with_cached_tokens(cached),
            warnings: record
                .warnings
                .into_iter()
                .map(Caution::into_warning)
                .collect(),
        };
        Ok(Self {
            based_on,
            erasures: record.erasures,
            events,
            counters: Counters::new(after.events, after.turns, Some(tokens)),
            report,
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    v: u64,
    session: String,
    based_on: u64,
    erasures: u64,
    events: Vec<String>,
    estimator: String,
    #[serde(default = "fired")]
    fired: bool,
    why: String,
    strategy: String,
    before: [u64; 3],
    after: [u64; 3],
    pinned: Vec<String>,
    superseded: Vec<String>,
    covered: Vec<String>,
    cleared: Vec<String>,
    preserved: Vec<String>,
    #[serde(default)]
    declined: Option<String>,
    #[serde(default)]
    lost: [Option<u64>; 3],
    #[serde(default)]
    warnings: Vec<Caution>,
}

/// What plans say that were stored before they said it.
fn fired() -> bool {
    true
}

/// A warning as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum Caution {
    PinnedExceedTrigger { pinned: u64, threshold: u64 },
    PinnedTurnsExceedTrigger { pinned: u64, threshold: u64 },
    PinnedEventsExceedTrigger { pinned: u64, threshold: u64 },
    OverBudget { tokens: u64, budget: u64 },
}

impl Caution {
    fn of(warning: &Warning) -> Self {
        match *warning {
            Warning::PinnedExceedTrigger { pinned, threshold } => {
                Self::PinnedExceedTrigger { pinned, threshold }
            }
            Warning::PinnedTurnsExceedTrigger { pinned, threshold } => {
                Self::PinnedTurnsExceedTrigger { pinned, threshold }
            }
            Warning::PinnedEventsExceedTrigger { pinned, threshold } => {
                Self::PinnedEventsExceedTrigger { pinned, threshold }
            }
            Warning::OverBudget { tokens, budget } => Self::OverBudget { tokens, budget },
        }
    }

    fn into_warning(self) -> Warning {
        match self {
            Self::PinnedExceedTrigger { pinned, threshold } => {
                Warning::PinnedExceedTrigger { pinned, threshold }
            }
            Self::PinnedTurnsExceedTrigger { pinned, threshold } => {
                Warning::PinnedTurnsExceedTrigger { pinned, threshold }
            }
            Self::PinnedEventsExceedTrigger { pinned, threshold } => {
                Warning::PinnedEventsExceedTrigger { pinned, threshold }
            }
            Self::OverBudget { tokens, budget } => Warning::OverBudget { tokens, budget },
        }
    }
}

fn invalid(reason: &dyn Display) -> Error {
    Error::InvalidPlan {
        reason: reason.to_string(),
    }
}

fn sizes(size: Size) -> [u64; 3] {
    [size.events, size.turns, size.tokens]
}

fn size([events, turns, tokens]: [u64; 3]) -> Size {
    Size::new(events, turns, tokens)
}

fn texts(ids: &[EventId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

fn ids(texts: &[String]) -> Result<Vec<EventId>, Error> {
    let ids: Result<Vec<_>, _> = texts.iter().map(EventId::new).collect();
    Ok(ids?)
}
