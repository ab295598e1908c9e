//! Messages, by Anthropic and by servers that speak the same.

use reqwest::header::HeaderName;
use serde_json::{Value, json};
use session_summarizer::{ChatCall, ChatLine, ChatResult, Finish, SummarizerError, Usage};

use super::adapter;
use crate::answer::{Written, content_text};
use crate::json::{at, count_at, object, put, put_from, str_at, text_at};
use crate::key::{ApiKey, environment};
use crate::link::{Dialect, KeyHeader, Link, Target};
use crate::question::{Calls, OPENING, Question};
use crate::settings::SettingsError;

/// A model behind Anthropic's messages, or a server that speaks the same, such as llama.cpp.
///
/// ```
/// use session_summarizer_http::Anthropic;
///
/// let summarizer = Anthropic::new("http://127.0.0.1:8080", "local")?;
/// assert_eq!(summarizer.model(), "local");
/// # Ok::<(), session_summarizer_http::SettingsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Anthropic {
    pub(super) link: Link,
}

/// Anthropic's own address.
const ANTHROPIC: &str = "https://api.anthropic.com";

/// The version of the interface that requests are written for.
const VERSION: &str = "2023-06-01";

impl Anthropic {
    /// `model` at the server whose base URL stands before `/v1/messages`.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] when the address cannot be used or the model is blank.
    pub fn new(base_url: &str, model: impl Into<String>) -> Result<Self, SettingsError> {
        let link = Link::new(base_url, model)?;
        Ok(Self {
            link: link.with_static_header("anthropic-version", VERSION),
        })
    }

    /// `model` with the key in `ANTHROPIC_API_KEY`, at the address in `ANTHROPIC_BASE_URL`, else
    /// at Anthropic itself.
    ///
    /// # Errors
    ///
    /// [`SettingsError::MissingKey`] when there is no key, and as in [`new`](Self::new).
    pub fn from_env(model: impl Into<String>) -> Result<Self, SettingsError> {
        Self::from_variables(model.into(), &environment)
    }

    fn from_variables(
        model: String,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, SettingsError> {
        let key = ApiKey::required("ANTHROPIC_API_KEY", variables)?;
        let address = variables("ANTHROPIC_BASE_URL").unwrap_or_else(|| ANTHROPIC.into());
        Self::new(&address, model)?.with_key(key)
    }
}

adapter!(
    Anthropic,
    KeyHeader {
        name: HeaderName::from_static("x-api-key"),
        prefix: "",
    }
);

impl Dialect for Anthropic {
    fn target(&self, _: &Question<'_>) -> Target {
        Target::path(&["v1", "messages"])
    }

    fn calls(&self) -> Calls {
        Calls::WithTools
    }

    fn body(&self, question: &Question<'_>) -> Result<Value, SummarizerError> {
        let mut body = json!({
            "model": question.model,
            "max_tokens": question.output_tokens,
            "messages": messages(question),
        });
        match question.system.as_slice() {
            [] => {}
            [system] => put(&mut body, "system", system.as_str()),
            several => {
                let text = |text: &String| json!({ "type": "text", "text": text });
                put(
                    &mut body,
                    "system",
                    several.iter().map(text).collect::<Vec<_>>(),
                );
            }
        }
        if let Some(tools) = question.tools {
            // A tool_choice would make the messages others than those in the cache.
            put(&mut body, "tools", tools.clone());
        }
        if let Some(temperature) = question.temperature {
            put(&mut body, "temperature", temperature);
        }
        if question.is_streamed() {
            put(&mut body, "stream", true);
        }
        Ok(body)
    }

    fn read(&self, answer: &Value, _: &Question<'_>) -> Option<Result<Written, SummarizerError>> {
        let content = answer.get("content")?;
        let usage = at(answer, "/usage");
        // What was read from a cache or put into one was read all the same.
        let input = COUNTS.iter().filter(|name| name.ends_with("input_tokens"));
        let input = input.filter_map(|name| usage.get(name)?.as_u64());
        Some(Ok(Written {
            text: content_text(content),
            finish: Finish::from_name(str_at(answer, "/stop_reason")),
            model: text_at(answer, "/model"),
            usage: Usage::new(
                input.reduce(u64::saturating_add),
                count_at(answer, "/usage/output_tokens"),
            )
            .with_cached_tokens(count_at(answer, "/usage/cache_read_input_tokens")),
        }))
    }

    fn assemble(&self, pieces: &[Value]) -> Value {
        let mut answer = json!({ "stop_reason": "incomplete" });
        let mut usage = json!({});
        let mut text = String::new();
        for piece in pieces {
            match str_at(piece, "/type") {
                "error" => return json!({ "error": at(piece, "/error") }),
                "message_start" => {
                    put_from(&mut answer, at(piece, "/message"), &["model"]);
                    put_from(&mut usage, at(piece, "/message/usage"), COUNTS);
                }
                "content_block_delta" if str_at(piece, "/delta/type") == "text_delta" => {
                    text.push_str(str_at(piece, "/delta/text"));
                }
                "message_delta" => {
                    put_from(&mut answer, at(piece, "/delta"), &["stop_reason"]);
                    // These counts are of all so far, not of one piece.
                    put_from(&mut usage, at(piece, "/usage"), COUNTS);
                }
                _ => {}
            }
        }
        put(&mut answer, "usage", usage);
        put(&mut answer, "content", text);
        answer
    }
}

/// The messages: of a transcript one, of a conversation those that take turns, with a mark up to
/// which the provider is to keep and to look for them.
fn messages(question: &Question<'_>) -> Value {
    if !question.is_conversation() {
        return json!([{ "role": "user", "content": question.user }]);
    }
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut say = |role: &'static str, block: Value| match turns.last_mut() {
        Some((last, blocks)) if *last == role => blocks.push(block),
        _ => turns.push((role, vec![block])),
    };
    if question.begins_with_the_model() {
        say("user", text_block(OPENING));
    }
    for (role, block) in question.lines.iter().flat_map(blocks_of) {
        say(role, block);
    }
    if let Some(last) = turns.last_mut().and_then(|(_, blocks)| blocks.last_mut()) {
        put(last, "cache_control", json!({ "type": "ephemeral" }));
    }
    let task = text_block(&question.user);
    match turns.last_mut() {
        Some(("user", blocks)) => blocks.push(task),
        _ => turns.push(("user", vec![task])),
    }
    turns
        .into_iter()
        .map(|(role, blocks)| json!({ "role": role, "content": blocks }))
        .collect()
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// A line as the blocks it has here, and whose they are.
fn blocks_of(line: &ChatLine) -> Vec<(&'static str, Value)> {
    match line {
        ChatLine::User(text) => vec![("user", text_block(text))],
        ChatLine::Assistant { text, calls } => {
            let call = |call: &ChatCall| {
                let block = json!({
                    "type": "tool_use",
                    "id": call.id,
                    "name": call.name,
                    "input": object(&call.arguments),
                });
                ("assistant", block)
            };
            let said = (!text.is_empty()).then(|| ("assistant", text_block(text)));
            said.into_iter().chain(calls.iter().map(call)).collect()
        }
        ChatLine::Results(results) => {
            let result = |result: &ChatResult| {
                let mut block = json!({
                    "type": "tool_result",
                    "tool_use_id": result.call_id,
                    "content": result.text,
                });
                if result.is_error {
                    put(&mut block, "is_error", true);
                }
                ("user", block)
            };
            results.iter().map(result).collect()
        }
    }
}

/// The counts of tokens.
const COUNTS: &[&str] = &[
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_key_and_address() {
        let variables = |name: &str| match name {
            "ANTHROPIC_API_KEY" => Some("sk-secret".to_owned()),
            "ANTHROPIC_BASE_URL" => Some("http://a.example".to_owned()),
            _ => None,
        };
        let summarizer = Anthropic::from_variables("m".into(), &variables).unwrap();
        let shown = format!("{summarizer:?}");
        assert!(shown.contains("http://a.example"), "{shown}");
        assert!(!shown.contains("secret"), "{shown}");
        let error = Anthropic::from_variables("m".into(), &|_| None).unwrap_err();
        assert!(error.to_string().ends_with("ANTHROPIC_API_KEY"), "{error}");
    }
}
