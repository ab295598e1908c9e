//! The responses of OpenAI: the newer interface, which some of its models are only to be had by.

use serde_json::{Value, json};
use session_summarizer::{ChatCall, ChatLine, ChatResult, Finish, SummarizerError};

use super::adapter;
use super::openai::{BEARER, openai_variables};
use crate::answer::{Written, content_text};
use crate::json::{at, list_at, put, str_at, text_at, usage_at};
use crate::key::environment;
use crate::link::{Dialect, Link, Target};
use crate::question::Question;
use crate::settings::SettingsError;

/// A model behind OpenAI's responses.
///
/// The provider is asked to store nothing. A server that says that an answer is complete although
/// it wrote as much as it was allowed to is not believed.
///
/// ```
/// use session_summarizer_http::OpenAiResponses;
///
/// let summarizer = OpenAiResponses::new("http://127.0.0.1:8080/v1", "local")?;
/// assert_eq!(summarizer.model(), "local");
/// # Ok::<(), session_summarizer_http::SettingsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenAiResponses {
    pub(super) link: Link,
}

impl OpenAiResponses {
    /// `model` at the server whose base URL stands before `/responses`.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] when the address cannot be used or the model is blank.
    pub fn new(base_url: &str, model: impl Into<String>) -> Result<Self, SettingsError> {
        Ok(Self {
            link: Link::new(base_url, model)?,
        })
    }

    /// `model` with the key in `OPENAI_API_KEY`, at the address in `OPENAI_BASE_URL`, else at
    /// OpenAI itself.
    ///
    /// # Errors
    ///
    /// [`SettingsError::MissingKey`] when there is no key, and as in [`new`](Self::new).
    pub fn from_env(model: impl Into<String>) -> Result<Self, SettingsError> {
        let (address, key) = openai_variables(&environment)?;
        Self::new(&address, model)?.with_key(key)
    }
}

adapter!(OpenAiResponses, BEARER);

impl Dialect for OpenAiResponses {
    fn target(&self, _: &Question<'_>) -> Target {
        Target::path(&["responses"])
    }

    fn body(&self, question: &Question<'_>) -> Result<Value, SummarizerError> {
        let mut body = json!({
            "model": question.model,
            "max_output_tokens": question.output_tokens,
            "store": false,
        });
        let user = json!({ "role": "user", "content": question.user });
        let (instructions, more) = question.system.split_first().unzip();
        if let Some(instructions) = instructions {
            put(&mut body, "instructions", instructions.as_str());
        }
        if question.is_conversation() {
            let more = more.into_iter().flatten();
            let more = more.map(|text| json!({ "role": "system", "content": text }));
            let lines = question.lines.iter().flat_map(items_of);
            put(
                &mut body,
                "input",
                more.chain(lines).chain([user]).collect::<Vec<_>>(),
            );
        } else {
            put(&mut body, "input", question.user.as_str());
        }
        if let Some(tools) = question.tools {
            put(&mut body, "tools", tools.clone());
            put(&mut body, "tool_choice", "none");
        }
        if let Some(temperature) = question.temperature {
            put(&mut body, "temperature", temperature);
        }
        if question.is_streamed() {
            put(&mut body, "stream", true);
        }
        Ok(body)
    }

    fn read(
        &self,
        answer: &Value,
        question: &Question<'_>,
    ) -> Option<Result<Written, SummarizerError>> {
        answer.get("output")?.as_array()?;
        let messages =
            || list_at(answer, "/output").filter(|item| str_at(item, "/type") == "message");
        let text = messages()
            .map(|item| content_text(at(item, "/content")))
            .collect();
        let is_refused = messages()
            .flat_map(|item| list_at(item, "/content"))
            .any(|part| str_at(part, "/type") == "refusal");
        let reason = at(answer, "/incomplete_details/reason").as_str();
        let status = str_at(answer, "/status");
        let usage = usage_at(answer, USAGE);
        let mut finish = Finish::from_name(reason.unwrap_or(status));
        if is_refused {
            finish = Finish::Refused;
        }
        let is_at_limit = usage
            .output_tokens
            .is_some_and(|it| it >= question.output_tokens);
        if finish == Finish::Complete && is_at_limit {
            finish = Finish::CutOff;
        }
        Some(Ok(Written {
            text,
            finish,
            model: text_at(answer, "/model"),
            usage,
        }))
    }

    fn assemble(&self, pieces: &[Value]) -> Value {
        let mut text = String::new();
        for piece in pieces {
            match str_at(piece, "/type") {
                "error" => return json!({ "error": piece }),
                "response.completed" | "response.incomplete" | "response.failed" => {
                    return at(piece, "/response").clone();
                }
                "response.output_text.delta" => {
                    text.push_str(str_at(piece, "/delta"));
                }
                _ => {}
            }
        }
        json!({
            "status": "incomplete",
            "output": [{ "type": "message", "content": text }],
        })
    }
}

/// Where the tokens are that were read, written, and read from a cache.
const USAGE: [&str; 3] = [
    "/usage/input_tokens",
    "/usage/output_tokens",
    "/usage/input_tokens_details/cached_tokens",
];

/// A line as the items it has here: each call and each result is one of its own.
fn items_of(line: &ChatLine) -> Vec<Value> {
    match line {
        ChatLine::User(text) => vec![json!({ "role": "user", "content": text })],
        ChatLine::Assistant { text, calls } => {
            let call = |call: &ChatCall| {
                json!({
                    "type": "function_call",
                    "call_id": call.id,
                    "name": call.name,
                    "arguments": call.arguments,
                })
            };
            let said = (!text.is_empty()).then(|| json!({ "role": "assistant", "content": text }));
            said.into_iter().chain(calls.iter().map(call)).collect()
        }
        ChatLine::Results(results) => {
            let result = |result: &ChatResult| {
                json!({
                    "type": "function_call_output",
                    "call_id": result.call_id,
                    "output": result.text,
                })
            };
            results.iter().map(result).collect()
        }
    }
}
