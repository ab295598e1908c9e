//! Summaries: text that is never blank, and what is known of how it was made.

use core::fmt;
use core::time::Duration;

use session_log::SummaryReceipt;

/// A text that is to stand in for covered events. It is never blank.
///
/// ```
/// use session_summarizer::{Finish, Summary};
///
/// let summary = Summary::new("The refund bug is fixed.", "small-model").unwrap()
///     .with_usage(Some(1_200), Some(9))
///     .with_finish(Finish::Complete);
/// assert_eq!(summary.text(), "The refund bug is fixed.");
/// assert!(Summary::new(" \n\u{200b}\u{a0}", "small-model").is_err());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Summary {
    text: String,
    model: String,
    usage: Usage,
    finish: Finish,
    attempts: u64,
    duration: Option<Duration>,
}

/// A text has nothing to read: it is empty or made of blanks and invisible characters only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("a summary must not be blank")]
pub struct Blank;

/// Tokens as the provider reports them, where it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens the model read.
    pub input_tokens: Option<u64>,
    /// Tokens the model wrote.
    pub output_tokens: Option<u64>,
    /// Tokens of those it read that came from a cache of prompts, and cost less.
    pub cached_tokens: Option<u64>,
}

impl Usage {
    /// So many tokens read and written, where they are known.
    #[must_use]
    pub fn new(input_tokens: Option<u64>, output_tokens: Option<u64>) -> Self {
        Self {
            input_tokens,
            output_tokens,
            cached_tokens: None,
        }
    }

    /// The same with how many of the tokens read came from a cache of prompts.
    #[must_use]
    pub fn with_cached_tokens(mut self, tokens: Option<u64>) -> Self {
        self.cached_tokens = tokens;
        self
    }

    /// Both together; what only one of them reports stays.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (some, None) | (None, some) => some,
        };
        Self {
            input_tokens: sum(self.input_tokens, other.input_tokens),
            output_tokens: sum(self.output_tokens, other.output_tokens),
            cached_tokens: sum(self.cached_tokens, other.cached_tokens),
        }
    }
}

/// Why the model stopped writing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finish {
    /// Nobody said.
    #[default]
    Unreported,
    /// It was done.
    Complete,
    /// It ran into a limit, the connection ended, or it stopped to call a tool: the text is not
    /// all of it.
    CutOff,
    /// A filter stopped it.
    Filtered,
    /// It refused.
    Refused,
    /// Another reason, in the provider's word.
    Other(String),
}

impl Finish {
    /// The reason behind a provider's word, in any case: `stop`, `end_turn`, `MAX_TOKENS` …
    ///
    /// ```
    /// use session_summarizer::Finish;
    ///
    /// assert_eq!(Finish::from_name("end_turn"), Finish::Complete);
    /// assert_eq!(Finish::from_name("MAX_TOKENS"), Finish::CutOff);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "" => Self::Unreported,
            "stop" | "end_turn" | "stop_sequence" | "completed" | "eos" => Self::Complete,
            "length"
            | "max_tokens"
            | "max_output_tokens"
            | "model_context_window_exceeded"
            | "incomplete"
            | "pause_turn"
            // It stopped to call a tool, so what it wrote is not all it had to say.
            | "tool_calls"
            | "tool_use"
            | "function_call"
            | "malformed_function_call"
            | "unexpected_tool_call" => Self::CutOff,
            "content_filter" | "safety" | "recitation" | "blocklist" | "prohibited_content"
            | "spii"
            | "language" | "other" => Self::Filtered,
            "refusal" => Self::Refused,
            _ => Self::Other(name.into()),
        }
    }
}

impl Summary {
    /// A summary by `model`, as it is, asked for once.
    ///
    /// # Errors
    ///
    /// [`Blank`] when there is nothing to read in `text`: white space of any kind, invisible
    /// characters, control characters.
    pub fn new(text: impl Into<String>, model: impl Into<String>) -> Result<Self, Blank> {
        let text = text.into();
        if is_blank(&text) {
            return Err(Blank);
        }
        Ok(Self {
            text,
            model: model.into(),
            usage: Usage::default(),
            finish: Finish::Unreported,
            attempts: 1,
            duration: None,
        })
    }

    /// The same summary with what the provider reports of tokens.
    #[must_use]
    pub fn with_usage(mut self, input_tokens: Option<u64>, output_tokens: Option<u64>) -> Self {
        self.usage = Usage::new(input_tokens, output_tokens);
        self
    }

    /// The same summary, which cost so much besides: attempts before it that came to nothing.
    #[must_use]
    pub fn with_more_usage(mut self, usage: Usage) -> Self {
        self.usage = self.usage.plus(usage);
        self
    }

    /// The same summary with the reason why the model stopped.
    #[must_use]
    pub fn with_finish(mut self, finish: Finish) -> Self {
        self.finish = finish;
        self
    }

    /// The same summary, asked for so many times.
    #[must_use]
    pub fn with_attempts(mut self, attempts: u64) -> Self {
        self.attempts = attempts;
        self
    }

    /// The same summary with the time it took.
    #[must_use]
    pub fn with_duration(mut self, duration: Duration) -> Self {
        self.duration = Some(duration);
        self
    }

    /// The same account with another text.
    ///
    /// # Errors
    ///
    /// [`Blank`] as in [`new`](Self::new).
    pub fn with_text(mut self, text: impl Into<String>) -> Result<Self, Blank> {
        let text = text.into();
        if is_blank(&text) {
            return Err(Blank);
        }
        self.text = text;
        Ok(self)
    }

    /// The same summary, which took the work of `earlier` besides: usage, attempts and time are
    /// added up.
    #[must_use]
    pub fn after(mut self, earlier: &Self) -> Self {
        self.usage = self.usage.plus(earlier.usage);
        self.attempts = self.attempts.saturating_add(earlier.attempts);
        self.duration = match (self.duration, earlier.duration) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (some, None) | (None, some) => some,
        };
        self
    }

    /// What stands in for the covered events.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The summarizer or model.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The tokens as the provider reports them.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Why the model stopped.
    #[must_use]
    pub fn finish(&self) -> &Finish {
        &self.finish
    }

    /// How often a summarizer was asked.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// How long it took, if that was measured.
    #[must_use]
    pub fn duration(&self) -> Option<Duration> {
        self.duration
    }

    /// What a boundary keeps of it, beside the text.
    #[must_use]
    pub fn receipt(&self) -> SummaryReceipt {
        let mut receipt = SummaryReceipt::new(self.model.clone());
        receipt.input_tokens = self.usage.input_tokens;
        receipt.output_tokens = self.usage.output_tokens;
        receipt.attempts = self.attempts;
        receipt.duration_ms = self
            .duration
            .map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
        receipt
    }
}

impl fmt::Debug for Summary {
    /// Shows the account and the length, never the text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summary")
            .field("bytes", &self.text.len())
            .field("model", &self.model)
            .field("usage", &self.usage)
            .field("finish", &self.finish)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}

/// The text without a block of reasoning that some servers write in front of it:
/// `<think>…</think>`. A block that does not end leaves nothing.
///
/// ```
/// use session_summarizer::without_reasoning;
///
/// assert_eq!(without_reasoning("<think>hm</think>\nDone."), "Done.");
/// assert_eq!(without_reasoning("<think>hm, and then"), "");
/// assert_eq!(without_reasoning("Done."), "Done.");
/// ```
#[must_use]
pub fn without_reasoning(text: &str) -> &str {
    let Some(inside) = text.trim_start().strip_prefix("<think>") else {
        return text;
    };
    match inside.split_once("</think>") {
        Some((_, after)) => after.trim_start(),
        None => "",
    }
}

/// Whether there is nothing to read.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(is_invisible)
}

/// White space, controls, and characters that take no room: joiners, marks of direction, fillers.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}'
        )
}
