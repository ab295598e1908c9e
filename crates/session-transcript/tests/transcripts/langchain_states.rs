//! States of LangGraph: removals, and messages that take the place of others.

use serde_json::{Value, json};
use session_log::{EventBody, Origin, Role};
use session_transcript::Format;

use crate::common::{only, parse, parsed, shorts, told, view};

/// A message of a word: `h1` is what the person says under the id `1`, `a2:x` a reply of another
/// text under the id `2`, `-2` takes it out, `-*` takes out everything.
fn flat(word: &str) -> Value {
    let (kind, rest) = word.split_at(1);
    let (id, text) = rest.split_once(':').unwrap_or((rest, word));
    let id = match id {
        "" => Value::Null,
        "*" => json!("__remove_all__"),
        id => json!(id),
    };
    match kind {
        "h" => json!({"content": text, "type": "human", "id": id}),
        "a" => json!({"content": text, "type": "ai", "id": id, "tool_calls": []}),
        _ => json!({"content": "", "type": "remove", "id": id}),
    }
}

fn wrapped(word: &str, class_or_data: &str) -> Value {
    let fields = flat(word);
    let class = match &word[..1] {
        "h" => "HumanMessage",
        "a" => "AIMessage",
        _ => "RemoveMessage",
    };
    match class_or_data {
        "data" => json!({"type": fields["type"], "data": fields}),
        "constructor" => {
            json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", class], "kwargs": fields})
        }
        _ => fields,
    }
}

/// What is read of the words, what a model sees of it, and what was told.
#[track_caller]
fn check(words: &str, seen: &str, expected: &[&str]) {
    for way in ["data", "constructor", "flat"] {
        let list: Vec<Value> = words.split(' ').map(|word| wrapped(word, way)).collect();
        for file in [json!(list), json!({"values": {"messages": list}})] {
            let transcript = parse(file.to_string().as_bytes());
            assert_eq!(transcript.format, Format::LangChain);
            assert_eq!(told(&transcript), expected, "{words} as {way}");
            let conversation = &transcript.conversations[0];
            let texts: Vec<String> = view(conversation)
                .iter()
                .filter_map(|text| Some(text.split_once(": ")?.1.to_owned()))
                .collect();
            assert_eq!(texts.join(" "), seen, "{words} as {way}");
            // Nothing is lost, and it is written again as it was.
            let spoken = words.split(' ').filter(|word| !word.starts_with('-'));
            assert_eq!(conversation.message_count(), spoken.count());
            assert_eq!(parsed(&conversation.write_back().unwrap().text), file);
        }
    }
}

const NOTHING: &str = "line 1: a removal names no message in front of it";
const ONE: &str = "1 message(s) gave their place to a later one of the same id: the log has both";

/// Removals were messages of an unknown role, and what they take out was still shown.
#[test]
fn a_removal_takes_the_message_of_its_id_out_of_the_view() {
    check("h1 a2 h3 -1 -2", "h3", &[]);
    check("h1 a2 -2 h3 a4", "h1 h3 a4", &[]);
    check("h1 a2 -1 -2", "", &[]);
}

#[test]
fn a_removal_of_everything_takes_out_all_in_front_of_it() {
    check("h1 a2 -* h3 a4", "h3 a4", &[]);
    check("h1 a2 -*", "", &[]);
    check("-* h1", "h1", &[]);
    // What stays is said again, as a summarization does it.
    check("h1 a2 h3 -* h9 h3", "h9 h3", &[]);
    check("h1 -* a2 -* h1 -2", "h1", &[NOTHING]);
}

#[test]
fn a_removal_that_names_nothing_is_told() {
    check("h1 -2 a3", "h1 a3", &[NOTHING]);
    check("-1 h1", "h1", &[NOTHING]);
    check("h1 -1 -1 a", "a", &[NOTHING]);
    check("h1 a -", "h1 a", &[NOTHING]);
}

#[test]
fn a_later_message_of_an_id_has_the_place_of_the_earlier_one() {
    check("h1 a2 h3 a2:new", "h1 new h3", &[ONE]);
    check("h1 a2 a2:new h3", "h1 new h3", &[ONE]);
    check("h1 a2 h3 h1:new", "new a2 h3", &[ONE]);
    check("h1 a2 a2:new -2 a2:last", "h1 last", &[ONE]);
    // Without ids nothing is the same.
    check("h a h a", "h a h a", &[]);
}

#[test]
fn a_removal_needs_no_content_and_is_sent_to_nobody() {
    let list = json!([
        {"type": "human", "content": "Hi", "id": "1"},
        {"type": "remove", "id": "1"},
        {"type": "human", "content": "Ho", "id": "2"},
    ]);
    let conversation = only(list.to_string().as_bytes());
    assert_eq!(shorts(&conversation), ["user: Hi", "user: Ho"]);
    assert_eq!(view(&conversation), ["user: Ho"]);
    let is_removal = |body: &EventBody| match body {
        EventBody::Custom { payload, .. } => parsed(payload.as_str()) == list[1],
        EventBody::Message(message) => message.role == Role::Other("remove".into()),
        _ => false,
    };
    let events = &conversation.events;
    assert_eq!(events.iter().filter(|it| is_removal(&it.body)).count(), 1);
    assert_eq!(parsed(&conversation.write_back().unwrap().text), list);
}

/// The summary that LangChain's middleware puts first was taken for what a person said.
#[test]
fn a_summary_of_the_middleware_is_none_of_the_persons_words() {
    let mut summary = flat("h1");
    summary["additional_kwargs"] = json!({"lc_source": "summarization"});
    let mut other = flat("h3");
    other["additional_kwargs"] = json!({"lc_source": "elsewhere"});
    let file = json!([summary, flat("a2"), other]);
    let transcript = parse(file.to_string().as_bytes());
    let conversation = &transcript.conversations[0];
    let origins: Vec<_> = conversation
        .events
        .iter()
        .map(|event| &event.origin)
        .collect();
    let of_another_tool = Origin::Summary { boundary: None };
    assert_eq!(origins, [&of_another_tool, &Origin::Real, &Origin::Real]);
    assert_eq!(parsed(&conversation.write_back().unwrap().text), file);
}
