//! How much of what matters survives in a summary, as numbers.

use std::collections::HashMap;

use session_log::{Message, Part};

use crate::brief::Brief;
use crate::specifics::{Haystack, Specific, SpecificKind, command_of_call, specifics};

/// What part of something is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Share {
    /// How many are kept.
    pub kept: u64,
    /// How many there were.
    pub of: u64,
}

impl Share {
    /// The share in thousandths, rounded down; `None` of nothing.
    #[must_use]
    pub fn per_mille(self) -> Option<u32> {
        let share = u128::from(self.kept) * 1000 / u128::from(self.of.max(1));
        (self.of > 0).then(|| u32::try_from(share).unwrap_or(u32::MAX))
    }

    fn count(&mut self, is_kept: bool) {
        self.of = self.of.saturating_add(1);
        self.kept = self.kept.saturating_add(u64::from(is_kept));
    }

    fn plus(self, other: Self) -> Self {
        Self {
            kept: self.kept.saturating_add(other.kept),
            of: self.of.saturating_add(other.of),
        }
    }
}

/// How many paths, commands, ids and numbers of a conversation survive in a text.
///
/// Counted is what somebody said or did: what stands in the words of the person and the model, in
/// the arguments of calls, and in the prior summary. What only the result of a tool holds, or a
/// text of more than [`LONG_TEXT`] characters, does not count: most of a long listing is not meant
/// to be remembered, and what mattered in it was said.
///
/// ```
/// use session_log::Message;
/// use session_summarizer::Retention;
///
/// let talk = [Message::user("Fix BILL-4417 in src/refund.rs, port 6543.")];
/// let retention = Retention::of(&talk, "BILL-4417: refund.rs is fixed.");
/// assert_eq!(retention.total().per_mille(), Some(666));
/// assert_eq!(retention.lost()[0].text, "6543");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// Addresses.
    pub urls: Share,
    /// Paths and file names.
    pub paths: Share,
    /// Command lines.
    pub commands: Share,
    /// Identifiers.
    pub ids: Share,
    /// Numbers, dates, versions.
    pub numbers: Share,
    /// Texts the user pinned.
    pub pins: Share,
    lost: Vec<Specific>,
    /// How many of those a search of the log finds.
    in_log: u64,
}

/// The length in characters from which a text is a paste or a listing and not something said.
pub const LONG_TEXT: usize = 2_000;

impl Retention {
    /// What of `messages` survives in `text`.
    #[must_use]
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>, text: &str) -> Self {
        let mut census = Census::default();
        for message in messages {
            census.message(message);
        }
        census.compare(text)
    }

    /// What of the material of `brief` survives in `text`: of its covered messages and its prior
    /// summaries.
    #[must_use]
    pub fn of_brief(brief: &Brief<'_>, text: &str) -> Self {
        let mut census = Census::default();
        for prior in brief.prior() {
            // However long it is, a summary is not a paste.
            specifics(prior).into_iter().for_each(|it| census.one(it));
        }
        for shown in brief.covered() {
            census.is_in_log = shown.event.is_some() && !shown.is_injected;
            census.message(&shown.message);
        }
        census.compare(text)
    }

    /// What survives in the text or can be recalled: what is lost in it, but stands word by word in
    /// an event of the log, where a search finds it. What only a prior summary or a note of a program
    /// holds cannot be recalled. Whoever looks for it must know that it was there, so this is no
    /// substitute for [`total`](Self::total).
    ///
    /// Pinned events are never covered: they survive by themselves and are in no count.
    #[must_use]
    pub fn recallable(&self) -> Share {
        let total = self.total();
        Share {
            kept: total.kept.saturating_add(self.in_log).min(total.of),
            of: total.of,
        }
    }

    /// The same, with texts that must survive as they are but for white space.
    #[must_use]
    pub fn with_pins<'a>(mut self, pins: impl IntoIterator<Item = &'a str>, text: &str) -> Self {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = plain(text);
        for pin in pins {
            self.pins.count(text.contains(&plain(pin)));
        }
        self
    }

    /// All kinds together.
    #[must_use]
    pub fn total(&self) -> Share {
        [
            self.urls,
            self.paths,
            self.commands,
            self.ids,
            self.numbers,
            self.pins,
        ]
        .into_iter()
        .fold(Share::default(), Share::plus)
    }

    /// What does not survive, in the order in which it came up. Pins are not listed.
    #[must_use]
    pub fn lost(&self) -> &[Specific] {
        &self.lost
    }

    fn share(&mut self, kind: SpecificKind) -> &mut Share {
        match kind {
            SpecificKind::Url => &mut self.urls,
            SpecificKind::Path => &mut self.paths,
            SpecificKind::Command => &mut self.commands,
            SpecificKind::Id => &mut self.ids,
            SpecificKind::Number => &mut self.numbers,
        }
    }
}

/// Which specifics came up, in order, each once.
#[derive(Default)]
struct Census {
    /// With whether a search of the log finds it.
    order: Vec<(Specific, bool)>,
    seen: HashMap<(SpecificKind, String), usize>,
    /// Whether what is looked at now is an event that a search finds.
    is_in_log: bool,
}

impl Census {
    fn message(&mut self, message: &Message) {
        for part in &message.parts {
            match part {
                Part::Text(text) | Part::Refusal(text) => self.note(&text.text),
                Part::ToolCall(call) => {
                    if let Some(text) = command_of_call(call) {
                        let kind = SpecificKind::Command;
                        self.one(Specific { kind, text });
                    }
                    self.arguments(call.arguments.as_str());
                }
                _ => {}
            }
        }
    }

    fn arguments(&mut self, arguments: &str) {
        match serde_json::from_str(arguments) {
            Ok(value) => self.json(&value),
            Err(_) => self.note(arguments),
        }
    }

    fn json(&mut self, value: &serde_json::Value) {
        match value {
            serde_json::Value::String(text) => self.note(text),
            serde_json::Value::Number(number) => self.note(&number.to_string()),
            serde_json::Value::Array(items) => items.iter().for_each(|item| self.json(item)),
            serde_json::Value::Object(fields) => fields.values().for_each(|item| self.json(item)),
            serde_json::Value::Null | serde_json::Value::Bool(_) => {}
        }
    }

    fn note(&mut self, text: &str) {
        if text.chars().nth(LONG_TEXT).is_none() {
            specifics(text).into_iter().for_each(|it| self.one(it));
        }
    }

    fn one(&mut self, specific: Specific) {
        let next = self.order.len();
        let place = self.seen.entry((specific.kind, specific.key()));
        let place = *place.or_insert(next);
        match self.order.get_mut(place) {
            Some((_, is_in_log)) => *is_in_log |= self.is_in_log,
            None => self.order.push((specific, self.is_in_log)),
        }
    }

    fn compare(self, text: &str) -> Retention {
        let haystack = Haystack::of(text);
        let mut retention = Retention::default();
        for (specific, is_in_log) in self.order {
            let is_kept = haystack.has(&specific);
            retention.share(specific.kind).count(is_kept);
            if !is_kept {
                retention.in_log = retention.in_log.saturating_add(u64::from(is_in_log));
                retention.lost.push(specific);
            }
        }
        retention
    }
}
