//! Chat completions, by OpenAI and by the many servers that speak the same.

use reqwest::header::AUTHORIZATION;
use serde_json::{Value, json};
use session_summarizer::{ChatCall, ChatLine, ChatResult, Finish, SummarizerError};

use super::adapter;
use crate::answer::{Written, content_text};
use crate::json::{at, put, put_from, str_at, text_at, usage_at};
use crate::key::{ApiKey, environment};
use crate::link::{Dialect, KeyHeader, Link, Target};
use crate::question::Question;
use crate::sections;
use crate::settings::SettingsError;

/// A model behind the chat completions of OpenAI, or of a server that speaks the same: llama.cpp,
/// vLLM, Ollama under `/v1`, LM Studio, OpenRouter, Mistral, DeepSeek, Azure.
///
/// ```
/// use session_summarizer_http::{ApiKey, OpenAi};
///
/// let summarizer = OpenAi::new("http://127.0.0.1:8080/v1", "local")?
///     .with_key(ApiKey::new("sk-secret")?)?;
/// assert!(!format!("{summarizer:?}").contains("secret"));
/// # Ok::<(), session_summarizer_http::SettingsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenAi {
    pub(super) link: Link,
    limit_field: LimitField,
    sections_as_json: bool,
}

/// Under which name the output limit is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitField {
    /// `max_tokens`, which every compatible server knows.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's own models ask for.
    MaxCompletionTokens,
}

/// OpenAI's own address.
pub(super) const OPENAI: &str = "https://api.openai.com/v1";

pub(super) const BEARER: KeyHeader = KeyHeader {
    name: AUTHORIZATION,
    prefix: "Bearer ",
};

impl OpenAi {
    /// `model` at a compatible server. The base URL is what stands before `/chat/completions`, so
    /// it mostly ends in `/v1`.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] when the address cannot be used or the model is blank.
    pub fn new(base_url: &str, model: impl Into<String>) -> Result<Self, SettingsError> {
        Ok(Self {
            link: Link::new(base_url, model)?,
            limit_field: LimitField::MaxTokens,
            sections_as_json: false,
        })
    }

    /// `model` with the key in `OPENAI_API_KEY`, at the address in `OPENAI_BASE_URL`, else at
    /// OpenAI itself.
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
        let (address, key) = openai_variables(variables)?;
        let summarizer = Self::new(&address, model)?.with_key(key)?;
        Ok(match address == OPENAI {
            true => summarizer.with_limit_field(LimitField::MaxCompletionTokens),
            false => summarizer,
        })
    }

    /// The same summarizer with the output limit under another name.
    #[must_use]
    pub fn with_limit_field(mut self, field: LimitField) -> Self {
        self.limit_field = field;
        self
    }

    /// The same summarizer, which has the sections of the prompt's template written as JSON under
    /// a schema that the server enforces, and puts them under their headings itself. Without a
    /// template, and where a server does not heed the schema, nothing changes.
    #[must_use]
    pub fn with_sections_as_json(mut self) -> Self {
        self.sections_as_json = true;
        self
    }
}

/// The address and the key that the environment names.
pub(super) fn openai_variables(
    variables: &dyn Fn(&str) -> Option<String>,
) -> Result<(String, ApiKey), SettingsError> {
    let key = ApiKey::required("OPENAI_API_KEY", variables)?;
    let address = variables("OPENAI_BASE_URL").unwrap_or_else(|| OPENAI.into());
    Ok((address, key))
}

adapter!(OpenAi, BEARER);

impl Dialect for OpenAi {
    fn target(&self, _: &Question<'_>) -> Target {
        Target::path(&["chat", "completions"])
    }

    fn body(&self, question: &Question<'_>) -> Result<Value, SummarizerError> {
        let template = question.template.filter(|_| self.sections_as_json);
        let (system, user) = question.words(template);
        let system = system
            .into_iter()
            .map(|text| json!({ "role": "system", "content": text }));
        let mut messages: Vec<Value> = system.collect();
        messages.extend(question.lines.iter().flat_map(messages_of));
        messages.push(json!({ "role": "user", "content": user }));
        let limit = match self.limit_field {
            LimitField::MaxTokens => "max_tokens",
            LimitField::MaxCompletionTokens => "max_completion_tokens",
        };
        let mut body = json!({
            "model": question.model,
            "messages": messages,
            limit: question.output_tokens,
        });
        if let Some(tools) = question.tools {
            put(&mut body, "tools", tools.clone());
            put(&mut body, "tool_choice", "none");
        }
        if let Some(temperature) = question.temperature {
            put(&mut body, "temperature", temperature);
        }
        if question.is_streamed() {
            put(&mut body, "stream", true);
            put(
                &mut body,
                "stream_options",
                json!({ "include_usage": true }),
            );
        }
        if let Some(template) = template {
            let format = json!({
                "type": "json_schema",
                "json_schema": {
                    "name": "summary",
                    "strict": true,
                    "schema": sections::schema(template),
                },
            });
            put(&mut body, "response_format", format);
        }
        Ok(body)
    }

    fn read(
        &self,
        answer: &Value,
        question: &Question<'_>,
    ) -> Option<Result<Written, SummarizerError>> {
        let choices = answer.get("choices")?.as_array()?;
        let Some(choice) = choices.first() else {
            return Some(Ok(Written::default()));
        };
        let message = choice.get("message")?;
        let finish = str_at(choice, "/finish_reason");
        if finish == "error" {
            // A gateway lost its provider in the middle of the answer.
            return Some(Err(SummarizerError::unavailable(None)));
        }
        let mut finish = Finish::from_name(finish);
        if !str_at(message, "/refusal").trim().is_empty() {
            finish = Finish::Refused;
        }
        let mut text = content_text(at(message, "/content"));
        if let Some(template) = question.template.filter(|_| self.sections_as_json)
            && let Some(page) = sections::page(&text, template)
        {
            text = page;
        }
        Some(Ok(Written {
            text,
            finish,
            model: text_at(answer, "/model"),
            usage: usage_at(answer, USAGE),
        }))
    }

    fn assemble(&self, pieces: &[Value]) -> Value {
        let mut text = String::new();
        let mut refusal = String::new();
        // Unless it says how it ended, the connection ended before the answer did.
        let mut ended = json!({ "finish_reason": "incomplete" });
        let mut answer = json!({});
        for piece in pieces {
            let error = at(piece, "/error");
            if !error.is_null() {
                return json!({ "error": error });
            }
            put_from(&mut answer, piece, &["model", "usage"]);
            let choice = at(piece, "/choices/0");
            text.push_str(&content_text(at(choice, "/delta/content")));
            refusal.push_str(str_at(choice, "/delta/refusal"));
            put_from(&mut ended, choice, &["finish_reason"]);
        }
        put(
            &mut ended,
            "message",
            json!({ "content": text, "refusal": refusal }),
        );
        put(&mut answer, "choices", vec![ended]);
        answer
    }
}

/// Where the tokens are that were read, written, and read from a cache.
const USAGE: [&str; 3] = [
    "/usage/prompt_tokens",
    "/usage/completion_tokens",
    "/usage/prompt_tokens_details/cached_tokens",
];

/// A line as the messages it has here: each result is one of its own.
fn messages_of(line: &ChatLine) -> Vec<Value> {
    match line {
        ChatLine::User(text) => vec![json!({ "role": "user", "content": text })],
        ChatLine::Assistant { text, calls } if calls.is_empty() => {
            vec![json!({ "role": "assistant", "content": text })]
        }
        ChatLine::Assistant { text, calls } => {
            let call = |call: &ChatCall| {
                json!({
                    "id": call.id,
                    "type": "function",
                    "function": { "name": call.name, "arguments": call.arguments },
                })
            };
            let calls: Vec<Value> = calls.iter().map(call).collect();
            let text = Some(text).filter(|text| !text.is_empty());
            vec![json!({ "role": "assistant", "content": text, "tool_calls": calls })]
        }
        ChatLine::Results(results) => {
            let result = |result: &ChatResult| {
                json!({
                    "role": "tool",
                    "tool_call_id": result.call_id,
                    "content": result.text,
                })
            };
            results.iter().map(result).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_key_and_address() {
        let variables = |address: Option<&'static str>| {
            move |name: &str| match name {
                "OPENAI_API_KEY" => Some("sk-secret\n".to_owned()),
                "OPENAI_BASE_URL" => address.map(str::to_owned),
                _ => None,
            }
        };
        let own = OpenAi::from_variables("m".into(), &variables(None)).unwrap();
        assert_eq!(own.limit_field, LimitField::MaxCompletionTokens);
        let other = variables(Some("http://a.example/v1"));
        let other = OpenAi::from_variables("m".into(), &other).unwrap();
        assert_eq!(other.limit_field, LimitField::MaxTokens);
        assert!(!format!("{own:?}{other:?}").contains("secret"));

        let error = OpenAi::from_variables("m".into(), &|_| None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no key, set the environment variable OPENAI_API_KEY"
        );
    }
}
