//! Strategies as the service takes them: with the name and settings that receipts carry.

use std::fmt;
use std::sync::Arc;

use compaction_core::{
    RecursiveSummarization, SlidingWindow, Strategy, TokenCount, TurnWindow, Window,
};
use serde_json::{Value, json};
use session_log::{Event, Json};

use crate::settings::{InvalidSettings, check_window};

/// Any strategy, with the name and the settings it is recorded under.
///
/// ```
/// use session::{AnyStrategy, Window};
///
/// let strategy = AnyStrategy::from(Window::Turns(4));
/// assert_eq!(strategy.describe().as_str(), r#"{"name":"window","window":{"last_turns":4}}"#);
/// ```
#[derive(Clone)]
pub struct AnyStrategy {
    name: String,
    settings: Vec<(&'static str, Value)>,
    target: Target,
    reserve: Option<u64>,
    fault: Option<InvalidSettings>,
    overlap: Option<usize>,
    inner: Arc<dyn Strategy<Arc<Event>> + Send + Sync>,
}

/// What a strategy brings a view down to, where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Events(u64),
    Turns(u64),
    Tokens(u64),
    Unknown,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Events(count) => write!(f, "{count} events"),
            Self::Turns(count) => write!(f, "{count} turns"),
            Self::Tokens(count) => write!(f, "{count} tokens"),
            Self::Unknown => f.write_str("what it wants"),
        }
    }
}

impl AnyStrategy {
    /// A strategy of your own, recorded under `name`.
    #[must_use]
    pub fn custom(
        name: impl Into<String>,
        strategy: impl Strategy<Arc<Event>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            settings: Vec::new(),
            target: Target::Unknown,
            reserve: None,
            fault: None,
            overlap: None,
            inner: Arc::new(strategy),
        }
    }

    /// The name the strategy is recorded under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name and settings as JSON, as receipts and reports have them.
    #[must_use]
    pub fn describe(&self) -> Json {
        let mut text = format!(r#"{{"name":{}"#, Value::from(self.name.as_str()));
        for (name, value) in &self.settings {
            text.push_str(&format!(r#","{name}":{value}"#));
        }
        text.push('}');
        Json::new(text).unwrap_or_else(|_| Json::string(&self.name))
    }

    /// Refuses settings of the strategy that can never work.
    pub(crate) fn check(&self) -> Result<(), InvalidSettings> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// What the strategy keeps free for a summary, in tokens.
    pub(crate) fn reserve(&self) -> Option<u64> {
        self.reserve
    }

    pub(crate) fn target(&self) -> Target {
        self.target
    }

    pub(crate) fn as_core(&self) -> &(dyn Strategy<Arc<Event>> + Send + Sync) {
        &*self.inner
    }
}

impl From<Window> for AnyStrategy {
    fn from(window: Window) -> Self {
        let (target, settings) = match window {
            Window::Events(count) => (Target::Events(count as u64), json!({"last_events": count})),
            Window::Turns(count) => (Target::Turns(count as u64), json!({"last_turns": count})),
            Window::Tokens { budget, reserve } => (
                Target::Tokens(budget),
                if reserve == 0 {
                    json!({"tokens": budget})
                } else {
                    json!({"tokens": budget, "reserve": reserve})
                },
            ),
            _ => (Target::Unknown, json!({})),
        };
        Self {
            name: "window".into(),
            settings: vec![("window", settings)],
            target,
            reserve: match window {
                Window::Tokens { reserve, .. } => Some(reserve),
                _ => None,
            },
            fault: check_window(&window).err(),
            overlap: None,
            inner: Arc::new(window),
        }
    }
}

impl AnyStrategy {
    fn named(
        name: &str,
        settings: Vec<(&'static str, Value)>,
        window: Window,
        strategy: impl Strategy<Arc<Event>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            settings,
            inner: Arc::new(strategy),
            ..Self::from(window)
        }
    }

    /// How many of the first kept events the summarizer is shown, where the strategy says so.
    pub(crate) fn overlap(&self) -> Option<usize> {
        self.overlap
    }
}

impl From<SlidingWindow> for AnyStrategy {
    fn from(strategy: SlidingWindow) -> Self {
        let SlidingWindow { max_events } = strategy;
        let mut any = Self::named(
            "sliding-window",
            vec![("max_events", json!(max_events))],
            Window::Events(max_events),
            strategy,
        );
        any.fault = zero(max_events as u64, "max_events");
        any
    }
}

impl From<TurnWindow> for AnyStrategy {
    fn from(strategy: TurnWindow) -> Self {
        let TurnWindow { max_turns } = strategy;
        let mut any = Self::named(
            "turn-window",
            vec![("max_turns", json!(max_turns))],
            Window::Turns(max_turns),
            strategy,
        );
        any.fault = zero(max_turns as u64, "max_turns");
        any
    }
}

impl From<TokenCount> for AnyStrategy {
    fn from(strategy: TokenCount) -> Self {
        let TokenCount { max_tokens } = strategy;
        let window = Window::Tokens {
            budget: max_tokens,
            reserve: 0,
        };
        let settings = vec![("max_tokens", json!(max_tokens))];
        let mut any = Self::named("token-count", settings, window, strategy);
        any.fault = zero(max_tokens, "max_tokens");
        any
    }
}

impl From<RecursiveSummarization> for AnyStrategy {
    fn from(strategy: RecursiveSummarization) -> Self {
        let RecursiveSummarization {
            max_events_to_keep,
            overlap_size,
        } = strategy;
        let mut any = Self::named(
            "recursive-summarization",
            vec![
                ("max_events_to_keep", json!(max_events_to_keep)),
                ("overlap_size", json!(overlap_size)),
            ],
            Window::Events(max_events_to_keep),
            strategy,
        );
        let too_large =
            (overlap_size >= max_events_to_keep).then_some(InvalidSettings::OverlapTooLarge {
                overlap_size,
                max_events_to_keep,
            });
        any.fault = zero(max_events_to_keep as u64, "max_events_to_keep").or(too_large);
        any.overlap = Some(overlap_size);
        any
    }
}

fn zero(number: u64, setting: &'static str) -> Option<InvalidSettings> {
    (number == 0).then_some(InvalidSettings::Zero { setting })
}

impl fmt::Debug for AnyStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyStrategy({})", self.describe())
    }
}
