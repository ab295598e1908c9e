//! `--strategy`: the strategies of the older design, each with its own settings.

use clap::{Args, ValueEnum};
use session::{AnyStrategy, RecursiveSummarization, SlidingWindow, TokenCount, TurnWindow};

use crate::args::number::{amount, count};
use crate::failure::Failure;

/// A strategy by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyName {
    /// The last --max-events events
    SlidingWindow,
    /// The last --max-turns turns
    TurnWindow,
    /// The newest --max-tokens tokens
    TokenCount,
    /// The last --max-events-to-keep events behind a summary of the others
    RecursiveSummarization,
    /// For one request: the newest that fit --max-tokens
    Fixed,
    /// For one request: the newest five, then the most important
    Sliding,
    /// For one request: the newest ten behind a summary of the others
    Summarized,
}

/// The settings of the named strategies.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Settings of --strategy")]
pub(crate) struct StrategyArgs {
    /// For sliding-window [default: 20]
    #[arg(long, value_name = "N", value_parser = count)]
    max_events: Option<usize>,

    /// For turn-window [default: 10]
    #[arg(long, value_name = "N", value_parser = count)]
    max_turns: Option<usize>,

    /// For token-count [default: 4000]
    #[arg(long, value_name = "N", value_parser = amount)]
    max_tokens: Option<u64>,

    /// For recursive-summarization [default: 10]
    #[arg(long, value_name = "N", value_parser = count)]
    max_events_to_keep: Option<usize>,

    /// For recursive-summarization: how many kept events the summarizer is shown [default: 2]
    #[arg(long, value_name = "N", value_parser = count)]
    overlap_size: Option<usize>,
}

impl StrategyArgs {
    /// Refuses settings of a strategy that was not asked for.
    pub(crate) fn check(&self, chosen: Option<StrategyName>) -> Result<(), Failure> {
        use StrategyName as S;
        for (option, is_set, owner) in [
            ("--max-events", self.max_events.is_some(), S::SlidingWindow),
            ("--max-turns", self.max_turns.is_some(), S::TurnWindow),
            ("--max-tokens", self.max_tokens.is_some(), S::TokenCount),
            (
                "--max-events-to-keep",
                self.max_events_to_keep.is_some(),
                S::RecursiveSummarization,
            ),
            (
                "--overlap-size",
                self.overlap_size.is_some(),
                S::RecursiveSummarization,
            ),
        ] {
            if is_set && chosen != Some(owner) {
                let name = name(owner);
                return Err(Failure::usage(format!(
                    "{option} is a setting of --strategy {name}, which was not asked for"
                ))
                .with_hint(format!("add --strategy {name}, or leave {option} out")));
            }
        }
        Ok(())
    }

    /// The strategy with its settings.
    pub(crate) fn named(&self, name: StrategyName) -> Result<AnyStrategy, Failure> {
        Ok(match name {
            StrategyName::SlidingWindow => {
                let mut strategy = SlidingWindow::default();
                strategy.max_events = self.max_events.unwrap_or(strategy.max_events);
                strategy.into()
            }
            StrategyName::TurnWindow => {
                let mut strategy = TurnWindow::default();
                strategy.max_turns = self.max_turns.unwrap_or(strategy.max_turns);
                strategy.into()
            }
            StrategyName::TokenCount => {
                let mut strategy = TokenCount::default();
                strategy.max_tokens = self.max_tokens.unwrap_or(strategy.max_tokens);
                strategy.into()
            }
            StrategyName::RecursiveSummarization => {
                let mut strategy = RecursiveSummarization::default();
                strategy.max_events_to_keep = self
                    .max_events_to_keep
                    .unwrap_or(strategy.max_events_to_keep);
                strategy.overlap_size = self.overlap_size.unwrap_or(strategy.overlap_size);
                strategy.into()
            }
            StrategyName::Fixed | StrategyName::Sliding | StrategyName::Summarized => {
                let name = self::name(name);
                return Err(Failure::usage(format!("the strategy {name} is not built into this command"))
                    .with_hint("it selects messages for one request and records nothing; --tokens keeps whole turns"));
            }
        })
    }
}

fn name(name: StrategyName) -> String {
    name.to_possible_value()
        .map_or_else(String::new, |value| value.get_name().into())
}
