//! Chunks of a chat completion.

use std::collections::BTreeMap;

use crate::json::{Members, Object, Raw, array, quote};

/// The response that chunks add up to; only the first choice is put together.
pub(super) fn assemble(values: &[Raw<'_>]) -> Option<String> {
    let mut response: Vec<(String, String)> = Vec::new();
    let mut choice: Vec<(String, String)> = Vec::new();
    let mut message = Message::default();
    let mut is_chunk = false;
    for members in values.iter().filter_map(|value| value.members()) {
        let Some(choices) = members.peek("choices").and_then(Raw::items) else {
            continue;
        };
        is_chunk = true;
        note_last(&mut response, &members, &["choices"]);
        for first in choices
            .iter()
            .filter_map(|choice| choice.members())
            .filter(is_first)
        {
            note_last(&mut choice, &first, &["delta", "message"]);
            if let Some(delta) = first.peek("delta").and_then(Raw::members) {
                message.add(delta);
            }
        }
    }
    if !is_chunk {
        return None;
    }
    choice.push(("message".into(), message.finish()));
    response.retain(|(name, _)| name != "object");
    response.push(("object".into(), quote("chat.completion")));
    response.push(("choices".into(), array([object(&choice)])));
    Some(object(&response))
}

fn is_first(choice: &Members<'_>) -> bool {
    choice.peek("index").is_none_or(|index| index.text() == "0")
}

/// Keeps the last value of each member that is not null, except the ones in `but`.
fn note_last(known: &mut Vec<(String, String)>, members: &Members<'_>, but: &[&str]) {
    for (name, value) in members.iter().filter(|(name, _)| !but.contains(name)) {
        match known.iter_mut().find(|(known, _)| known == name) {
            Some((_, text)) if !value.is_null() => *text = value.text().into(),
            Some(_) => {}
            None => known.push((name.into(), value.text().into())),
        }
    }
}

fn object(members: &[(String, String)]) -> String {
    let mut object = Object::new();
    for (name, json) in members {
        object.raw(name, json);
    }
    object.finish()
}

/// A message that grows by deltas: texts are joined, lists too, of other values the last counts.
#[derive(Default)]
struct Message {
    fields: Vec<(String, Field)>,
    calls: BTreeMap<u64, Call>,
}

enum Field {
    Text(String),
    List(Vec<String>),
    Other(String),
}

#[derive(Default)]
struct Call {
    fields: Vec<(String, String)>,
    name: String,
    arguments: String,
}

impl Message {
    fn add(&mut self, mut delta: Members<'_>) {
        for (place, call) in delta
            .take("tool_calls")
            .and_then(Raw::items)
            .unwrap_or_default()
            .into_iter()
            .enumerate()
        {
            let index = call
                .member("index")
                .and_then(|index| index.text().parse().ok());
            let index = index.unwrap_or_else(|| u64::try_from(place).unwrap_or_default());
            self.calls.entry(index).or_default().add(call);
        }
        for (name, value) in delta.iter() {
            let known = self
                .fields
                .iter_mut()
                .find(|(known, _)| known == name)
                .map(|(_, field)| field);
            match (known, value.as_str(), value.items()) {
                (Some(Field::Text(text)), Some(more), _) if name != "role" => text.push_str(&more),
                (Some(Field::List(list)), _, Some(more)) => {
                    list.extend(more.iter().map(|item| item.text().to_owned()));
                }
                (Some(_), None, _) if value.is_null() => {}
                (Some(field), text, list) => *field = Field::new(value, text.as_deref(), list),
                (None, text, list) => self
                    .fields
                    .push((name.into(), Field::new(value, text.as_deref(), list))),
            }
        }
    }

    fn finish(self) -> String {
        let mut object = Object::new();
        if !self.fields.iter().any(|(name, _)| name == "role") {
            object.str("role", "assistant");
        }
        for (name, field) in &self.fields {
            match field {
                Field::Text(text) => object.str(name, text),
                Field::List(list) => object.raw(name, &array(list)),
                Field::Other(json) => object.raw(name, json),
            };
        }
        if !self.calls.is_empty() {
            object.raw(
                "tool_calls",
                &array(self.calls.into_values().map(Call::finish)),
            );
        }
        object.finish()
    }
}

impl Field {
    fn new(value: Raw<'_>, text: Option<&str>, list: Option<Vec<Raw<'_>>>) -> Self {
        match (text, list) {
            (Some(text), _) => Self::Text(text.into()),
            (_, Some(list)) => Self::List(list.iter().map(|item| item.text().to_owned()).collect()),
            _ => Self::Other(value.text().into()),
        }
    }
}

impl Call {
    fn add(&mut self, delta: Raw<'_>) {
        let mut members = delta.members().unwrap_or_default();
        if let Some(function) = members.take("function") {
            if let Some(name) = function.member_str("name") {
                self.name.push_str(&name);
            }
            if let Some(arguments) = function.member_str("arguments") {
                self.arguments.push_str(&arguments);
            }
        }
        note_last(&mut self.fields, &members, &["index"]);
    }

    fn finish(self) -> String {
        let mut object = Object::new();
        for (name, json) in &self.fields {
            object.raw(name, json);
        }
        object.raw("type", "\"function\"");
        let mut function = Object::new();
        function
            .str("name", &self.name)
            .str("arguments", &self.arguments);
        object.raw("function", &function.finish());
        object.finish()
    }
}
