//! Strategies as the service takes them: with the name and settings that receipts carry.

use std::fmt;
use std::sync::Arc;

use compaction_core::{Strategy, Window};
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
        let mut fields = serde_json::Map::new();
        fields.insert("name".into(), Value::from(self.name.as_str()));
        for (name, value) in &self.settings {
            fields.insert((*name).into(), value.clone());
        }
        Json::from_value(&Value::Object(fields))
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
            inner: Arc::new(window),
        }
    }
}

impl fmt::Debug for AnyStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyStrategy({})", self.describe())
    }
}
