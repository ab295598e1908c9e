//! What the tests share: a server that plays one answer, and a word for each result.

pub(crate) mod recordings;
pub(crate) mod server;

use session_log::Message;
use session_summarizer::{Brief, Finish, Summarizer, SummarizerError, Summary};

pub(crate) const KEY: &str = "sk-very-secret";

/// What tests ask a summary of, with a text that must be in no error.
pub(crate) const SECRET_TEXT: &str = "The password of the vault is swordfish.";

pub(crate) fn talk() -> [Message; 2] {
    [Message::user(SECRET_TEXT), Message::assistant("Noted.")]
}

/// Asks for a summary of [`talk`].
pub(crate) fn ask(summarizer: &dyn Summarizer) -> Result<Option<Summary>, SummarizerError> {
    ask_for(summarizer, Brief::new(talk()))
}

pub(crate) fn ask_for(
    summarizer: &dyn Summarizer,
    brief: Brief<'_>,
) -> Result<Option<Summary>, SummarizerError> {
    futures_executor::block_on(summarizer.summarize(brief))
}

/// The result as one line.
pub(crate) fn line(result: &Result<Option<Summary>, SummarizerError>) -> String {
    match result {
        Ok(Some(summary)) => {
            let usage = summary.usage();
            let count = |count: Option<u64>| count.map_or("?".into(), |count| count.to_string());
            let text = summary.text().replace('\n', " ");
            format!(
                "{} {}+{} {}: {}",
                finish(summary.finish()),
                count(usage.input_tokens),
                count(usage.output_tokens),
                summary.model(),
                text.chars().take(28).collect::<String>(),
            )
        }
        Ok(None) => "declined".into(),
        Err(SummarizerError::Unavailable { retry_after, .. }) => match retry_after {
            Some(wait) => format!("unavailable, {} ms", wait.as_millis()),
            None => "unavailable".into(),
        },
        Err(SummarizerError::Timeout { .. }) => "timeout".into(),
        Err(SummarizerError::Invalid { fault }) => format!("invalid {}", fault.name()),
        Err(SummarizerError::InputTooLong { limit }) => match limit {
            Some(limit) => format!("too long, {limit}"),
            None => "too long".into(),
        },
        Err(SummarizerError::Rejected { reason, .. }) => format!("rejected: {reason}"),
        Err(SummarizerError::Unauthorized { .. }) => "unauthorized".into(),
        Err(other) => format!("{other:?}"),
    }
}

fn finish(finish: &Finish) -> String {
    match finish {
        Finish::Complete => "complete".into(),
        Finish::CutOff => "cut off".into(),
        Finish::Filtered => "filtered".into(),
        Finish::Refused => "refused".into(),
        Finish::Unreported => "unreported".into(),
        other => format!("{other:?}"),
    }
}

/// The error and all its causes, as they are shown to people and to developers.
pub(crate) fn all_words(error: &SummarizerError) -> String {
    let mut words = format!("{error} {error:?}");
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        words.push_str(&format!(" {error} {error:?}"));
        cause = error.source();
    }
    words
}
