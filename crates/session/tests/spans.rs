//! What spans say: ids, sizes and words of the library, and never what people wrote.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use common::{Always, World, block_on};
use session::{Compaction, Window};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_core::span::Current;

/// Keeps every span with its fields, and every event's.
#[derive(Clone, Default)]
struct Ears {
    heard: Arc<Mutex<Vec<Heard>>>,
    entered: Arc<Mutex<Vec<Id>>>,
}

#[derive(Clone, Debug, Default)]
struct Heard {
    span: Option<&'static Metadata<'static>>,
    fields: BTreeMap<&'static str, String>,
}

impl Heard {
    fn name(&self) -> &'static str {
        self.span.map_or("", |span| span.name())
    }
}

impl Visit for Heard {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Ears {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("session")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut heard = Heard {
            span: Some(span.metadata()),
            ..Heard::default()
        };
        span.record(&mut heard);
        let mut all = self.heard.lock().unwrap();
        all.push(heard);
        Id::from_u64(all.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let at = usize::try_from(span.into_u64()).unwrap() - 1;
        if let Some(heard) = self.heard.lock().unwrap().get_mut(at) {
            values.record(heard);
        }
    }

    fn event(&self, event: &Event<'_>) {
        let mut heard = Heard::default();
        event.record(&mut heard);
        self.heard.lock().unwrap().push(heard);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, span: &Id) {
        self.entered.lock().unwrap().push(span.clone());
    }

    fn exit(&self, _: &Id) {
        self.entered.lock().unwrap().pop();
    }

    fn current_span(&self) -> Current {
        let entered = self.entered.lock().unwrap();
        let heard = self.heard.lock().unwrap();
        let current = entered.last().and_then(|id| {
            let at = usize::try_from(id.into_u64()).unwrap() - 1;
            Some(Current::new(id.clone(), heard.get(at)?.span?))
        });
        current.unwrap_or_else(Current::none)
    }
}

fn hear(run: impl AsyncFnOnce()) -> Vec<Heard> {
    let ears = Ears::default();
    tracing::subscriber::with_default(ears.clone(), || block_on(run()));
    let heard = ears.heard.lock().unwrap();
    heard.clone()
}

fn fields(heard: &[Heard], name: &str) -> BTreeMap<&'static str, String> {
    let found = heard.iter().find(|heard| heard.name() == name);
    found.map(|heard| heard.fields.clone()).unwrap_or_default()
}

#[test]
fn a_pass_says_how_it_ended_and_what_its_summary_cost() {
    let heard = hear(async || {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let compaction = Compaction::builder(Window::Turns(1)).summarizer(Always("S"));
        world.compact(&compaction.build().unwrap()).await;
    });
    let pass = fields(&heard, "compact");
    assert!(pass.contains_key("gen_ai.conversation.id"), "{pass:?}");
    for (name, value) in [
        ("compaction.outcome", "compacted"),
        ("compaction.covered", "2"),
        ("compaction.tokens.before", "42"),
    ] {
        assert_eq!(pass.get(name).map(String::as_str), Some(value), "{name}");
    }
    let summary = fields(&heard, "summarize");
    assert_eq!(
        summary.get("gen_ai.operation.name").map(String::as_str),
        Some("chat")
    );
    assert_eq!(
        summary.get("gen_ai.response.model").map(String::as_str),
        Some("always")
    );
    assert!(heard.iter().any(|heard| heard.name() == "commit"));
}

#[test]
fn a_tool_call_says_which_tool_and_nothing_says_what_people_wrote() {
    let heard = hear(async || {
        let world = World::new().await;
        let secret = session::Message::user("SECRET words");
        world.sessions.append(&world.id, secret).await.unwrap();
        let recall = world.sessions.recall(world.id.clone());
        let found = recall.call(r#"{"query":"secret"}"#).await.unwrap();
        assert!(found.contains("SECRET"));
        let compaction = Compaction::builder(Window::Turns(1)).build().unwrap();
        world.compact(&compaction).await;
        assert!(
            recall
                .call(r#"{"query":"secret","since":"SECRET"}"#)
                .await
                .is_ok()
        );
    });
    let call = fields(&heard, "execute_tool");
    assert_eq!(
        call.get("gen_ai.tool.name").map(String::as_str),
        Some("conversation_search")
    );
    assert!(
        !format!("{heard:?}").to_lowercase().contains("secret"),
        "{heard:?}"
    );
}
