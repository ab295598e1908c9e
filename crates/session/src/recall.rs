//! Recall: what a view hides can be searched, by people and by models.

use jiff::Timestamp as Instant;
use serde_json::{Value, json};
use session_log::{Event, MessageFormat as _, Role, SessionId, Timestamp};
use session_store::{
    EventQuery, Hit, HitMark, Keywords, Page, Scope, SearchQuery, SessionStoreExt as _, StoreError,
};

use crate::error::Error;
use crate::sessions::Sessions;

/// How many hits a tool's page has.
pub const PAGE_SIZE: usize = 10;

/// How many hits a tool looks through at most, from the first one on.
pub const MAX_MATCHES: usize = 1_000;

/// How many events around a hit a tool shows at most, on each side.
pub const MAX_CONTEXT: u64 = 5;

impl Sessions {
    /// Searches one session's whole log, covered events included.
    ///
    /// # Errors
    ///
    /// [`Error::Store`], for a query that makes no sense too.
    pub async fn search(
        &self,
        id: &SessionId,
        query: &SearchQuery,
    ) -> Result<Page<Hit, HitMark>, Error> {
        let scope = Scope::Session(id.clone());
        Ok(self.store.search(&scope, query).await?)
    }

    /// Searches all sessions of one owner.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub async fn search_owner(
        &self,
        owner: &str,
        query: &SearchQuery,
    ) -> Result<Page<Hit, HitMark>, Error> {
        let scope = Scope::Owner(owner.into());
        Ok(self.store.search(&scope, query).await?)
    }

    /// The search of one session as a tool for a model.
    #[must_use]
    pub fn recall(&self, id: SessionId) -> Recall {
        Recall {
            sessions: self.clone(),
            scope: Scope::Session(id),
        }
    }

    /// The search across one owner's sessions as a tool for a model. The owner is bound here and
    /// no argument of the tool.
    #[must_use]
    pub fn recall_of_owner(&self, owner: impl Into<String>) -> Recall {
        Recall {
            sessions: self.clone(),
            scope: Scope::Owner(owner.into()),
        }
    }
}

/// A tool that a model can call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in words for the model.
    pub description: &'static str,
    /// The JSON schema of its arguments.
    pub parameters: Value,
}

/// A search bound to a session or an owner, offered to a model as a tool.
///
/// ```
/// # futures_executor::block_on(async {
/// # use session::{MemoryStore, Message, Sessions};
/// # struct Characters;
/// # impl session::TokenEstimator for Characters {
/// #     fn name(&self) -> &str { "characters" }
/// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
/// # }
/// # let sessions = Sessions::new(MemoryStore::new(), Characters);
/// let id = sessions.create().await?.id;
/// sessions.append(&id, Message::user("The door code is 4711.")).await?;
///
/// let recall = sessions.recall(id);
/// assert_eq!(recall.tool().name, "conversation_search");
/// let answer = recall.call(r#"{"query": "door code"}"#).await?;
/// assert!(answer.contains("The door code is 4711."));
/// # Ok::<(), session::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Recall {
    sessions: Sessions,
    scope: Scope,
}

impl Recall {
    fn name(&self) -> &'static str {
        match self.scope {
            Scope::Session(_) => "conversation_search",
            _ => "cross_session_search",
        }
    }

    /// The tool to offer.
    #[must_use]
    pub fn tool(&self) -> ToolSpec {
        let description = match self.scope {
            Scope::Session(_) => {
                "Searches the whole conversation, also the part that is not shown any more. Use it \
                 when something was said, decided or returned by a tool earlier and you need the \
                 exact words."
            }
            _ => "Searches all conversations of this user, past ones included.",
        };
        ToolSpec {
            name: self.name(),
            description,
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "What to find: literal words, separated by commas where \
                                        there are several. Case does not matter."
                    },
                    "match": {
                        "type": "string",
                        "enum": ["any", "all"],
                        "description": "Whether a message must have any or all of them. Default: any."
                    },
                    "since": {
                        "type": "string",
                        "description": "Only messages at or after this moment, such as \
                                        2026-11-30T08:00:00Z."
                    },
                    "types": {
                        "type": "array",
                        "items": {"type": "string", "enum": ["user", "assistant", "tool", "system"]},
                        "description": "Only messages of these roles."
                    },
                    "context": {
                        "type": "integer", "minimum": 0, "maximum": MAX_CONTEXT,
                        "description": "How many messages before and after each hit to show. Default: 0."
                    },
                    "page": {
                        "type": "integer", "minimum": 0,
                        "description": "Which page of results, from 0. Default: 0."
                    }
                },
                "required": ["query"],
                "additionalProperties": false
            }),
        }
    }

    /// Answers a call with these arguments, as JSON text. What the model did wrong is told in the
    /// answer, so that it can try again; an error is only what is wrong with the store.
    ///
    /// # Errors
    ///
    /// [`Error::Store`].
    #[tracing::instrument(
        name = "execute_tool",
        skip_all,
        fields(gen_ai.operation.name = "execute_tool", gen_ai.tool.name = self.name())
    )]
    pub async fn call(&self, arguments: &str) -> Result<String, Error> {
        let asked = match Asked::parse(arguments) {
            Ok(asked) => asked,
            Err(reason) => return Ok(format!("Invalid arguments: {reason}.")),
        };
        let found = self.page(&asked).await;
        let (hits, has_more) = match found {
            Ok(found) => found,
            Err(StoreError::InvalidQuery { reason }) => {
                return Ok(format!("Invalid arguments: {reason}."));
            }
            Err(error) => return Err(error.into()),
        };
        if hits.is_empty() {
            return Ok("No results found.".into());
        }
        let mut results = Vec::new();
        for hit in &hits {
            results.push(self.shown(hit, asked.context).await?);
        }
        let mut answer = json!({"results": results, "page": asked.page});
        if has_more && let Some(fields) = answer.as_object_mut() {
            fields.insert("next_page".into(), json!(asked.page + 1));
        }
        Ok(answer.to_string())
    }

    /// The hits of one page, and whether there is another one.
    async fn page(&self, asked: &Asked) -> Result<(Vec<Hit>, bool), StoreError> {
        let first = asked.page.saturating_mul(PAGE_SIZE);
        let end = first.saturating_add(PAGE_SIZE);
        let mut query = asked.query.clone().with_limit(PAGE_SIZE);
        query.check()?;
        if first >= MAX_MATCHES {
            return Ok((Vec::new(), false));
        }
        // One more tells whether there is another page, and the last page has none.
        let wanted = end.saturating_add(1).min(MAX_MATCHES);
        let mut hits = Vec::new();
        while hits.len() < wanted {
            let page = self.sessions.store.search(&self.scope, &query).await?;
            hits.extend(page.items);
            match page.next {
                Some(mark) => query.after = Some(mark),
                None => break,
            }
        }
        let has_more = hits.len() > end && end < MAX_MATCHES;
        let page = hits.into_iter().skip(first).take(PAGE_SIZE).collect();
        Ok((page, has_more))
    }

    async fn shown(&self, hit: &Hit, context: u64) -> Result<Value, Error> {
        let mut shown = self.event(&hit.event);
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("text".into(), json!(hit.snippet.text));
            if matches!(self.scope, Scope::Owner(_)) {
                fields.insert("session".into(), json!(hit.session.as_str()));
            }
            if context > 0 {
                let around = self.around(hit, context).await?;
                fields.insert("around".into(), json!(around));
            }
        }
        Ok(shown)
    }

    async fn around(&self, hit: &Hit, context: u64) -> Result<Vec<Value>, Error> {
        let at = hit.event.seq;
        let first = at.as_u64().saturating_sub(context).max(1);
        let mut query = EventQuery::all()
            .with_to(at.plus(context))
            .with_types([session_log::EventType::MESSAGE]);
        query.from = session_log::Seq::new(first);
        let events = self
            .sessions
            .store
            .read_all(&hit.session, query.lenient())
            .await?;
        let whole = |event: &std::sync::Arc<Event>| {
            let mut shown = self.event(event);
            let mut text = String::new();
            if let (Some(message), Some(fields)) = (event.as_message(), shown.as_object_mut()) {
                self.sessions.format.format(message, &mut text);
                fields.insert("text".into(), json!(text));
            }
            shown
        };
        Ok(events.iter().map(whole).collect())
    }

    fn event(&self, event: &Event) -> Value {
        let role = event
            .as_message()
            .map_or("event", |message| message.role.as_str());
        json!({
            "event": event.id.as_str(),
            "timestamp": iso(event.timestamp),
            "type": role,
        })
    }
}

/// What a model asks for.
struct Asked {
    query: SearchQuery,
    page: usize,
    context: u64,
}

impl Asked {
    fn parse(arguments: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(arguments)
            .map_err(|error| format!("they are no JSON object ({error})"))?;
        let Value::Object(fields) = value else {
            return Err("they are no JSON object".into());
        };
        let text = |name: &str| match fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(format!("{name} must be a string")),
        };
        let words: Vec<&str> = text("query")?
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .collect();
        if words.is_empty() {
            return Err("query names nothing to find".into());
        }
        let mut query = SearchQuery::new(words);
        match text("match")?.map(str::to_ascii_lowercase).as_deref() {
            None | Some("" | "any") => {}
            Some("all") => query = query.with_keywords(Keywords::All),
            Some(other) => return Err(format!("match is any or all, not {other:?}")),
        }
        if let Some(since) = text("since")? {
            query = query.with_since(moment(since)?);
        }
        query = query.with_roles(roles(fields.get("types"))?);
        // A page below zero is the first one, as models try.
        let number = |name: &str| match fields.get(name) {
            None | Some(Value::Null) => Ok(0),
            Some(value) if value.is_i64() || value.is_u64() => Ok(value.as_u64().unwrap_or(0)),
            Some(_) => Err(format!("{name} must be a whole number")),
        };
        Ok(Self {
            query,
            page: usize::try_from(number("page")?).unwrap_or(usize::MAX),
            context: number("context")?.min(MAX_CONTEXT),
        })
    }
}

/// The roles that `types` names, none for all.
fn roles(types: Option<&Value>) -> Result<Vec<Role>, String> {
    let types = match types {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(types)) => types.as_slice(),
        Some(one) => std::slice::from_ref(one),
    };
    let role = |name: &Value| match name.as_str().map(Role::from_name) {
        Some(role) if !matches!(role, Role::Other(_)) => Ok(role),
        _ => Err(format!(
            "types are user, assistant, tool or system, not {name}"
        )),
    };
    types.iter().map(role).collect()
}

fn moment(text: &str) -> Result<Timestamp, String> {
    let instant: Instant = text.parse().map_err(|_| {
        format!("since is {text:?}, but must be a moment such as 2026-11-30T08:00:00Z")
    })?;
    Ok(Timestamp::from_millis(instant.as_millisecond()))
}

fn iso(at: Timestamp) -> String {
    Instant::from_millisecond(at.as_millis()).map_or_else(
        |_| at.as_millis().to_string(),
        |instant| instant.to_string(),
    )
}

/// A line for the view or the system prompt that tells the model what it can search.
#[must_use]
pub fn hint(covered: u64) -> String {
    format!(
        "{covered} earlier messages are not shown. Use conversation_search to find what was said \
         in them."
    )
}
