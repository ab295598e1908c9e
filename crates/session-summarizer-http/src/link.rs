//! A link to a provider: address, key and headers, and the exchange of one question for one answer.

use core::fmt;
use std::time::Instant;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use session_summarizer::{Brief, SummarizerError, Summary};

use crate::address::Address;
use crate::answer::Written;
use crate::conversation::Conversation;
use crate::failure;
use crate::json;
use crate::key::ApiKey;
use crate::options::HttpOptions;
use crate::question::{Calls, Question};
use crate::secrets::Secrets;
use crate::settings::SettingsError;
use crate::stream;
use crate::worker::{Outgoing, Worker};

/// The form of a provider's requests and answers.
pub(crate) trait Dialect: Sync {
    /// The path behind the base URL, and a parameter of the query.
    fn target(&self, question: &Question<'_>) -> Target;

    /// Whether calls and results may be sent without the tools they are of.
    fn calls(&self) -> Calls {
        Calls::Always
    }

    /// The body of a request.
    ///
    /// # Errors
    ///
    /// An error when it is known before asking that the provider would not read all of it.
    fn body(&self, question: &Question<'_>) -> Result<Value, SummarizerError>;

    /// What was written; `None` when the answer has not the form of this provider's.
    fn read(
        &self,
        answer: &Value,
        question: &Question<'_>,
    ) -> Option<Result<Written, SummarizerError>>;

    /// The pieces of a streamed answer as one of the form that is sent at once.
    fn assemble(&self, pieces: &[Value]) -> Value;
}

/// Where a request goes below the base URL.
pub(crate) struct Target {
    pub(crate) segments: Vec<String>,
    pub(crate) query: Option<(&'static str, &'static str)>,
}

impl Target {
    pub(crate) fn path(segments: &[&str]) -> Self {
        Self {
            segments: segments.iter().map(|it| (*it).to_owned()).collect(),
            query: None,
        }
    }
}

/// The way a key is sent: the header and what stands before the key.
pub(crate) struct KeyHeader {
    pub(crate) name: HeaderName,
    pub(crate) prefix: &'static str,
}

/// A model at an address.
#[derive(Clone)]
pub(crate) struct Link {
    address: Address,
    model: String,
    key: Option<ApiKey>,
    headers: HeaderMap,
    secrets: Secrets,
    worker: Worker,
    conversation: Option<Conversation>,
}

impl Link {
    pub(crate) fn new(base_url: &str, model: impl Into<String>) -> Result<Self, SettingsError> {
        let model = model.into();
        if model.trim().is_empty() {
            return Err(SettingsError::BlankModel);
        }
        let address = Address::new(base_url)?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // Without it a server may compress as it likes.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let mut secrets = Secrets::default();
        secrets.add_query(address.url());
        let worker = worker(&address, HttpOptions::default())?;
        Ok(Self {
            address,
            model,
            key: None,
            headers,
            secrets,
            worker,
            conversation: None,
        })
    }

    pub(crate) fn with_key(
        mut self,
        key: ApiKey,
        header: &KeyHeader,
    ) -> Result<Self, SettingsError> {
        let value = key.header(header.prefix)?;
        self.headers.insert(header.name.clone(), value);
        self.secrets.add_key(&key);
        self.key = Some(key);
        Ok(self)
    }

    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Result<Self, SettingsError> {
        let invalid = || SettingsError::InvalidHeader { name: name.into() };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
        self.secrets.add_header(value);
        let mut value = HeaderValue::from_str(value).map_err(|_| invalid())?;
        value.set_sensitive(true);
        self.headers.insert(header, value);
        Ok(self)
    }

    pub(crate) fn with_static_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        self
    }

    pub(crate) fn with_options(mut self, options: HttpOptions) -> Result<Self, SettingsError> {
        self.worker = worker(&self.address, options)?;
        Ok(self)
    }

    pub(crate) fn with_conversation(mut self, sent: Conversation) -> Self {
        self.conversation = Some(sent);
        self
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// Asks once.
    pub(crate) async fn summarize(
        &self,
        dialect: &impl Dialect,
        brief: &Brief<'_>,
    ) -> Result<Option<Summary>, SummarizerError> {
        let started = Instant::now();
        let options = self.worker.options();
        let sent = self.conversation.as_ref();
        let mut question = Question::new(&self.model, brief, sent, dialect.calls());
        question.output_tokens = options.output_tokens(brief.budget());
        question.temperature = options.temperature;
        question.delivery = options.delivery;
        let answer = self.ask(dialect, &question).await?;
        let written = dialect
            .read(&answer, &question)
            .unwrap_or_else(|| Err(failure::foreign()))?;
        let usage = written.usage;
        let summary = written
            .into_summary(&self.model)
            .inspect_err(|_| brief.lost(usage))?;
        Ok(Some(summary.with_duration(started.elapsed())))
    }

    /// The answer as a value, whole, and no error.
    async fn ask(
        &self,
        dialect: &impl Dialect,
        question: &Question<'_>,
    ) -> Result<Value, SummarizerError> {
        let target = dialect.target(question);
        let segments: Vec<&str> = target.segments.iter().map(String::as_str).collect();
        let request = Outgoing {
            url: self.address.join(&segments, target.query),
            headers: self.headers.clone(),
            body: dialect.body(question)?.to_string(),
        };
        let incoming = self
            .worker
            .send(request)
            .await
            .map_err(|failure| failure::of_exchange(failure, self.worker.options()))?;
        let told = failure::Told {
            status: incoming.status,
            headers: &incoming.headers,
            secrets: &self.secrets,
        };
        if !(200..300).contains(&incoming.status) {
            return Err(told.of_status(&incoming.body));
        }
        if failure::is_compressed(&incoming.headers) {
            return Err(failure::compressed());
        }
        let damaged = |error| failure::of_bad_json(&incoming.body, error);
        let answer = match stream::pieces(&incoming.headers, &incoming.body) {
            Some(pieces) => dialect.assemble(&pieces.map_err(damaged)?),
            None => json::read(&incoming.body).map_err(damaged)?,
        };
        match told.of_answer(&answer) {
            Some(error) => Err(error),
            None => Ok(answer),
        }
    }
}

fn worker(address: &Address, options: HttpOptions) -> Result<Worker, SettingsError> {
    Worker::new(options, address.is_encrypted(), address.is_loopback())
}

impl fmt::Debug for Link {
    /// Shows no header but by its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("address", &self.address)
            .field("model", &self.model)
            .field("key", &self.key)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("options", self.worker.options())
            .field("conversation", &self.conversation)
            .finish()
    }
}
