//! Whether a provider would take a request.

mod anthropic;
mod bedrock;
mod gemini;
mod openai_chat;
mod openai_responses;

use std::fmt;

use crate::format::Format;
use crate::json::Raw;

/// What a provider would refuse in a request, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The message, from 0, among the messages of the request.
    pub message: usize,
    /// The rule that is broken.
    pub rule: Rule,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}: {}", self.message, self.rule)
    }
}

/// A rule of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// The request is no JSON, has no list of messages, or is of a format no provider takes.
    NoRequest,
    /// A message is no object with a role that is known.
    Role,
    /// The first message is the person's.
    UserFirst,
    /// A message says something.
    Content,
    /// A text is not blank, and the last one of a reply that is to be continued ends in no space.
    BlankText,
    /// Every result answers a call right before it.
    OrphanResult,
    /// Every call is answered right after it.
    UnansweredCall,
    /// The ids of calls are there, of plain characters, and unique where the provider wants it.
    CallId,
    /// A call names its tool.
    CallName,
    /// Arguments are text for OpenAI, an object for Anthropic.
    Arguments,
    /// Results come before anything else the person says.
    ResultsFirst,
    /// The content of a result is text or parts.
    ResultContent,
    /// The name of a speaker has plain characters only.
    SpeakerName,
    /// Thinking carries its signature.
    Unsigned,
    /// A list of calls is not empty.
    EmptyCalls,
    /// Reasoning is followed by what it led to.
    ReasoningAlone,
    /// The person and the model speak in turns.
    Alternation,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRequest => "there is no list of messages",
            Self::Role => "the role is missing or unknown",
            Self::UserFirst => "the first message is not the user's",
            Self::Content => "the message has no content",
            Self::BlankText => {
                "a text is blank, or ends in white space where it is to be continued"
            }
            Self::OrphanResult => "a result answers no call right before it",
            Self::UnansweredCall => "a call is not answered right after it",
            Self::CallId => "the id of a call is missing, not plain, or used twice",
            Self::CallName => "a call names no tool",
            Self::Arguments => "the arguments have the wrong type",
            Self::ResultsFirst => "a result stands behind something else",
            Self::ResultContent => "the content of a result has the wrong type",
            Self::SpeakerName => "the name of the speaker has characters it must not have",
            Self::Unsigned => "thinking has no signature",
            Self::EmptyCalls => "the list of calls is empty or null",
            Self::Alternation => "two messages of one role stand side by side",
            Self::ReasoningAlone => "reasoning is not followed by what it led to",
        })
    }
}

/// What of `request`, an array of messages or a request body, a provider of `format` would refuse.
///
/// ```
/// use session_transcript::{Format, Rule, check_request};
///
/// let request = r#"[{"role": "tool", "tool_call_id": "k1", "content": "2 rooms"}]"#;
/// let violations = check_request(Format::OpenAiChat, request);
/// assert_eq!(violations[0].rule, Rule::OrphanResult);
/// assert!(check_request(Format::OpenAiChat, r#"[{"role": "user", "content": "Hi"}]"#).is_empty());
/// ```
#[must_use]
pub fn check_request(format: Format, request: &str) -> Vec<Violation> {
    let messages = Raw::parse(request).and_then(|raw| match raw.items() {
        Some(items) => Some(items),
        None => ["messages", "input", "contents"]
            .iter()
            .find_map(|name| raw.member(name)?.items()),
    });
    let mut found = Found::default();
    match (format, messages) {
        (Format::OpenAiChat, Some(messages)) => openai_chat::check(&messages, &mut found),
        (Format::OpenAiResponses, Some(items)) => openai_responses::check(&items, &mut found),
        (Format::Gemini, Some(contents)) => gemini::check(&contents, &mut found),
        (Format::Bedrock, Some(messages)) => bedrock::check(&messages, &mut found),
        (Format::Anthropic, Some(messages)) => anthropic::check(&messages, &mut found),
        _ => found.add(0, Rule::NoRequest),
    }
    found.violations
}

fn is_plain(id: &str) -> bool {
    !id.is_empty()
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[derive(Default)]
struct Found {
    violations: Vec<Violation>,
}

impl Found {
    /// Whether the message at `at` is the model's; `None` when it has no role. The person begins, and
    /// both take turns.
    fn turn(
        &mut self,
        at: usize,
        raw: Raw<'_>,
        model: &str,
        last: &mut Option<bool>,
    ) -> Option<bool> {
        let role = raw.member_str("role").unwrap_or_default();
        if role != model && role != "user" {
            self.add(at, Rule::Role);
            return None;
        }
        let is_model = role == model;
        self.check(at > 0 || !is_model, at, Rule::UserFirst);
        self.check(*last != Some(is_model), at, Rule::Alternation);
        *last = Some(is_model);
        Some(is_model)
    }

    /// Closes the call that a result names.
    fn answer(&mut self, at: usize, id: &str, open: &mut Vec<(usize, String)>) {
        match open.iter().position(|(_, open)| *open == id) {
            Some(place) => drop(open.remove(place)),
            None => self.add(at, Rule::OrphanResult),
        }
    }

    /// Says of each call that is still open that it is not answered.
    fn close(&mut self, open: &mut Vec<(usize, String)>) {
        for (at, _) in open.drain(..) {
            self.add(at, Rule::UnansweredCall);
        }
    }

    fn add(&mut self, message: usize, rule: Rule) {
        self.violations.push(Violation { message, rule });
    }

    fn check(&mut self, holds: bool, message: usize, rule: Rule) {
        if !holds {
            self.add(message, rule);
        }
    }
}
