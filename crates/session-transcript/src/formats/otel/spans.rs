//! Attributes with messages, wherever in an export they are.

use std::collections::BTreeMap;

use crate::json::{Kind, Members, Raw};
use crate::source::Placed;

/// What the model was given.
pub(super) const INPUT: &str = "gen_ai.input.messages";

/// What it answered.
pub(super) const OUTPUT: &str = "gen_ai.output.messages";

/// How deep attributes may lie.
const MAX_DEPTH: u8 = 12;

/// The attributes of one inference.
#[derive(Debug)]
pub(super) struct Span<'a> {
    pub(super) system: Option<Value<'a>>,
    pub(super) input: Option<Value<'a>>,
    pub(super) output: Option<Value<'a>>,
    pub(super) tools: Option<Value<'a>>,
    pub(super) conversation: Option<String>,
    pub(super) model: Option<String>,
}

/// The value of an attribute: JSON, or a text that holds some.
#[derive(Debug)]
pub(super) struct Value<'a> {
    pub(super) placed: Placed<'a>,
    decoded: Option<String>,
}

impl<'a> Value<'a> {
    fn of(placed: Placed<'a>) -> Self {
        let decoded = placed.raw.as_str().map(|text| text.into_owned());
        Self { placed, decoded }
    }

    /// The value as JSON.
    pub(super) fn raw(&self) -> Option<Raw<'_>> {
        match &self.decoded {
            Some(text) => Raw::parse(text),
            None => Some(self.placed.raw),
        }
    }

    pub(super) fn text(&self) -> &str {
        self.placed.raw.text()
    }

    /// Where a value inside lies; all of the attribute where that is a text.
    pub(super) fn place_of<'v>(&'v self, inner: Raw<'v>) -> Placed<'v> {
        match self.decoded {
            Some(_) => self.placed.clone(),
            None => self.placed.inner(inner),
        }
    }
}

/// All spans with messages inside of a value.
pub(super) fn find<'a>(placed: &Placed<'a>) -> Vec<Span<'a>> {
    let mut found = Vec::new();
    look(placed, placed.raw, 0, &mut found);
    found
}

fn look<'a>(placed: &Placed<'a>, raw: Raw<'a>, depth: u8, found: &mut Vec<Span<'a>>) {
    if depth > MAX_DEPTH {
        return;
    }
    match raw.kind() {
        Kind::Object => {
            let members = raw.members().unwrap_or_default();
            if let Some(span) = span(placed, |name| members.peek(name)) {
                return found.push(span);
            }
            for (_, inner) in members.iter() {
                look(placed, inner, depth + 1, found);
            }
        }
        Kind::Array => {
            let items = raw.items().unwrap_or_default();
            let pairs: BTreeMap<String, Raw<'a>> =
                items.iter().filter_map(|raw| pair(*raw)).collect();
            if let Some(span) = span(placed, |name| pairs.get(name).copied()) {
                return found.push(span);
            }
            for inner in items {
                look(placed, inner, depth + 1, found);
            }
        }
        _ => {}
    }
}

/// An attribute as collectors write it: a key, and a value with its type as a name.
fn pair(raw: Raw<'_>) -> Option<(String, Raw<'_>)> {
    let mut members: Members<'_> = raw.members()?;
    let key = members.take_str("key")?;
    let value = members.take("value")?;
    let inner = ["stringValue", "string_value"]
        .iter()
        .find_map(|name| value.member(name));
    Some((key, inner.unwrap_or(value)))
}

fn span<'a>(placed: &Placed<'a>, attribute: impl Fn(&str) -> Option<Raw<'a>>) -> Option<Span<'a>> {
    let value = |name: &str| {
        let raw = attribute(name).filter(|raw| !raw.is_null())?;
        Some(Value::of(placed.inner(raw)))
    };
    let text = |name: &str| Some(attribute(name)?.as_str()?.into_owned());
    let (input, output) = (value(INPUT), value(OUTPUT));
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Span {
        system: value("gen_ai.system_instructions"),
        input,
        output,
        tools: value("gen_ai.tool.definitions"),
        conversation: text("gen_ai.conversation.id"),
        model: text("gen_ai.response.model").or_else(|| text("gen_ai.request.model")),
    })
}

/// The last span of each conversation that has an id, since it repeats the history; and how many
/// were passed for it.
pub(super) fn last_of_each(spans: Vec<Span<'_>>) -> (Vec<Span<'_>>, usize) {
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for (at, span) in spans.iter().enumerate() {
        if let Some(id) = &span.conversation {
            last.insert(id.clone(), at);
        }
    }
    let all = spans.len();
    let kept: Vec<Span<'_>> = spans
        .into_iter()
        .enumerate()
        .filter(|(at, span)| match &span.conversation {
            Some(id) => last.get(id) == Some(at),
            None => true,
        })
        .map(|(_, span)| span)
        .collect();
    let passed = all.saturating_sub(kept.len());
    (kept, passed)
}
