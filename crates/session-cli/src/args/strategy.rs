//! `--strategy`: strategies by their names, each with its own settings.

use clap::{Args, ValueEnum};
use session::{
    AnyStrategy, ContextWindow, RecursiveSummarization, SlidingWindow, TokenCount, TurnWindow,
};

use crate::args::number::{amount, count};
use crate::args::window::DEFAULT_TOKENS;
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
    /// For one request: the newest messages that fit --max-tokens
    Fixed,
    /// For one request: the newest five messages, then the most important that fit
    Sliding,
    /// For one request: the newest ten messages behind a summary of the others
    #[value(alias = "summary")]
    Summarized,
}

/// What a name stands for.
pub(crate) enum Named {
    /// A strategy of passes.
    Strategy(AnyStrategy),
    /// A selection for one request, and its budget.
    Window(ContextWindow, u64),
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

    /// For token-count [default: 4000], and for fixed, sliding and summarized [default: 8000]
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
        const OF_TOKENS: &[S] = &[S::TokenCount, S::Fixed, S::Sliding, S::Summarized];
        const OF_SUMMARIES: &[S] = &[S::RecursiveSummarization];
        let is_set = [
            (
                "--max-events",
                self.max_events.is_some(),
                &[S::SlidingWindow][..],
            ),
            ("--max-turns", self.max_turns.is_some(), &[S::TurnWindow]),
            ("--max-tokens", self.max_tokens.is_some(), OF_TOKENS),
            (
                "--max-events-to-keep",
                self.max_events_to_keep.is_some(),
                OF_SUMMARIES,
            ),
            ("--overlap-size", self.overlap_size.is_some(), OF_SUMMARIES),
        ];
        for (option, is_set, owners) in is_set {
            if !is_set || chosen.is_some_and(|chosen| owners.contains(&chosen)) {
                continue;
            }
            let names: Vec<String> = owners.iter().map(|owner| owner.name()).collect();
            let names = names.join(", ");
            let first = owners.first().map(|owner| owner.name()).unwrap_or_default();
            return Err(Failure::usage(format!(
                "{option} is a setting of --strategy {names}, which was not asked for"
            ))
            .with_hint(format!("add --strategy {first}, or leave {option} out")));
        }
        Ok(())
    }

    /// What the name stands for, with its settings.
    pub(crate) fn named(&self, name: StrategyName) -> Named {
        let strategy: AnyStrategy = match name {
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
            StrategyName::Fixed => return self.selecting(ContextWindow::Fixed),
            StrategyName::Sliding => return self.selecting(ContextWindow::Sliding),
            StrategyName::Summarized => return self.selecting(ContextWindow::Summarized),
        };
        Named::Strategy(strategy)
    }

    fn selecting(&self, window: ContextWindow) -> Named {
        Named::Window(window, self.max_tokens.unwrap_or(DEFAULT_TOKENS))
    }
}

impl StrategyName {
    /// The word for it.
    fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().into())
    }
}
