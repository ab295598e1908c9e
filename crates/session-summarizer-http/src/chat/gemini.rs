//! Generated content, by Gemini.

use reqwest::header::HeaderName;
use serde_json::{Value, json};
use session_summarizer::{ChatCall, ChatLine, ChatResult, Finish, SummarizerError, Usage};

use super::adapter;
use crate::answer::Written;
use crate::json::{at, count_at, list_at, object, put, put_from, str_at, text_at};
use crate::key::{ApiKey, environment};
use crate::link::{Dialect, KeyHeader, Link, Target};
use crate::question::{OPENING, Question};
use crate::settings::SettingsError;

/// A model behind Gemini's `generateContent`.
///
/// ```
/// use session_summarizer_http::Gemini;
///
/// let summarizer = Gemini::new("http://127.0.0.1:8080", "models/flash")?;
/// assert_eq!(summarizer.model(), "models/flash");
/// # Ok::<(), session_summarizer_http::SettingsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gemini {
    pub(super) link: Link,
}

/// Google's own address.
const GOOGLE: &str = "https://generativelanguage.googleapis.com";

impl Gemini {
    /// `model` at the server whose base URL stands before `/v1beta/models`. The name may begin
    /// with `models/` or not.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] when the address cannot be used or the model is blank.
    pub fn new(base_url: &str, model: impl Into<String>) -> Result<Self, SettingsError> {
        Ok(Self {
            link: Link::new(base_url, model)?,
        })
    }

    /// `model` at Google itself, with the key in `GEMINI_API_KEY` or else in `GOOGLE_API_KEY`.
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
        let key = match ApiKey::required("GEMINI_API_KEY", variables) {
            Err(error @ SettingsError::MissingKey { .. }) => {
                ApiKey::optional("GOOGLE_API_KEY", variables)?.ok_or(error)?
            }
            key => key?,
        };
        Self::new(GOOGLE, model)?.with_key(key)
    }
}

adapter!(
    Gemini,
    KeyHeader {
        name: HeaderName::from_static("x-goog-api-key"),
        prefix: "",
    }
);

impl Dialect for Gemini {
    fn target(&self, question: &Question<'_>) -> Target {
        let model = question.model.trim_start_matches("models/");
        let (verb, query) = match question.is_streamed() {
            true => ("streamGenerateContent", Some(("alt", "sse"))),
            false => ("generateContent", None),
        };
        Target {
            segments: vec!["v1beta".into(), "models".into(), format!("{model}:{verb}")],
            query,
        }
    }

    fn body(&self, question: &Question<'_>) -> Result<Value, SummarizerError> {
        let mut settings = json!({ "maxOutputTokens": question.output_tokens });
        if let Some(temperature) = question.temperature {
            put(&mut settings, "temperature", temperature);
        }
        let mut body = json!({
            "contents": contents(question),
            "generationConfig": settings,
        });
        if !question.system.is_empty() {
            let part = |text: &String| json!({ "text": text });
            let parts: Vec<Value> = question.system.iter().map(part).collect();
            put(&mut body, "systemInstruction", json!({ "parts": parts }));
        }
        if let Some(tools) = question.tools {
            put(&mut body, "tools", tools.clone());
            let none = json!({ "functionCallingConfig": { "mode": "NONE" } });
            put(&mut body, "toolConfig", none);
        }
        Ok(body)
    }

    fn read(&self, answer: &Value, _: &Question<'_>) -> Option<Result<Written, SummarizerError>> {
        let is_blocked = !at(answer, "/promptFeedback/blockReason").is_null();
        // Where the model wrote nothing at all, there may be no list of candidates.
        let is_counted = at(answer, "/usageMetadata").is_object();
        if !is_blocked && !is_counted {
            answer.get("candidates")?.as_array()?;
        }
        let finish = match is_blocked {
            true => Finish::Filtered,
            false => Finish::from_name(str_at(answer, "/candidates/0/finishReason")),
        };
        let text = list_at(answer, "/candidates/0/content/parts")
            .filter(|part| at(part, "/thought") != true)
            .map(|part| str_at(part, "/text"))
            .collect();
        let output = [
            "/usageMetadata/candidatesTokenCount",
            "/usageMetadata/thoughtsTokenCount",
        ];
        let output = output
            .iter()
            .filter_map(|pointer| count_at(answer, pointer));
        Some(Ok(Written {
            text,
            finish,
            model: text_at(answer, "/modelVersion"),
            usage: Usage::new(
                count_at(answer, "/usageMetadata/promptTokenCount"),
                output.reduce(u64::saturating_add),
            )
            .with_cached_tokens(count_at(answer, "/usageMetadata/cachedContentTokenCount")),
        }))
    }

    fn assemble(&self, pieces: &[Value]) -> Value {
        let mut answer = json!({});
        let mut parts = Vec::new();
        // Unless it says how it ended, the connection ended before the answer did.
        let mut candidate = json!({ "finishReason": "incomplete" });
        for piece in pieces {
            if !at(piece, "/error").is_null() {
                return piece.clone();
            }
            let once = ["usageMetadata", "modelVersion", "promptFeedback"];
            put_from(&mut answer, piece, &once);
            parts.extend(list_at(piece, "/candidates/0/content/parts").cloned());
            put_from(
                &mut candidate,
                at(piece, "/candidates/0"),
                &["finishReason"],
            );
        }
        put(&mut candidate, "content", json!({ "parts": parts }));
        put(&mut answer, "candidates", vec![candidate]);
        answer
    }
}

/// The messages, which take turns, and the task at their end.
fn contents(question: &Question<'_>) -> Value {
    let task = ("user", json!({ "text": question.user }));
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    let opening = question
        .begins_with_the_model()
        .then(|| ("user", json!({ "text": OPENING })));
    let lines = question.lines.iter().flat_map(parts_of);
    for (role, part) in opening.into_iter().chain(lines).chain([task]) {
        match turns.last_mut() {
            Some((last, parts)) if *last == role => parts.push(part),
            _ => turns.push((role, vec![part])),
        }
    }
    turns
        .into_iter()
        .map(|(role, parts)| json!({ "role": role, "parts": parts }))
        .collect()
}

/// A line as the parts it has here, and whose they are.
fn parts_of(line: &ChatLine) -> Vec<(&'static str, Value)> {
    match line {
        ChatLine::User(text) => vec![("user", json!({ "text": text }))],
        ChatLine::Assistant { text, calls } => {
            let call = |call: &ChatCall| {
                let call = json!({ "name": call.name, "args": object(&call.arguments) });
                ("model", json!({ "functionCall": call }))
            };
            let said = (!text.is_empty()).then(|| ("model", json!({ "text": text })));
            said.into_iter().chain(calls.iter().map(call)).collect()
        }
        ChatLine::Results(results) => {
            let result = |result: &ChatResult| {
                let field = if result.is_error { "error" } else { "output" };
                let response = json!({ "name": result.name, "response": { field: result.text } });
                ("user", json!({ "functionResponse": response }))
            };
            results.iter().map(result).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_variable_may_have_the_key() {
        for variable in ["GEMINI_API_KEY", "GOOGLE_API_KEY"] {
            let variables = |name: &str| (name == variable).then(|| "secret".to_owned());
            let summarizer = Gemini::from_variables("m".into(), &variables).unwrap();
            assert!(!format!("{summarizer:?}").contains("secret"));
        }
        let error = Gemini::from_variables("m".into(), &|_| None).unwrap_err();
        assert!(error.to_string().ends_with("GEMINI_API_KEY"), "{error}");
    }
}
