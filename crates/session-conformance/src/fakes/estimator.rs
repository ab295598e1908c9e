//! The estimator of a case: the library's, or one that knows what each event costs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use compaction_tokens::Tiktoken;
use session::TokenEstimator;
use session_log::{LineFormat, Message, MessageFormat as _, TokenCount};

use crate::case::EstimatorSpec;

/// Counts as the case says. Clones share what they learned of summaries.
#[derive(Clone, Debug)]
pub(crate) struct CaseEstimator {
    name: Arc<str>,
    spec: EstimatorSpec,
    library: Tiktoken,
    /// What certain texts cost: summaries, which a case names and the library makes.
    texts: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl CaseEstimator {
    pub(crate) fn new(spec: &EstimatorSpec) -> Self {
        let library = Tiktoken::default();
        let name = match spec {
            EstimatorSpec::Library => library.name().to_owned(),
            EstimatorSpec::CharsDiv4 => "case-chars-div-4".to_owned(),
            EstimatorSpec::Costs { by_id, each } => {
                format!("case-{each}-each-but-{}", by_id.len())
            }
        };
        Self {
            name: name.into(),
            spec: spec.clone(),
            library,
            texts: Arc::default(),
        }
    }

    /// What the event called `name` costs, where the case says so.
    pub(crate) fn cost_of(&self, name: &str) -> Option<TokenCount> {
        match &self.spec {
            EstimatorSpec::Costs { by_id, each } => {
                let tokens = by_id.get(name).copied().unwrap_or(*each);
                Some(TokenCount::new(&*self.name, tokens))
            }
            _ => None,
        }
    }

    /// Takes note of what a message of the input says, so that its text has its cost.
    pub(crate) fn learn_input(&self, name: &str, message: &Message) {
        let is_named = match &self.spec {
            EstimatorSpec::Costs { by_id, .. } => by_id.contains_key(name),
            _ => false,
        };
        if is_named {
            self.learn(name, message);
        }
    }

    /// Takes note of what the event called `name` says, so that the text has its cost, and has it
    /// no more where the next one of the same text has none of its own.
    pub(crate) fn learn(&self, name: &str, message: &Message) {
        let EstimatorSpec::Costs { by_id, .. } = &self.spec else {
            return;
        };
        let mut text = String::new();
        LineFormat.format(message, &mut text);
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        match by_id.get(name) {
            Some(tokens) => texts.insert(text, *tokens),
            None => texts.remove(&text),
        };
    }

    /// Loads what the library needs to count, so that it is no part of what is measured.
    pub(crate) fn warm_up(&self) {
        let _ = self.estimate("warm");
    }
}

impl TokenEstimator for CaseEstimator {
    fn name(&self) -> &str {
        &self.name
    }

    fn estimate(&self, text: &str) -> u64 {
        match &self.spec {
            EstimatorSpec::Library => self.library.estimate(text),
            _ if text.is_empty() => 0,
            EstimatorSpec::CharsDiv4 => {
                let quarter = text.chars().count().checked_div(4).unwrap_or(0);
                u64::try_from(quarter).unwrap_or(u64::MAX).max(1)
            }
            EstimatorSpec::Costs { each, .. } => {
                let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
                texts.get(text).copied().unwrap_or(*each)
            }
        }
    }
}
