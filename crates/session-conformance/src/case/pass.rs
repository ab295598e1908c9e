//! When and how a pass of a case runs.

use serde_json::Value;
use session::{Grain, OnConflict, Trigger, Window};

use crate::case::generate::Repeated;
use crate::json::{Object, Parsed, list, malformed, number, text};

/// When a pass runs.
pub type TriggerSpec = Trigger;

/// How much a pass leaves.
pub type WindowSpec = Window;

/// The settings of a pass; what is not said is taken from the settings around it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PassSpec {
    /// When it runs; always by default.
    pub trigger: Option<TriggerSpec>,
    /// What it leaves.
    pub window: Option<WindowSpec>,
    /// Who summarizes: `Some(None)` nobody, said so.
    pub summarizer: Option<Option<SummarizerSpec>>,
    pub(crate) overlap: Option<usize>,
    pub(crate) grain: Option<Grain>,
    pub(crate) on_conflict: Option<OnConflict>,
    /// Whether what it writes cannot be stored.
    pub(crate) cannot_write: bool,
}

/// A summarizer that stands in for a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SummarizerSpec {
    /// What it answers, call by call; the last answer is given again.
    pub(crate) answers: Vec<Option<String>>,
    /// What it fails with, every time.
    pub(crate) fails: Option<String>,
    /// The longest input it takes, in tokens.
    pub(crate) max_input_tokens: Option<u64>,
    /// Whether it answers with what it was shown.
    pub(crate) echoes: bool,
    /// Why it stopped writing, in a provider's word.
    pub(crate) finish: Option<String>,
}

impl PassSpec {
    /// Takes the settings of a pass out of `object`.
    pub(crate) fn take(object: &mut Object<'_>) -> Parsed<Self> {
        let overlap = object.number("overlap")?;
        Ok(Self {
            trigger: object.take("trigger").map(trigger).transpose()?,
            window: object.take("window").map(window).transpose()?,
            summarizer: object
                .take("summarizer")
                .map(SummarizerSpec::parse)
                .transpose()?,
            overlap: overlap.map(size),
            grain: match object.text("grain")? {
                None => None,
                Some("turn") => Some(Grain::Turn),
                Some("step") => Some(Grain::Step),
                Some(other) => return malformed(format!("unknown grain `{other}`")),
            },
            // Which event of the batch it is makes no difference: it goes in whole or not at all.
            cannot_write: object.number("fail_at")?.is_some(),
            on_conflict: match object.text("on_conflict")? {
                None => None,
                Some("rebase") => Some(OnConflict::Rebase),
                Some("skip") => Some(OnConflict::Skip),
                Some(other) => return malformed(format!("unknown on_conflict `{other}`")),
            },
        })
    }

    pub(crate) fn parse(value: &Value, what: &str) -> Parsed<Self> {
        let mut object = Object::of(value, what)?;
        let spec = Self::take(&mut object)?;
        object.finish()?;
        Ok(spec)
    }

    /// These settings, and those of `around` where these say nothing.
    pub(crate) fn within(&self, around: &Self) -> Self {
        Self {
            trigger: self.trigger.clone().or_else(|| around.trigger.clone()),
            window: self.window.or(around.window),
            summarizer: self
                .summarizer
                .clone()
                .or_else(|| around.summarizer.clone()),
            overlap: self.overlap.or(around.overlap),
            grain: self.grain.or(around.grain),
            on_conflict: self.on_conflict.or(around.on_conflict),
            cannot_write: self.cannot_write || around.cannot_write,
        }
    }

    pub(crate) fn with_window(window: Window) -> Self {
        Self {
            window: Some(window),
            ..Self::default()
        }
    }
}

fn trigger(value: &Value) -> Parsed<Trigger> {
    if let Value::String(name) = value {
        return match name.as_str() {
            "always" => Ok(Trigger::Always),
            "never" => Ok(Trigger::Never),
            other => malformed(format!("unknown trigger `{other}`")),
        };
    }
    let mut object = Object::of(value, "trigger")?;
    let children = |value: &Value| -> Parsed<Vec<Trigger>> {
        list(value, "the triggers")?.iter().map(trigger).collect()
    };
    let trigger = if let Some(turns) = object.number("turns_over")? {
        Trigger::TurnCount(turns)
    } else if let Some(events) = object.number("events_over")? {
        Trigger::EventCount(events)
    } else if let Some(tokens) = object.number("tokens_at_least")? {
        Trigger::TokenCount(tokens)
    } else if let Some(value) = object.take("any_of") {
        Trigger::AnyOf(children(value)?)
    } else if let Some(value) = object.take("all_of") {
        Trigger::AllOf(children(value)?)
    } else {
        return malformed(match object.names().next() {
            Some(name) => format!("unknown key `{name}` in trigger"),
            None => "trigger says nothing".into(),
        });
    };
    object.finish()?;
    Ok(trigger)
}

fn window(value: &Value) -> Parsed<Window> {
    let mut object = Object::of(value, "window")?;
    let window = if let Some(events) = object.number("last_events")? {
        Window::Events(size(events))
    } else if let Some(turns) = object.number("last_turns")? {
        Window::Turns(size(turns))
    } else if let Some(budget) = object.number("tokens")? {
        let reserve = object.number("reserve")?.unwrap_or(0);
        Window::Tokens { budget, reserve }
    } else {
        return malformed(match object.names().next() {
            Some(name) => format!("unknown key `{name}` in window"),
            None => "window says nothing".into(),
        });
    };
    object.finish()?;
    Ok(window)
}

impl SummarizerSpec {
    fn parse(value: &Value) -> Parsed<Option<Self>> {
        if value.is_null() {
            return Ok(None);
        }
        let mut object = Object::of(value, "summarizer")?;
        let mut spec = Self {
            answers: match object.take("returns") {
                None => Vec::new(),
                Some(Value::Array(items)) => items.iter().map(answer).collect::<Parsed<_>>()?,
                Some(value) => vec![answer(value)?],
            },
            fails: object.text("fails")?.map(Into::into),
            max_input_tokens: object.number("max_input_tokens")?,
            echoes: object.flag("echo_input")?,
            finish: object.text("finish")?.map(Into::into),
        };
        if let Some(value) = object.take("returns_gen") {
            let mut repeated = Object::of(value, "returns_gen")?;
            spec.answers
                .push(Some(Repeated::take(&mut repeated)?.text(1)));
            repeated.finish()?;
        }
        match object.text("over_limit")? {
            None | Some("error") => {}
            Some(other) => return malformed(format!("unknown over_limit `{other}`")),
        }
        // Every request is recorded, and no fake waits.
        object.flag("record_request")?;
        if let Some(value) = object.take("takes_ms") {
            number(value, "takes_ms")?;
        }
        object.finish()?;
        let has_answer = !spec.answers.is_empty() || spec.fails.is_some() || spec.echoes;
        if !has_answer {
            return malformed("summarizer neither returns nor fails nor echoes");
        }
        Ok(Some(spec))
    }

    pub(crate) fn returning(answer: impl Into<String>) -> Self {
        Self {
            answers: vec![Some(answer.into())],
            ..Self::default()
        }
    }
}

fn answer(value: &Value) -> Parsed<Option<String>> {
    match value {
        Value::Null => Ok(None),
        value => Ok(Some(text(value, "returns")?.into())),
    }
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_nobody_knows_is_refused_at_any_depth() {
        for (spec, reason) in [
            (
                json!({"window": {"last_turns": 1, "x": 1}}),
                "unknown key `x` in window",
            ),
            (
                json!({"window": {"lst_turns": 1}}),
                "unknown key `lst_turns` in window",
            ),
            (
                json!({"trigger": {"turns": 1}}),
                "unknown key `turns` in trigger",
            ),
            (
                json!({"trigger": "sometimes"}),
                "unknown trigger `sometimes`",
            ),
            (
                json!({"summarizer": {"returns": "x", "y": 1}}),
                "unknown key `y` in summarizer",
            ),
            (json!({"windw": {}}), "unknown key `windw` in settings"),
        ] {
            let error = PassSpec::parse(&spec, "settings").unwrap_err();
            assert_eq!(error.reason, reason);
        }
    }

    #[test]
    fn nobody_summarizes_is_something_else_than_not_said() {
        let around = PassSpec::parse(&json!({"summarizer": {"returns": "x"}}), "s").unwrap();
        let silent = PassSpec::parse(&json!({"summarizer": null}), "s").unwrap();
        assert_eq!(silent.within(&around).summarizer, Some(None));
        let open = PassSpec::parse(&json!({}), "s").unwrap();
        assert!(open.within(&around).summarizer.unwrap().is_some());
    }
}
