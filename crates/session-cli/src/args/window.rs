//! How much is kept, and when a pass runs.

use clap::{Args, ValueEnum};
use session::{AnyStrategy, Compaction, Grain, InvalidSettings, Trigger, Window};

use crate::args::number::{amount, count};
use crate::args::tokens::TokenArgs;
use crate::args::trigger::{When, when};
use crate::failure::Failure;

/// The budget when no window is named: a small part of any model's context window, and enough for
/// several turns of plain talk.
pub(crate) const DEFAULT_TOKENS: u64 = 8000;

/// What is kept, and when.
#[derive(Args, Clone, Debug)]
pub(crate) struct WindowArgs {
    #[command(flatten)]
    window: ChosenWindow,

    /// Of the token budget, keep so many free for the next summary [default: 0]
    #[arg(long, value_name = "N", value_parser = amount, help_heading = "What is kept (one of)")]
    reserve: Option<u64>,

    /// Where the newest turn may be cut when it alone is too large
    #[arg(
        long,
        value_name = "GRAIN",
        default_value = "turn",
        help_heading = "What is kept (one of)"
    )]
    grain: GrainName,

    /// Run only on this condition: 'turns>N', 'events>N', 'tokens>=N' or 'fraction>=F:LIMIT'.
    /// May be repeated: any of them will do [default: always]
    #[arg(long, value_name = "CONDITION", value_parser = when, help_heading = "When")]
    when: Vec<When>,

    #[command(flatten)]
    pub(crate) tokens: TokenArgs,
}

#[derive(Args, Clone, Debug)]
#[group(multiple = false)]
struct ChosenWindow {
    /// Keep the newest N tokens, whole turns [default: 8000]
    #[arg(long, value_name = "N", value_parser = amount, help_heading = "What is kept (one of)")]
    tokens: Option<u64>,

    /// Keep the last N turns
    #[arg(long, value_name = "N", value_parser = count, help_heading = "What is kept (one of)")]
    last_turns: Option<usize>,

    /// Keep the last N events, whole turns
    #[arg(long, value_name = "N", value_parser = count, help_heading = "What is kept (one of)")]
    last_events: Option<usize>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GrainName {
    /// Nowhere: the newest turn stays whole
    Turn,
    /// Between its steps: a step is a message with tool calls and their results
    Step,
}

impl WindowArgs {
    /// The pass that was asked for.
    pub(crate) fn compaction(&self) -> Result<Compaction, Failure> {
        let grain = match self.grain {
            GrainName::Turn => Grain::Turn,
            GrainName::Step => Grain::Step,
        };
        let built = Compaction::builder(self.strategy()?)
            .when(self.trigger()?)
            .grain(grain)
            .build();
        built.map_err(|error| refused(&error))
    }

    fn strategy(&self) -> Result<AnyStrategy, Failure> {
        let ChosenWindow {
            tokens,
            last_turns,
            last_events,
        } = self.window;
        let window = match (tokens, last_turns, last_events) {
            (_, Some(turns), _) => Window::Turns(turns),
            (_, _, Some(events)) => Window::Events(events),
            (tokens, None, None) => Window::Tokens {
                budget: tokens.unwrap_or(DEFAULT_TOKENS),
                reserve: self.reserve.unwrap_or(0),
            },
        };
        if self.reserve.is_some() && !matches!(window, Window::Tokens { .. }) {
            return Err(
                Failure::usage("--reserve is a part of a token budget, and there is none")
                    .with_hint("use it with --tokens N"),
            );
        }
        Ok(window.into())
    }

    fn trigger(&self) -> Result<Trigger, Failure> {
        let mut triggers = Vec::new();
        for when in &self.when {
            triggers.push(match when {
                When::Ready(trigger) => trigger.clone(),
                When::FractionOfModel(_) => {
                    return Err(Failure::usage(
                        "--when 'fraction>=F' needs the size of a context window",
                    )
                    .with_hint("write it behind the fraction: --when 'fraction>=0.8:128000'"));
                }
            });
        }
        Ok(match triggers.len() {
            0 => Trigger::Always,
            1 => triggers.swap_remove(0),
            _ => Trigger::AnyOf(triggers),
        })
    }
}

/// Settings that can never work, in the words of the options.
fn refused(error: &InvalidSettings) -> Failure {
    match error {
        InvalidSettings::Zero { setting } => {
            let option = match *setting {
                "last_events" => "--last-events".into(),
                "last_turns" => "--last-turns".into(),
                "tokens" => "--tokens".into(),
                other => format!("--when: {other}"),
            };
            Failure::usage(format!("{option} must be greater than 0"))
                .with_hint("the newest turn always stays, so the least you can keep is 1")
        }
        InvalidSettings::ReserveTooLarge { budget, reserve } => Failure::usage(format!(
            "--reserve {reserve} must be smaller than --tokens {budget}"
        )),
        InvalidSettings::NeverSatisfied { .. } => Failure::usage(error.to_string())
            .with_hint("a pass would change nothing and the trigger would fire again at once"),
        other => Failure::usage(other.to_string()),
    }
}
