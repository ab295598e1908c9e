//! Ollama's own chat, which is needed to set the context and to notice that it was too small.

use core::net::Ipv6Addr;

use serde_json::{Value, json};
use session_summarizer::{ChatCall, ChatLine, ChatResult, Finish, SummarizerError, Usage};

use super::adapter;
use super::openai::BEARER;
use crate::answer::{Written, content_text};
use crate::json::{at, count_at, object, put, str_at, text_at};
use crate::key::{ApiKey, environment};
use crate::link::{Dialect, Link, Target};
use crate::question::Question;
use crate::sections;
use crate::settings::SettingsError;

/// A model behind Ollama's `/api/chat`.
///
/// Ollama answers from a part of the input when the input is larger than its context, and says so
/// nowhere. So the context is always set, versions that can are told not to shorten, and where the
/// tokens it says to have read cannot be all of the text, the answer is refused as
/// [`InputTooLong`](SummarizerError::InputTooLong). This is a rough check that finds an input of
/// twice the context, not one that is a little over: put a
/// [`Chunked`](session_summarizer::Chunked) around it.
///
/// ```
/// use session_summarizer_http::Ollama;
///
/// let summarizer = Ollama::new("http://127.0.0.1:11434", "qwen3:4b")?.with_context(16_384);
/// assert_eq!(summarizer.model(), "qwen3:4b");
/// # Ok::<(), session_summarizer_http::SettingsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ollama {
    pub(super) link: Link,
    context: u64,
    sections_as_json: bool,
}

impl Ollama {
    /// The context that is asked for unless another is set, in tokens: room for an input as large
    /// as the default output limit, on a machine that has no more than that model.
    pub const CONTEXT: u64 = 8_192;

    /// `model` at the server whose base URL stands before `/api/chat`.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] when the address cannot be used or the model is blank.
    pub fn new(base_url: &str, model: impl Into<String>) -> Result<Self, SettingsError> {
        Ok(Self {
            link: Link::new(base_url, model)?,
            context: Self::CONTEXT,
            sections_as_json: false,
        })
    }

    /// `model` at the address in `OLLAMA_HOST`, else on this machine, with the key in
    /// `OLLAMA_API_KEY`, if there is one.
    ///
    /// # Errors
    ///
    /// As in [`new`](Self::new), and [`SettingsError::InvalidKey`].
    pub fn from_env(model: impl Into<String>) -> Result<Self, SettingsError> {
        Self::from_variables(model.into(), &environment)
    }

    fn from_variables(
        model: String,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, SettingsError> {
        let host = variables("OLLAMA_HOST").unwrap_or_default();
        let summarizer = Self::new(&address(&host), model)?;
        match ApiKey::optional("OLLAMA_API_KEY", variables)? {
            Some(key) => summarizer.with_key(key),
            None => Ok(summarizer),
        }
    }

    /// The same summarizer with a context of so many tokens, for input and output together. Zero
    /// leaves it to the server, and then nothing can be noticed.
    #[must_use]
    pub fn with_context(mut self, tokens: u64) -> Self {
        self.context = tokens;
        self
    }

    /// The same summarizer, which has the sections of the prompt's template written as JSON under
    /// a schema that the server enforces, and puts them under their headings itself. Without a
    /// template nothing changes.
    #[must_use]
    pub fn with_sections_as_json(mut self) -> Self {
        self.sections_as_json = true;
        self
    }

    /// Whether a reader of `tokens` cannot have read all of the question.
    fn is_shortened(&self, question: &Question<'_>, tokens: u64) -> bool {
        let tokens_of = question.texts().map(least_tokens);
        let least = tokens_of.fold(0, u64::saturating_add);
        self.context > 0 && tokens < least
    }
}

/// The base URL that `OLLAMA_HOST` means. It may lack scheme and port, and be the address that a
/// server is told to listen on.
fn address(host: &str) -> String {
    let host = host.trim().trim_matches(['"', '\'']).trim();
    let host = host.trim_end_matches('/');
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let (name, behind) = match rest.split_once('/') {
        Some((name, path)) => (name, format!("/{path}")),
        None => (rest, String::new()),
    };
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let (name, port) = match name.rsplit_once(':') {
        // An address of the newer kind may stand there without brackets.
        _ if name.parse::<Ipv6Addr>().is_ok() => (format!("[{name}]"), None),
        Some((name, port)) if is_port(port) => (name.to_owned(), Some(port)),
        _ => (name.to_owned(), None),
    };
    let name = match name.as_str() {
        "" | "0.0.0.0" | "[::]" => "127.0.0.1",
        name => name,
    };
    match port {
        Some(port) => format!("{scheme}://{name}:{port}{behind}"),
        None if host.contains("://") => format!("{scheme}://{name}{behind}"),
        None => format!("{scheme}://{name}:11434{behind}"),
    }
}

/// The tokens that a text has at the very least, with any vocabulary. Real ones take four to five
/// characters of English to a token, three of Russian, and one or two of Chinese.
fn least_tokens(text: &str) -> u64 {
    let mut tenths = 0_u64;
    for c in text.chars() {
        tenths = tenths.saturating_add(match c {
            '\0'..='\u{7f}' => 1,
            '\u{80}'..='\u{2e7f}' => 2,
            _ => 4,
        });
    }
    tenths / 6
}

adapter!(Ollama, BEARER);

impl Dialect for Ollama {
    fn target(&self, _: &Question<'_>) -> Target {
        Target::path(&["api", "chat"])
    }

    fn body(&self, question: &Question<'_>) -> Result<Value, SummarizerError> {
        if self.is_shortened(question, self.context) {
            return Err(SummarizerError::InputTooLong {
                limit: Some(self.context),
            });
        }
        let template = question.template.filter(|_| self.sections_as_json);
        let (system, user) = question.words(template);
        let system = system
            .into_iter()
            .map(|text| json!({ "role": "system", "content": text }));
        let mut messages: Vec<Value> = system.collect();
        messages.extend(question.lines.iter().flat_map(messages_of));
        messages.push(json!({ "role": "user", "content": user }));
        let mut options = json!({ "num_predict": question.output_tokens });
        if self.context > 0 {
            put(&mut options, "num_ctx", self.context);
        }
        if let Some(temperature) = question.temperature {
            put(&mut options, "temperature", temperature);
        }
        let mut body = json!({
            "model": question.model,
            "messages": messages,
            "stream": question.is_streamed(),
            "truncate": false,
            "shift": false,
            "options": options,
        });
        if let Some(tools) = question.tools {
            put(&mut body, "tools", tools.clone());
        }
        if let Some(template) = template {
            put(&mut body, "format", sections::schema(template));
        }
        Ok(body)
    }

    fn read(
        &self,
        answer: &Value,
        question: &Question<'_>,
    ) -> Option<Result<Written, SummarizerError>> {
        let message = answer.get("message")?;
        let input_tokens = count_at(answer, "/prompt_eval_count");
        if input_tokens.is_some_and(|tokens| self.is_shortened(question, tokens)) {
            return Some(Err(SummarizerError::InputTooLong {
                limit: Some(self.context),
            }));
        }
        let mut text = content_text(at(message, "/content"));
        if let Some(template) = question.template.filter(|_| self.sections_as_json)
            && let Some(page) = sections::page(&text, template)
        {
            text = page;
        }
        let finish = match at(answer, "/done") == true {
            true => Finish::from_name(str_at(answer, "/done_reason")),
            false => Finish::CutOff,
        };
        Some(Ok(Written {
            text,
            finish,
            model: text_at(answer, "/model"),
            usage: Usage::new(input_tokens, count_at(answer, "/eval_count")),
        }))
    }

    fn assemble(&self, pieces: &[Value]) -> Value {
        let mut text = String::new();
        let mut answer = json!({});
        for piece in pieces {
            if !at(piece, "/error").is_null() {
                return piece.clone();
            }
            text.push_str(str_at(piece, "/message/content"));
            answer = piece.clone();
        }
        put(&mut answer, "message", json!({ "content": text }));
        answer
    }
}

/// A line as the messages it has here. Calls have no ids, so results go by their order.
fn messages_of(line: &ChatLine) -> Vec<Value> {
    match line {
        ChatLine::User(text) => vec![json!({ "role": "user", "content": text })],
        ChatLine::Assistant { text, calls } if calls.is_empty() => {
            vec![json!({ "role": "assistant", "content": text })]
        }
        ChatLine::Assistant { text, calls } => {
            let call = |call: &ChatCall| {
                let arguments = object(&call.arguments);
                json!({ "function": { "name": call.name, "arguments": arguments } })
            };
            let calls: Vec<Value> = calls.iter().map(call).collect();
            vec![json!({ "role": "assistant", "content": text, "tool_calls": calls })]
        }
        ChatLine::Results(results) => {
            let result = |result: &ChatResult| json!({ "role": "tool", "tool_name": result.name, "content": result.text });
            results.iter().map(result).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where Ollama listens unless it is told otherwise.
    const LOCAL: &str = "http://127.0.0.1:11434";

    #[test]
    fn no_variable_is_needed_and_a_key_is_hidden() {
        let summarizer = Ollama::from_variables("m".into(), &|_| None).unwrap();
        assert!(format!("{summarizer:?}").contains(LOCAL));
        let variables = |name: &str| (name == "OLLAMA_API_KEY").then(|| "secret".to_owned());
        let summarizer = Ollama::from_variables("m".into(), &variables).unwrap();
        assert!(!format!("{summarizer:?}").contains("secret"));
    }

    #[test]
    fn the_host_may_be_written_in_every_way_that_ollama_takes() {
        let cases = [
            ("", LOCAL),
            ("0.0.0.0", LOCAL),
            ("0.0.0.0:11434", LOCAL),
            ("127.0.0.1:1234", "http://127.0.0.1:1234"),
            ("gpu", "http://gpu:11434"),
            ("http://gpu:8080/", "http://gpu:8080"),
            ("https://ollama.example/x", "https://ollama.example/x"),
            ("[::1]", "http://[::1]:11434"),
            ("[::1]:1234", "http://[::1]:1234"),
            ("::1", "http://[::1]:11434"),
            ("[::]:1234", "http://127.0.0.1:1234"),
            (":1234", "http://127.0.0.1:1234"),
            ("http://0.0.0.0:1234", "http://127.0.0.1:1234"),
            (" \"gpu:8080\" ", "http://gpu:8080"),
        ];
        for (host, expected) in cases {
            assert_eq!(address(host), expected, "{host:?}");
        }
    }

    #[test]
    fn no_text_is_said_to_have_more_tokens_than_it_has() {
        // The counts are those of cl100k.
        let cases = [
            ("the quick brown fox jumps over the lazy dog", 9),
            ("Быстрая лиса прыгает через ленивую собаку", 21),
            ("敏捷的棕色狐狸跳过懒狗", 16),
            ("", 0),
        ];
        for (text, tokens) in cases {
            assert!(
                least_tokens(text) <= tokens,
                "{text}: {}",
                least_tokens(text)
            );
        }
    }
}
