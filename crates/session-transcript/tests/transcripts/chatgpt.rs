//! Exports of ChatGPT are read along the path that is shown.

use serde_json::{Value, json};
use session_log::{EventBody, MediaSource, Origin, Part};
use session_transcript::{Format, ReadOptions, WriteError, read};

use crate::common::{fixture, only, parse, shorts};

/// A node: `id<parent`, where parent is `-` for none, said by `role`.
fn node(id: &str, parent: &str, role: &str, content: &Value) -> (String, Value) {
    let parent = (parent != "-").then_some(parent);
    let message = json!({"id": format!("m-{id}"), "author": {"role": role}, "content": content,
        "create_time": 1.5, "recipient": "all"});
    (
        id.into(),
        json!({"id": id, "parent": parent, "children": [], "message": message}),
    )
}

fn text(text: &str) -> Value {
    json!({"content_type": "text", "parts": [text]})
}

fn file(current: Option<&str>, nodes: &[(String, Value)]) -> Vec<u8> {
    let mapping: serde_json::Map<String, Value> = nodes.iter().cloned().collect();
    let mut conversation = json!({"id": "c1", "title": "Rooms", "mapping": mapping});
    if let Some(current) = current {
        conversation["current_node"] = json!(current);
    }
    json!([conversation]).to_string().into_bytes()
}

fn rooms() -> Vec<(String, Value)> {
    let mut nodes = vec![
        node("a", "-", "user", &text("Which room?")),
        node("b", "a", "assistant", &text("Room 4")),
        node("c", "a", "assistant", &text("Room 9")),
    ];
    nodes[1].1["message"]["create_time"] = json!(9.0);
    nodes
}

#[test]
fn the_branch_that_is_shown_is_read_and_the_other_one_kept_beside_it() {
    let bytes = file(Some("c"), &rooms());
    let transcript = parse(&bytes);
    assert_eq!(transcript.format, Format::ChatGpt);
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation),
        ["user: Which room?", "assistant: Room 9"]
    );
    assert_eq!(conversation.id, "c1");
    assert_eq!(conversation.title.as_deref(), Some("Rooms"));
    let kept: Vec<&str> = conversation
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Custom { payload, .. } => Some(payload.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].contains("Room 4"));
    assert_eq!(
        transcript.warnings[0].what,
        "1 message(s) of given-up branches are kept beside the conversation"
    );
    assert_eq!(parse(&bytes), transcript);
}

#[test]
fn without_a_current_node_the_newest_end_is_taken_and_told() {
    for (current, why) in [
        (None, "no current_node"),
        (Some("gone"), "current_node is not in the mapping"),
    ] {
        let transcript = parse(&file(current, &rooms()));
        let conversation = &transcript.conversations[0];
        assert_eq!(shorts(conversation)[1], "assistant: Room 4");
        let told = transcript
            .warnings
            .iter()
            .any(|warning| warning.what.starts_with(why));
        assert!(told, "{:?}", transcript.warnings);
    }
}

#[test]
fn links_that_lead_nowhere_or_in_a_circle_end_the_path() {
    for (parent, why) in [("gone", "missing parent"), ("c", "the nodes form a cycle")] {
        let mut nodes = rooms();
        nodes[0].1["parent"] = json!(parent);
        let transcript = parse(&file(Some("c"), &nodes));
        assert_eq!(
            shorts(&transcript.conversations[0]),
            ["user: Which room?", "assistant: Room 9"]
        );
        let told = transcript
            .warnings
            .iter()
            .any(|warning| warning.what.starts_with(why));
        assert!(told, "{:?}", transcript.warnings);
    }
}

#[test]
fn children_are_enough_where_parents_are_not_written() {
    let mut nodes = rooms();
    for (_, node) in &mut nodes {
        node.as_object_mut().unwrap().remove("parent");
    }
    nodes[0].1["children"] = json!(["b", "c"]);
    let conversation = only(&file(Some("c"), &nodes));
    assert_eq!(
        shorts(&conversation),
        ["user: Which room?", "assistant: Room 9"]
    );
}

#[test]
fn what_is_said_to_a_tool_is_a_call_and_its_message_the_result() {
    let mut nodes = vec![
        node("a", "-", "user", &text("Add them")),
        node(
            "b",
            "a",
            "assistant",
            &json!({"content_type": "code", "language": "python", "text": "1 + 2"}),
        ),
        node(
            "c",
            "b",
            "tool",
            &json!({"content_type": "execution_output", "text": "3"}),
        ),
        node("d", "c", "assistant", &text("3.")),
        node("e", "d", "tool", &text("of nobody")),
    ];
    nodes[1].1["message"]["recipient"] = json!("python");
    nodes[2].1["message"]["author"]["name"] = json!("python");
    nodes[4].1["message"]["author"]["name"] = json!("bio");
    let conversation = only(&file(Some("e"), &nodes));
    assert_eq!(
        shorts(&conversation),
        [
            "user: Add them",
            "assistant: [call b python 1 + 2]",
            "tool: [result b: 3]",
            "assistant: 3.",
            "tool: [result e: of nobody]",
        ]
    );
}

#[test]
fn what_nobody_said_opens_no_turn_and_what_no_model_reads_is_beside() {
    let mut nodes = vec![
        node("a", "-", "system", &text("")),
        node(
            "b",
            "a",
            "user",
            &json!({"content_type": "user_editable_context", "user_profile": "I am a cook.", "user_instructions": ""}),
        ),
        node("c", "b", "user", &text("Dinner?")),
        node(
            "d",
            "c",
            "assistant",
            &json!({"content_type": "thoughts", "thoughts": [{"summary": "Food", "content": "Hm."}]}),
        ),
        node(
            "e",
            "d",
            "assistant",
            &json!({"content_type": "reasoning_recap", "content": "Thought for 2s"}),
        ),
        node(
            "f",
            "e",
            "assistant",
            &json!({"content_type": "something_new", "x": 1}),
        ),
        node("g", "f", "user", &text("(nudge)")),
    ];
    nodes[0].1["message"]["weight"] = json!(0.0);
    nodes[6].1["message"]["metadata"] = json!({"is_visually_hidden_from_conversation": true});
    let transcript = parse(&file(Some("g"), &nodes));
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation),
        [
            "(injected) user: I am a cook.",
            "user: Dinner?",
            "assistant: [reasoning]",
            "assistant: [opaque]",
            "(injected) user: (nudge)",
        ]
    );
    assert_eq!(conversation.events.len(), 7);
    assert_eq!(transcript.warnings.len(), 1, "{:?}", transcript.warnings);
}

#[test]
fn a_real_tree_keeps_its_pictures() {
    let conversation = only(&fixture("chatgpt/image-generation.json"));
    let told = shorts(&conversation);
    assert_eq!(told[0], "user: [media] question 1");
    let said: Vec<&String> = told
        .iter()
        .filter(|text| text.starts_with("user:"))
        .collect();
    assert_eq!(said.len(), 4);
    let EventBody::Message(message) = &conversation.events[0].body else {
        panic!("no message");
    };
    let Part::Media(media) = &message.parts[0] else {
        panic!("no picture");
    };
    assert_eq!(
        media.source,
        MediaSource::FileId("sediment://file_1".into())
    );
    assert_eq!(conversation.events[0].origin, Origin::Real);
    // Every node but the root is there: as a message, or beside the conversation.
    assert_eq!(conversation.events.len(), 24);
}

#[test]
fn other_values_in_the_list_are_told_and_nothing_is_written() {
    let mut list: Value = serde_json::from_slice(&file(Some("c"), &rooms())).unwrap();
    list.as_array_mut().unwrap().push(json!({"id": "x"}));
    let transcript = parse(list.to_string().as_bytes());
    assert_eq!(transcript.conversations.len(), 1);
    assert_eq!(transcript.skipped.len(), 1);
    let error = transcript.write_back().unwrap_err();
    assert_eq!(
        error,
        WriteError::ReadOnly {
            format: Format::ChatGpt
        }
    );
    assert_eq!(error.to_string(), "chatgpt can be read but not written");
    let writable = Format::ALL.iter().filter(|format| format.can_write());
    let names: Vec<&str> = writable.map(|format| format.name()).collect();
    assert!(names.contains(&"openai-chat") && !names.contains(&"chatgpt"));
    assert_eq!(error.hint(), format!("write it as {}", names.join(", ")));

    let options = ReadOptions::default().with_format("chatgpt_export".parse().unwrap());
    assert!(read(br#"[{"role":"user","content":"Hi"}]"#, &options).is_err());
}
