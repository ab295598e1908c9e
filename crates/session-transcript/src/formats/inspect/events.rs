//! From a sample to events.

use session_log::Origin;

use crate::format::Format;
use crate::formats::inspect::attachments::Attachments;
use crate::formats::inspect::message;
use crate::formats::log::{Log, Spot};
use crate::formats::parts::fields_but;
use crate::json::{Members, Raw};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::{Conversation, Warning};

/// What repeats the messages, or is put into them.
const REPEATED: [&str; 7] = [
    "attachments",
    "call_pool",
    "events",
    "events_data",
    "message_pool",
    "messages",
    "transcript",
];

/// The conversation of a sample of the evaluation in `log`.
pub(super) fn conversation(
    sample: &Placed<'_>,
    log: &Members<'_>,
    context: &mut Context<'_>,
) -> Conversation {
    let about = sample.raw.members().unwrap_or_default();
    let eval = log.peek("eval").and_then(Raw::members).unwrap_or_default();
    let plain = |raw: Option<Raw<'_>>| {
        raw.map(|raw| match raw.as_str() {
            Some(text) => text.into_owned(),
            None => raw.text().to_owned(),
        })
    };
    let run = ["eval_id", "task_id", "run_id"]
        .iter()
        .find_map(|name| eval.peek_str(name));
    let id = plain(about.peek("id")).zip(plain(about.peek("epoch")));
    let name = run
        .zip(id)
        .map(|(run, (id, epoch))| format!("{run}-{id}-{epoch}"));
    let messages = about.peek("messages").and_then(Raw::items);
    let messages = messages.unwrap_or_default();
    let texts = messages.iter().map(|raw| raw.text());
    let mut events = Log::new(Format::Inspect, name.as_deref(), texts, context);
    let mut attachments = Attachments::of(&about, context.options.max_bytes);
    for (at, raw) in messages.into_iter().enumerate() {
        let value = sample.inner(raw);
        let json = attachments.resolve(raw.text());
        let members = Raw::trusted(&json).members().unwrap_or_default();
        let Some(message) = message::read(&members) else {
            context.skip(value.line, value.bytes, "a message without a role");
            continue;
        };
        let spot = Spot::of(&value, at).named(members.peek_str("id"));
        events.message(&spot, message, Origin::Real);
    }
    if attachments.missing > 0 {
        let what = format!(
            "{} attachment(s) are not there, or more than may be unpacked",
            attachments.missing
        );
        context.report.warn(Warning::line(sample.line, what));
    }
    let mut fields = fields_but(&about, &REPEATED);
    if let Some(eval) = log.peek("eval") {
        fields.insert("eval".into(), eval.to_json());
    }
    let mut conversation = events.into_conversation(fields, context);
    conversation.title = eval.peek_str("task").map(Into::into);
    conversation.model = eval.peek_str("model").map(Into::into);
    conversation
}
