//! The responses of OpenAI: the newer interface, which some of its models are only to be had by.

use serde_json::{Value, json};
use session_summarizer::{Finish, SummarizerError};

use super::adapter;
use super::openai::{BEARER, openai_variables};
use crate::answer::{Written, content_text};
use crate::json::{at, count_at, list_at, put, str_at, text_at};
use crate::key::environment;
use crate::link::{Dialect, Link, Question, Target};
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
            "instructions": question.system,
            "input": question.user,
            "max_output_tokens": question.output_tokens,
            "store": false,
        });
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
        let output_tokens = count_at(answer, "/usage/output_tokens");
        let mut finish = Finish::from_name(reason.unwrap_or(status));
        if is_refused {
            finish = Finish::Refused;
        }
        let is_at_limit = output_tokens.is_some_and(|it| it >= question.output_tokens);
        if finish == Finish::Complete && is_at_limit {
            finish = Finish::CutOff;
        }
        Some(Ok(Written {
            text,
            finish,
            model: text_at(answer, "/model"),
            input_tokens: count_at(answer, "/usage/input_tokens"),
            output_tokens,
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
