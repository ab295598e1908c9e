//! How much is kept, and when a pass runs.

use clap::{Args, ValueEnum};
use session::{
    AnyStrategy, Clearing, Compaction, ContextWindow, Grain, InvalidSettings, Trigger, Window,
};

use crate::args::number::{amount, count};
use crate::args::strategy::{Named, StrategyArgs, StrategyName};
use crate::args::summarizer::SummarizerArgs;
use crate::args::tokens::TokenArgs;
use crate::args::trigger::{When, when};
use crate::failure::Failure;
use crate::job::{Job, Selection};
use crate::pins::Pins;

/// The budget when no window is named: a small part of any model's context window, and enough for
/// several turns of plain talk.
pub(crate) const DEFAULT_TOKENS: u64 = 8000;

/// How many tool results stay as they are when old ones are cleared: about what a model is at.
const DEFAULT_KEEP_RESULTS: usize = 5;

/// A result is cleared only when it costs several times what the line costs that is shown instead.
const LARGE_RESULT_TOKENS: u64 = 200;

/// What is kept, and when.
#[derive(Args, Clone, Debug)]
pub(crate) struct WindowArgs {
    #[command(flatten)]
    window: ChosenWindow,

    #[command(flatten)]
    pub(crate) strategy: StrategyArgs,

    /// Where the newest turn may be cut when it alone is too large
    #[arg(
        long,
        value_name = "GRAIN",
        default_value = "turn",
        help_heading = "More on what is kept"
    )]
    grain: GrainName,

    /// Of a token budget, leave so many free for a summary [default: 0]
    #[arg(long, value_name = "N", value_parser = amount, help_heading = "More on what is kept")]
    reserve: Option<u64>,

    /// Show old, large tool results as a short line, and cut only if that is not enough
    #[arg(long, help_heading = "More on what is kept")]
    clear_results: bool,

    /// The newest N tool results stay as they are [default: 5]
    #[arg(long, value_name = "N", value_parser = count, requires = "clear_results", help_heading = "More on what is kept")]
    keep_results: Option<usize>,

    /// Keep this event in every view, whatever the window: by its place or id; or a text of several words,
    /// which is added as a note. May be repeated
    #[arg(long, value_name = "EVENT|TEXT", help_heading = "More on what is kept")]
    pin: Vec<String>,

    /// Keep this event no longer than the window does. May be repeated
    #[arg(long, value_name = "EVENT", help_heading = "More on what is kept")]
    unpin: Vec<String>,

    /// Run only on this condition: 'turns>N', 'events>N', 'tokens>=N' or 'fraction>=F:LIMIT'.
    /// May be repeated: any of them will do [default: always]
    #[arg(long, value_name = "CONDITION", value_parser = when, help_heading = "When")]
    when: Vec<When>,

    #[command(flatten)]
    summarizer: SummarizerArgs,

    #[command(flatten)]
    pub(crate) tokens: TokenArgs,
}

#[derive(Args, Clone, Debug)]
#[group(id = "what_is_kept", multiple = false)]
#[command(next_help_heading = "What is kept (one of these)")]
struct ChosenWindow {
    /// Keep the newest N tokens, whole turns [default: 8000]
    #[arg(long, value_name = "N", value_parser = amount)]
    tokens: Option<u64>,

    /// Keep the last N turns
    #[arg(long, value_name = "N", value_parser = count)]
    last_turns: Option<usize>,

    /// Keep the last N events, whole turns
    #[arg(long, value_name = "N", value_parser = count)]
    last_events: Option<usize>,

    /// Keep what a strategy with a name keeps
    #[arg(long, value_name = "NAME", ignore_case = true)]
    strategy: Option<StrategyName>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GrainName {
    /// Nowhere: the newest turn stays whole
    Turn,
    /// Between its steps: a step is a message with tool calls, and their results
    Step,
}

impl WindowArgs {
    /// Whether anything was said about what is kept or when.
    pub(crate) fn is_chosen(&self) -> bool {
        let ChosenWindow {
            tokens,
            last_turns,
            last_events,
            strategy,
        } = self.window;
        tokens.is_some()
            || last_turns.is_some()
            || last_events.is_some()
            || strategy.is_some()
            || self.reserve.is_some()
            || self.clear_results
            || !self.when.is_empty()
            || matches!(self.grain, GrainName::Step)
            || self.summarizer.is_asked()
            || !self.pins().is_empty()
    }

    /// What stays whatever the window.
    pub(crate) fn pins(&self) -> Pins {
        Pins {
            held: self.pin.clone(),
            released: self.unpin.clone(),
        }
    }

    /// What was asked for.
    pub(crate) fn job(&self) -> Result<Job, Failure> {
        let named = match self.chosen()? {
            Named::Window(window, budget) => return self.selection(window, budget),
            Named::Strategy(strategy) => strategy,
        };
        let grain = match self.grain {
            GrainName::Turn => Grain::Turn,
            GrainName::Step => Grain::Step,
        };
        let mut builder = Compaction::builder(named)
            .when(self.trigger()?)
            .grain(grain);
        if self.clear_results {
            builder = builder.clear_results(Clearing {
                keep_last: self.keep_results.unwrap_or(DEFAULT_KEEP_RESULTS),
                larger_than: LARGE_RESULT_TOKENS,
            });
        }
        if let Some(summarizer) = self.summarizer.summarizer(&self.tokens)? {
            builder = builder.summarizer(summarizer);
        }
        let compaction = builder.build().map_err(|error| refused(&error))?;
        Ok(Job::Pass(Box::new(compaction)))
    }

    /// A selection for one request, which has none of what passes have.
    fn selection(&self, window: ContextWindow, budget: u64) -> Result<Job, Failure> {
        let is_step = matches!(self.grain, GrainName::Step);
        let summarizer = self.summarizer.summarizer(&self.tokens)?;
        let has_summarizer = summarizer.is_some() && !window.requires_llm();
        for (option, is_set) in [
            ("--grain step", is_step),
            ("--clear-results", self.clear_results),
            ("--when", !self.when.is_empty()),
            ("--summarizer", has_summarizer),
            ("--pin", !self.pins().is_empty()),
        ] {
            if is_set {
                return Err(Failure::usage(format!(
                    "{option} does nothing with --strategy {window}, which selects messages for one request"
                ))
                .with_hint(format!("leave {option} out, or use --tokens N")));
            }
        }
        if budget == 0 {
            return Err(Failure::usage("--max-tokens must be greater than 0"));
        }
        Ok(Job::Selection(Selection {
            window,
            budget,
            summarizer: summarizer.map(Into::into),
            estimator: self.tokens.estimator()?,
        }))
    }

    fn chosen(&self) -> Result<Named, Failure> {
        let ChosenWindow {
            tokens,
            last_turns,
            last_events,
            strategy,
        } = self.window;
        self.strategy.check(strategy)?;
        let window: AnyStrategy = match (last_turns, last_events, strategy) {
            (Some(turns), _, _) => Window::Turns(turns).into(),
            (_, Some(events), _) => Window::Events(events).into(),
            (_, _, Some(name)) => return self.without_reserve(self.strategy.named(name)),
            _ => {
                let budget = tokens.unwrap_or(DEFAULT_TOKENS);
                let reserve = self.reserve.unwrap_or(0);
                return Ok(Named::Strategy(Window::Tokens { budget, reserve }.into()));
            }
        };
        self.without_reserve(Named::Strategy(window))
    }

    fn without_reserve(&self, named: Named) -> Result<Named, Failure> {
        match self.reserve {
            None => Ok(named),
            Some(_) => Err(Failure::usage(
                "--reserve is a part of a token budget, and there is none",
            )
            .with_hint("use it with --tokens N")),
        }
    }

    fn trigger(&self) -> Result<Trigger, Failure> {
        let mut triggers = Vec::new();
        for when in &self.when {
            triggers.push(match when {
                When::Ready(trigger) => trigger.clone(),
                When::FractionOfModel(per_mille) => self.of_model(*per_mille)?,
            });
        }
        Ok(match triggers.len() {
            0 => Trigger::Always,
            1 => triggers.swap_remove(0),
            _ => Trigger::AnyOf(triggers),
        })
    }

    fn of_model(&self, per_mille: u32) -> Result<Trigger, Failure> {
        match self.tokens.model()? {
            Some(model) => Ok(Trigger::WindowFraction {
                limit: model.limit,
                reserve_output: model.reserve_output,
                per_mille,
            }),
            None => Err(Failure::usage("--when 'fraction>=F' needs the size of a context window")
                .with_hint("name the --model, or write the size behind it: --when 'fraction>=0.8:128000'")),
        }
    }
}

/// Settings that can never work, in the words of the options.
fn refused(error: &InvalidSettings) -> Failure {
    match error {
        InvalidSettings::Zero { setting } => {
            let option = match *setting {
                name if name.contains(' ') => format!("--when: {name}"),
                name => format!("--{}", name.replace('_', "-")),
            };
            Failure::usage(format!("{option} must be greater than 0"))
                .with_hint("the newest turn always stays, so the least you can ask for is 1")
        }
        InvalidSettings::ReserveTooLarge { budget, reserve } => Failure::usage(format!(
            "--reserve {reserve} must be smaller than --tokens {budget}"
        )),
        InvalidSettings::OverlapTooLarge {
            overlap_size,
            max_events_to_keep,
        } => Failure::usage(format!(
            "--overlap-size {overlap_size} must be smaller than --max-events-to-keep {max_events_to_keep}"
        )),
        InvalidSettings::NoSummarizer { strategy } => {
            Failure::usage(format!("--strategy {strategy} needs a summarizer"))
                .with_hint("--summarizer ledger needs no model")
        }
        InvalidSettings::NeverSatisfied { .. } => Failure::usage(error.to_string())
            .with_hint("a pass would change nothing, and the trigger would fire again at once"),
        other => Failure::usage(other.to_string()),
    }
}
