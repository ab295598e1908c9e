//! The messages a case begins with, each in the shape providers have, with keys of our own.

use jiff::Timestamp as Instant;
use serde_json::{Map, Value};
use session_log::{
    Branch, EventId, Json, Message, NewEvent, Opaque, Origin, Part, Role, Timestamp,
};
use session_transcript::{Format, ReadOptions, read};

use crate::case::generate::Generated;
use crate::json::{Object, Parsed, list, malformed};

/// One message of the input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Record {
    /// The id of its event.
    pub id: String,
    /// The message as it is written, without the keys of our own.
    pub json: Value,
    /// Whether it is the second of two synthetic messages, or a summary by its place.
    pub(crate) origin: Origin,
    pub(crate) branch: Option<Branch>,
    pub(crate) user: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) time: Option<Timestamp>,
    usage: Option<Value>,
    is_synthetic: bool,
    generated: Option<Generated>,
}

/// The messages of the input, in order.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Records {
    /// All of them.
    pub all: Vec<Record>,
}

impl Records {
    pub(crate) fn parse(value: &Value) -> Parsed<Self> {
        let items = list(value, "input")?;
        let numbered = items.iter().enumerate();
        let mut all = numbered
            .map(|(index, item)| Record::parse(item, index.saturating_add(1)))
            .collect::<Parsed<Vec<_>>>()?;
        let origins = origins(&all);
        for (record, origin) in all.iter_mut().zip(origins) {
            record.origin = origin;
        }
        Ok(Self { all })
    }

    /// The message with this id; the first one, if there are several.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Record> {
        self.all.iter().find(|record| record.id == id)
    }

    /// The message with this id that is appended after `earlier` others with it: the last one
    /// again, where there are no more.
    pub(crate) fn find_next(&self, id: &str, earlier: usize) -> Option<&Record> {
        let same = || self.all.iter().filter(|record| record.id == id);
        same().nth(earlier).or_else(|| same().next_back())
    }

    /// The same messages with what is generated in them a `divisor`th as long.
    pub(crate) fn shortened(&self, divisor: usize) -> Parsed<Self> {
        let mut shorter = self.clone();
        for record in &mut shorter.all {
            if let Some(generated) = &record.generated {
                generated.fill(&mut record.json, divisor)?;
            }
        }
        Ok(shorter)
    }

    /// The turns of the input: what stands before the first one goes with it.
    pub(crate) fn turns(&self) -> Vec<&[Record]> {
        let mut turns = Vec::new();
        let mut rest = self.all.as_slice();
        let mut has_turn = false;
        let mut at = 0;
        while let Some(record) = rest.get(at) {
            let opens = record.opens_turn();
            if opens && has_turn {
                let (turn, after) = rest.split_at(at);
                turns.push(turn);
                rest = after;
                at = 0;
            }
            has_turn |= opens;
            at += 1;
        }
        if !rest.is_empty() {
            turns.push(rest);
        }
        turns
    }
}

impl Record {
    fn parse(value: &Value, number: usize) -> Parsed<Self> {
        let what = format!("message {number}");
        let mut own = Object::of(value, what.as_str())?;
        let mut fields = Map::new();
        for name in own.names().collect::<Vec<_>>() {
            if !name.starts_with('_')
                && let Some(field) = own.take(name)
            {
                fields.insert(name.into(), field.clone());
            }
        }
        let generated = own.take("_gen").map(Generated::parse).transpose()?;
        let mut json = Value::Object(fields);
        if let Some(generated) = &generated {
            generated.fill(&mut json, 1)?;
        }
        let record = Self {
            id: own
                .text("_id")?
                .map_or_else(|| format!("m{number}"), Into::into),
            origin: Origin::Real,
            branch: match own.text("_branch")?.map(Branch::new) {
                Some(Err(error)) => return malformed(format!("_branch of {what}: {error}")),
                branch => branch.and_then(Result::ok),
            },
            user: own.text("_user")?.map(Into::into),
            session: own.text("_session")?.map(Into::into),
            time: own.text("_ts")?.map(moment).transpose()?,
            usage: own.take("_usage").cloned(),
            is_synthetic: own.flag("_synthetic")?,
            generated,
            json,
        };
        own.finish()?;
        Ok(record)
    }

    fn role(&self) -> &str {
        self.json
            .get("role")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Whether the message opens a turn: a real one of a person at the root.
    pub(crate) fn opens_turn(&self) -> bool {
        self.role() == "user" && !self.is_synthetic && self.branch.is_none()
    }

    /// The message as the library has it.
    ///
    /// # Errors
    ///
    /// What cannot be read as one message, and why.
    pub fn message(&self) -> Result<Message, crate::Malformed> {
        message(&self.json)
    }

    /// The event of the message.
    pub(crate) fn event(&self, now: Timestamp) -> Parsed<NewEvent> {
        let id = match EventId::new(&self.id) {
            Ok(id) => id,
            Err(error) => return malformed(format!("_id {:?}: {error}", self.id)),
        };
        let mut event = NewEvent::message(id, self.time.unwrap_or(now), self.message()?)
            .with_origin(self.origin.clone());
        event.branch = self.branch.clone();
        if let Some(usage) = &self.usage {
            event = event.with_metadata("usage", Json::from_value(usage));
        }
        Ok(event)
    }
}

/// Reads one message in the chat shape, or one item without a role.
pub(crate) fn message(json: &Value) -> Parsed<Message> {
    let is_message = json.get("role").is_some();
    let format = match is_message {
        true => Format::OpenAiChat,
        false => match "openai-responses".parse() {
            Ok(format) => format,
            Err(_) => return Ok(item(json)),
        },
    };
    let text = Value::Array(vec![json.clone()]).to_string();
    let options = ReadOptions::default().with_format(format);
    let transcript = match read(text.as_bytes(), &options) {
        Ok(transcript) => transcript,
        Err(error) => return malformed(format!("a message cannot be read: {error}")),
    };
    let mut events = transcript.events();
    match (events.next().map(|event| &event.body), events.next()) {
        (Some(session_log::EventBody::Message(message)), None) => Ok(message.clone()),
        _ => malformed("a record of the input is not one message"),
    }
}

/// An item without a role, kept as it is: it belongs to the turn it stands in.
fn item(json: &Value) -> Message {
    let part = Part::Opaque(Opaque::new("openai-responses", Json::from_value(json)));
    Message::new(Role::Assistant, vec![part])
}

fn moment(text: &str) -> Parsed<Timestamp> {
    match text.parse::<Instant>() {
        Ok(instant) => Ok(Timestamp::from_millis(instant.as_millisecond())),
        Err(_) => malformed(format!("_ts is no moment: {text:?}")),
    }
}

/// Why each message is there. Synthetic messages are a summary where they stand as one does: as a
/// question and its answer, as a system message, or before the first turn. Any other is what a
/// program put in.
fn origins(records: &[Record]) -> Vec<Origin> {
    let first_turn = records.iter().position(Record::opens_turn);
    let summary = || Origin::Summary { boundary: None };
    let is = |at: Option<usize>, role: &str| {
        at.and_then(|at| records.get(at))
            .is_some_and(|record| record.is_synthetic && record.role() == role)
    };
    let origin = |(at, record): (usize, &Record)| {
        if !record.is_synthetic {
            return Origin::Real;
        }
        let asks = record.role() == "user" && is(at.checked_add(1), "assistant");
        let answers = record.role() == "assistant" && is(at.checked_sub(1), "user");
        let leads = first_turn.is_none_or(|first| at < first);
        match record.role() {
            _ if asks || answers || leads => summary(),
            "system" | "developer" => summary(),
            _ => Origin::Injected,
        }
    };
    records.iter().enumerate().map(origin).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_origins(input: &Value, expected: &[&str]) {
        let records = Records::parse(input).unwrap();
        let found: Vec<&str> = records
            .all
            .iter()
            .map(|record| match record.origin {
                Origin::Real => "real",
                Origin::Injected => "injected",
                _ => "summary",
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn synthetic_messages_are_summaries_where_they_stand_as_one_does() {
        let user = json!({"role": "user", "content": "x"});
        let made = |role: &str| json!({"role": role, "content": "x", "_synthetic": true});
        check_origins(
            &json!([made("user"), made("assistant"), user, made("user")]),
            &["summary", "summary", "real", "injected"],
        );
        check_origins(
            &json!([user, made("user"), made("assistant"), made("assistant")]),
            &["real", "summary", "summary", "injected"],
        );
    }

    #[test]
    fn a_message_keeps_unknown_fields_and_a_case_key_is_refused() {
        let records = Records::parse(&json!([
            {"_id": "u1", "role": "user", "content": "x", "weight": 1}
        ]))
        .unwrap();
        assert_eq!(records.all[0].json["weight"], 1);
        let error = Records::parse(&json!([{"_di": "u1", "role": "user"}])).unwrap_err();
        assert_eq!(error.reason, "unknown key `_di` in message 1");
    }

    #[test]
    fn turns_begin_at_real_messages_of_people() {
        let records = Records::parse(&json!([
            {"_id": "p", "role": "assistant", "content": "x"},
            {"_id": "u1", "role": "user", "content": "x"},
            {"_id": "n", "role": "user", "content": "x", "_synthetic": true},
            {"_id": "b", "role": "user", "content": "x", "_branch": "root.a"},
            {"_id": "u2", "role": "user", "content": "x"}
        ]))
        .unwrap();
        let turns: Vec<Vec<&str>> = records
            .turns()
            .iter()
            .map(|turn| turn.iter().map(|record| record.id.as_str()).collect())
            .collect();
        assert_eq!(turns, [vec!["p", "u1", "n", "b"], vec!["u2"]]);
    }
}
