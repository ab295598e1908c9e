//! What a model wrote, and the summary that is made of it.

use serde_json::Value;
use session_summarizer::{Fault, Finish, SummarizerError, Summary, Usage};

/// What came as an answer.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) finish: Finish,
    pub(crate) model: Option<String>,
    pub(crate) usage: Usage,
}

impl Written {
    /// The summary, by `model` where the answer names none. Where there is nothing to read, the
    /// fault tells why.
    pub(crate) fn into_summary(self, model: &str) -> Result<Summary, SummarizerError> {
        let fault = match &self.finish {
            Finish::CutOff => Fault::CutOff,
            Finish::Filtered => Fault::Filtered,
            Finish::Refused => Fault::Refusal,
            _ => Fault::Blank,
        };
        let named = self.model.as_deref().map(printable);
        let named = named.filter(|name| !name.trim().is_empty());
        let summary = Summary::new(
            without_thoughts(&self.text),
            named.unwrap_or_else(|| model.to_owned()),
        )
        .map_err(|_| fault)?;
        let finish = match self.finish {
            Finish::Other(name) => Finish::Other(printable(&name)),
            known => known,
        };
        Ok(summary.with_more_usage(self.usage).with_finish(finish))
    }
}

/// How thoughts are marked that servers leave in the text.
const THOUGHTS: [(&str, &str); 4] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("[THINK]", "[/THINK]"),
];

/// The text without what a model thought before it wrote. Thoughts that do not end leave nothing.
fn without_thoughts(text: &str) -> &str {
    let mut text = text.trim();
    'blocks: loop {
        for (open, close) in THOUGHTS {
            if let Some(inside) = text.strip_prefix(open) {
                text = match inside.split_once(close) {
                    Some((_, after)) => after.trim_start(),
                    None => "",
                };
                continue 'blocks;
            }
        }
        break;
    }
    // Some templates open the block in the prompt, so that only its end is in the answer, at the
    // end of a line.
    for (open, close) in THOUGHTS {
        if let Some((before, after)) = text.split_once(close)
            && !before.contains(open)
            && (after.is_empty() || after.starts_with(['\n', '\r']))
        {
            return after.trim_start();
        }
    }
    text
}

/// The text of a content that is a string, or a list of parts of which the texts are taken.
pub(crate) fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter(|part| {
                let kind = part.get("type").and_then(Value::as_str);
                matches!(kind, None | Some("text" | "output_text"))
            })
            .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()))
            .collect(),
        _ => String::new(),
    }
}

/// A name that a provider gave, of a model or of why it stopped, fit to be shown: one line, not endless.
fn printable(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_left_out_however_they_are_marked() {
        let cases = [
            ("Done.", "Done."),
            ("<think>hm</think>\nDone.", "Done."),
            ("\n<think>a</think><think>b</think> Done.", "Done."),
            ("<thinking>a</thinking>Done.", "Done."),
            ("[THINK]a[/THINK]Done.", "Done."),
            ("<think>never ends", ""),
            ("<think></think>", ""),
            ("first this\nthen that</think>\n\nDone.", "Done."),
            ("first this\n</think>", ""),
            (
                "The parser takes <think>x</think> now.",
                "The parser takes <think>x</think> now.",
            ),
            (
                "It closes </think> too early.",
                "It closes </think> too early.",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(without_thoughts(text), expected, "{text:?}");
        }
    }

    #[test]
    fn of_a_list_of_parts_only_texts_are_taken() {
        let content = serde_json::json!([
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
            {"type": "text", "text": "Goal: "},
            {"type": "text", "text": "ship."},
            {"type": "text"},
            7,
        ]);
        assert_eq!(content_text(&content), "Goal: ship.");
        assert_eq!(content_text(&Value::Null), "");
    }

    #[test]
    fn a_reason_to_stop_that_nobody_knows_is_one_line_and_not_endless() {
        let written = Written {
            text: "Done.".into(),
            finish: Finish::from_name(&format!("later\n{}", "x".repeat(900))),
            ..Written::default()
        };
        let summary = written.into_summary("asked").unwrap();
        let expected = format!("later{}", "x".repeat(195));
        assert_eq!(summary.finish(), &Finish::Other(expected));
    }

    #[test]
    fn a_model_that_is_not_named_is_the_one_that_was_asked() {
        let written = |model: Option<&str>| Written {
            text: "Done.".into(),
            model: model.map(Into::into),
            ..Written::default()
        };
        let named = written(Some("m-1\n")).into_summary("asked").unwrap();
        assert_eq!(named.model(), "m-1");
        let unnamed = written(Some(" ")).into_summary("asked").unwrap();
        assert_eq!(unnamed.model(), "asked");
    }
}
