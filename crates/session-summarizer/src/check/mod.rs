//! The checks that a summary must pass before it lands.
//!
//! Each rule is general: it knows no model and no project, and says in its documentation where its
//! threshold comes from. A summary is refused when in doubt, since a refused one costs another
//! attempt and a bad one costs the conversation.

mod form;
mod transcript;
mod wording;

use compaction_core::TokenEstimator;
use session_log::{Message, message_tokens};

pub(crate) use self::form::is_hollow;
use crate::brief::Brief;
use crate::fault::Fault;
use crate::specifics::{Search, SpecificKind, specifics};
use crate::summary::{Finish, Summary};

/// What a summary costs, and what that costs which it replaces, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sizes {
    /// The summary's text.
    pub summary: u64,
    /// The covered messages and the prior summaries.
    pub replaced: u64,
}

impl Sizes {
    /// Sizes that somebody counted.
    #[must_use]
    pub fn new(summary: u64, replaced: u64) -> Self {
        Self { summary, replaced }
    }

    /// Counts with `estimator`, messages as the brief's prompt renders them.
    #[must_use]
    pub fn measure(
        summary: &Summary,
        brief: &Brief<'_>,
        estimator: &(impl TokenEstimator + ?Sized),
    ) -> Self {
        Self {
            summary: estimator.estimate(summary.text()),
            replaced: replaced_tokens(brief, estimator),
        }
    }
}

/// What the brief's summary replaces, in tokens.
fn replaced_tokens(brief: &Brief<'_>, estimator: &(impl TokenEstimator + ?Sized)) -> u64 {
    let format = brief.prompt().format();
    let covered = brief
        .covered()
        .iter()
        .map(|shown| message_tokens(&shown.message, format, estimator));
    let prior = brief.prior().iter().map(|text| estimator.estimate(text));
    covered.chain(prior).fold(0, u64::saturating_add)
}

/// The most tokens of text that may take the place of what the brief covers: in the view it is a
/// message, and what stands around it counts too.
pub(crate) fn room_tokens(brief: &Brief<'_>, estimator: &(impl TokenEstimator + ?Sized)) -> u64 {
    let around = message_tokens(&Message::assistant(""), brief.prompt().format(), estimator);
    replaced_tokens(brief, estimator).saturating_sub(around)
}

/// Whether `summary` may stand in for what `brief` covers. A pure function: the same input gives
/// the same answer.
///
/// # Errors
///
/// The first [`Fault`] found, in this order:
///
/// - what the provider says: [`Filtered`](Fault::Filtered), [`Refusal`](Fault::Refusal),
///   [`CutOff`](Fault::CutOff);
/// - what the text is instead of a summary: [`ErrorText`](Fault::ErrorText),
///   [`Refusal`](Fault::Refusal), [`Echo`](Fault::Echo);
/// - whether there is anything to gain: [`Inflated`](Fault::Inflated);
/// - whether it is sound: [`CutOff`](Fault::CutOff) in the middle of a JSON value or a block of
///   code, [`Hollow`](Fault::Hollow), [`Loop`](Fault::Loop),
///   [`Ungrounded`](Fault::Ungrounded);
/// - what was asked for: [`MissingSections`](Fault::MissingSections) of the prompt's template,
///   [`OverBudget`](Fault::OverBudget).
///
/// ```
/// use session_log::Message;
/// use session_summarizer::{Brief, Fault, Finish, Sizes, Summary, check};
///
/// let talk = [Message::user("Fix the gate in src/gate.rs."), Message::assistant("Fixed.")];
/// let brief = Brief::new(&talk);
/// let summary = Summary::new("The gate in src/gate.rs is fixed.", "m").unwrap();
/// assert_eq!(check(&summary, &brief, Sizes::new(9, 12)), Ok(()));
/// assert_eq!(
///     check(&summary, &brief, Sizes::new(13, 12)),
///     Err(Fault::Inflated { summary: 13, replaced: 12 }),
/// );
/// let cut = summary.with_finish(Finish::CutOff);
/// assert_eq!(check(&cut, &brief, Sizes::new(9, 12)), Err(Fault::CutOff));
/// ```
pub fn check(summary: &Summary, brief: &Brief<'_>, sizes: Sizes) -> Result<(), Fault> {
    match summary.finish() {
        Finish::Filtered => return Err(Fault::Filtered),
        Finish::Refused => return Err(Fault::Refusal),
        Finish::CutOff => return Err(Fault::CutOff),
        Finish::Unreported | Finish::Complete | Finish::Other(_) => {}
    }

    let text = summary.text();
    let grounding = Grounding::of(text, brief);
    if let Some(fault) = wording::instead_of_summary(text, grounding) {
        return Err(fault);
    }
    if transcript::is_echo(text, brief) {
        return Err(Fault::Echo);
    }
    let Sizes {
        summary: tokens,
        replaced,
    } = sizes;
    if tokens > replaced {
        return Err(Fault::Inflated {
            summary: tokens,
            replaced,
        });
    }
    if form::is_cut_off(text, summary.finish()) {
        return Err(Fault::CutOff);
    }
    if is_hollow(text, brief.prompt().template()) {
        return Err(Fault::Hollow);
    }
    if form::is_loop(text) {
        return Err(Fault::Loop);
    }
    grounding.check()?;
    if let Some(template) = brief.prompt().template() {
        form::sections(text, template)?;
    }

    match brief.budget() {
        Some(budget) if tokens > budget => Err(Fault::OverBudget {
            summary: tokens,
            budget,
        }),
        _ => Ok(()),
    }
}

/// How many specifics of a summary are looked for: enough to tell, and few enough for a
/// conversation of any length.
const MOST_NAMES: usize = 64;

/// How many specifics a summary has, and how many of them were shown to it.
#[derive(Clone, Copy)]
struct Grounding {
    /// Names, paths and commands. Numbers are left out: a summary may count and round.
    named: usize,
    found: usize,
    /// Whatever was found, numbers too.
    shared: usize,
}

impl Grounding {
    fn of(text: &str, brief: &Brief<'_>) -> Self {
        let mut search = Search::of(specifics(text).into_iter().take(MOST_NAMES));
        let prior = brief.prior().iter().map(|text| text.clone().into_owned());
        let messages = brief.covered().iter().chain(brief.overlap());
        let paragraphs = messages.map(|shown| brief.prompt().paragraph(shown));
        for shown in prior.chain(paragraphs) {
            if search.is_done() {
                break;
            }
            search.look_in(&shown);
        }

        let mut grounding = Self {
            named: 0,
            found: 0,
            shared: 0,
        };
        for (specific, is_found) in search.results() {
            let is_found = usize::from(is_found);
            grounding.shared += is_found;
            if specific.kind != SpecificKind::Number {
                grounding.named += 1;
                grounding.found += is_found;
            }
        }
        grounding
    }

    /// A summary may shorten and complete names, so some new ones are no fault. It is one when less
    /// than half of them were ever shown; below four names there is too little to tell.
    fn check(self) -> Result<(), Fault> {
        if self.named < 4 || self.found.saturating_mul(2) >= self.named {
            return Ok(());
        }
        Err(Fault::Ungrounded {
            named: self.named as u64,
            found: self.found as u64,
        })
    }

    /// Whether the text speaks of this conversation: with three specifics of it, an opening that
    /// sounds like an error or a refusal is part of a summary.
    fn is_about_it(self) -> bool {
        self.shared >= 3
    }
}
