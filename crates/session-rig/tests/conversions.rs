//! Messages of rig into the log and back: what is the same, and what stays behind.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use rig_core::message::{
    self as rig, AssistantContent, AssistantMessage, CallId, Citation, DocumentSourceKind,
    LocalCallId, Message as RigMessage, Origin, Source, SourceLocation, StopReason, ToolCall,
    ToolFunction, ToolName, ToolResult, ToolResultContent, UserContent,
};
use rig_core::transcript::validate_canonical;
use serde_json::json;
use session_log::{
    EventBody, EventId, Json, Media, MediaKind, MediaSource, Message, NewEvent, Opaque, Part,
    Reasoning, Role, Timestamp, wire,
};
use session_rig::{TypedError, history, message_of, messages};
use session_transcript::{ReadOptions, read};

fn name(text: &str) -> ToolName {
    ToolName::new(text).unwrap()
}

fn tool_call(id: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall::from_wire(id, ToolFunction::new(name("weather"), arguments))
}

/// Through our message and through what a store keeps of it.
fn stored(message: &RigMessage) -> Message {
    let ours = message_of(message).unwrap();
    let id = EventId::new("e").unwrap();
    let event = NewEvent::message(id, Timestamp::default(), ours.clone());
    let record = wire::encode(&event).unwrap();
    let read = wire::decode(&record).unwrap();
    assert_eq!(read, event, "stored as it was");
    ours
}

/// What comes back of a conversation, which must be all of it.
fn check(talk: &[RigMessage]) {
    let ours: Vec<Message> = talk.iter().map(stored).collect();
    let back = messages(&ours).unwrap();
    for (before, after) in talk.iter().zip(&back) {
        assert_eq!(before, after);
    }
    assert_eq!(talk.len(), back.len());
}

fn answer(content: Vec<AssistantContent>) -> RigMessage {
    RigMessage::Assistant(AssistantMessage::new(content))
}

fn user(content: Vec<UserContent>) -> RigMessage {
    RigMessage::User { content }
}

#[test]
fn plain_words_are_the_same_on_both_sides() {
    check(&[
        RigMessage::system("Be brief."),
        RigMessage::user("Is it warm?\u{0}\u{1f321}"),
        RigMessage::assistant("It is."),
    ]);
    let ours = message_of(&RigMessage::assistant("It is.")).unwrap();
    assert_eq!(ours, Message::assistant("It is."));
}

#[test]
fn an_answer_keeps_who_gave_it_how_it_ended_and_the_providers_items() {
    let mut origin = Origin::new("anthropic.messages", "anthropic", "m-1");
    origin.response_id = Some("msg_1".into());
    let mut cited = rig::Text::new("Dock Seven is open.");
    let mut citation = Citation::new([Source::new(SourceLocation::Url {
        url: "https://example.org/docks".into(),
    })
    .title("Docks")]);
    citation.span = cited.span(0..10);
    cited = cited.with_citations([citation]);
    let thought = AssistantContent::Reasoning(rig::Reasoning::new("First the docks.")).with_native(
        json!({"type": "thinking", "thinking": "First the docks.", "signature": "c2ln"}),
    );
    let redacted = AssistantContent::Reasoning(rig::Reasoning {
        redacted: true,
        ..rig::Reasoning::default()
    })
    .with_native(json!({"type": "redacted_thinking", "data": "aGlkZGVu"}));
    let search = AssistantContent::Opaque(rig::Opaque {
        item: json!({"type": "server_tool_use", "b": 1.50, "a": [null, -0.25e-7]}),
        replay: true,
    });
    let said = AssistantContent::Text(cited).with_native(json!({"z": 1, "a": 2}));
    let turn = AssistantMessage::new(vec![thought, redacted, search, said])
        .with_origin(origin)
        .with_stop(StopReason::Length);
    let message = RigMessage::Assistant(turn);
    check(&[RigMessage::user("Which dock?"), message.clone()]);

    let ours = message_of(&message).unwrap();
    let Part::Reasoning(signed) = &ours.parts[0] else {
        panic!("reasoning first")
    };
    assert_eq!(signed.text.as_deref(), Some("First the docks."));
    assert_eq!(signed.signature.as_deref(), Some("c2ln"));
    let Part::Reasoning(hidden) = &ours.parts[1] else {
        panic!("reasoning second")
    };
    assert_eq!(hidden.text, None);
    assert_eq!(hidden.encrypted.as_deref(), Some("aGlkZGVu"));
}

#[test]
fn calls_and_results_are_the_same_also_under_ids_that_rig_issued() {
    let known = tool_call(
        "k1",
        json!({"city": "Oslo", "days": [1, 2.5], "b": {"a": null}}),
    );
    let unknown = tool_call("", json!({}));
    assert!(unknown.id.is_local());
    let broken = ToolCall::from_wire(
        "k2",
        ToolFunction::parse(name("weather"), r#"{"city": "Os"#),
    );
    let mut mended = broken.clone();
    mended.id = CallId::from_wire("k3");
    mended.function.arguments = json!({"city": "Oslo"}).as_object().unwrap().clone();
    let calls = [known, unknown, broken, mended];
    let results = calls.iter().enumerate().map(|(at, call)| {
        let content = vec![
            ToolResultContent::text("21 degrees"),
            ToolResultContent::Json {
                value: json!({"b": 21, "a": "°C"}),
            },
            ToolResultContent::image_base64("AAAA", Some(rig::ImageMediaType::PNG), None),
        ];
        UserContent::ToolResult(if at == 0 {
            call.result(content)
        } else {
            call.error_result(content)
        })
    });
    let results = user(results.collect());
    let made = answer(
        calls
            .iter()
            .cloned()
            .map(AssistantContent::ToolCall)
            .collect(),
    );
    check(&[
        RigMessage::user("Is it warm?"),
        made.clone(),
        results.clone(),
    ]);

    let ours = stored(&made);
    assert_eq!(ours.calls().count(), 4);
    assert_eq!(
        ours.calls().nth(2).unwrap().arguments.as_str(),
        r#"{"city": "Os"#
    );
    let ours = stored(&results);
    assert_eq!(ours.role, Role::Tool);
    let first = ours.results().next().unwrap();
    assert_eq!(first.call_id, "k1");
    assert_eq!(first.name.as_deref(), Some("weather"));
    assert_eq!(
        first.parts[1].as_text(),
        Some(r#"{"b":21,"a":"°C"}"#),
        "to be read"
    );
}

#[test]
fn media_are_the_same_wherever_their_bytes_are() {
    let image = rig::Image {
        data: DocumentSourceKind::base64("AAAA"),
        media_type: Some(rig::ImageMediaType::SVG),
        detail: Some(rig::ImageDetail::High),
        native: None,
    };
    let video = rig::Video {
        data: DocumentSourceKind::url("https://example.org/a.mov"),
        media_type: Some(rig::VideoMediaType::MOV),
        additional_params: Some(json!({"video_metadata": {"fps": 0.1}})),
    };
    let audio = rig::Audio {
        data: DocumentSourceKind::file_id("file-7"),
        media_type: Some(rig::AudioMediaType::PCM16),
    };
    let file = rig::Document {
        data: DocumentSourceKind::string("a,b\n1,2"),
        media_type: Some(rig::DocumentMediaType::CSV),
        additional_params: Some(json!({"title": "rooms"})),
    };
    let nothing = rig::Image::default();
    check(&[
        user(vec![
            UserContent::Image(image.clone()),
            UserContent::Video(video),
            UserContent::Audio(audio),
            UserContent::Document(file),
            UserContent::Image(nothing),
            UserContent::text("What are these?"),
        ]),
        answer(vec![AssistantContent::Image(image)]),
    ]);
}

#[test]
fn raw_bytes_come_back_as_base64() {
    let raw = UserContent::image_raw(vec![0, 159, 146, 150], Some(rig::ImageMediaType::PNG), None);
    let ours = stored(&user(vec![raw]));
    let back = messages([&ours]).unwrap();
    let encoded = UserContent::image_base64("AJ+Slg==", Some(rig::ImageMediaType::PNG), None);
    assert_eq!(back, [user(vec![encoded])]);
}

#[test]
fn results_in_several_messages_are_gathered_and_named_after_their_calls() {
    let talk = [
        Message::user("q"),
        Message::tool_calls([
            session_log::ToolCall::new("k1", "weather", "{}"),
            session_log::ToolCall::new("", "clock", ""),
            session_log::ToolCall::new("", "clock", "{}"),
        ]),
        Message::tool_result("", "noon"),
        Message::tool_result("k1", "warm"),
        Message::tool_result("", "one"),
        Message::assistant("a"),
        Message::assistant("b"),
    ];
    let back = messages(&talk).unwrap();
    validate_canonical(&back).unwrap();
    assert_eq!(back.len(), 4, "{back:?}");
    let RigMessage::User { content } = &back[2] else {
        panic!("results third")
    };
    let names = content.iter().map(|part| match part {
        UserContent::ToolResult(ToolResult { name, .. }) => name.as_str(),
        _ => "",
    });
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    assert_eq!(names, ["clock", "clock", "weather"]);
    assert_eq!(back, messages(&talk).unwrap(), "ids are the same each time");
}

#[test]
fn conversations_of_other_tools_are_histories_that_rig_accepts() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
    for name in [
        "agentic-session.anthropic.json",
        "agentic-session.claude-code.jsonl",
        "airline-support.openai-chat.json",
    ] {
        let bytes = std::fs::read(format!("{folder}/{name}")).unwrap();
        let transcript = read(&bytes, &ReadOptions::default()).unwrap();
        let events = &transcript.conversations.first().unwrap().events;
        let typed = messages(events).unwrap();
        assert!(typed.len() > 50, "{name}");
        validate_canonical(&typed).unwrap();
        let calls = events.iter().map(|event| match &event.body {
            EventBody::Message(message) => message.calls().count(),
            _ => 0,
        });
        let calls: usize = calls.sum();
        let typed_calls = typed.iter().map(|message| match message {
            RigMessage::Assistant(turn) => turn.tool_calls().count(),
            _ => 0,
        });
        assert_eq!(typed_calls.sum::<usize>(), calls, "{name}");
    }
}

#[test]
fn what_rig_cannot_say_is_an_error_or_is_left_out_and_told() {
    let media = |kind, name: Option<&str>| {
        let mut media = Media::new(kind, MediaSource::Url("https://example.org/a".into()));
        media.media_type = name.map(Into::into);
        Part::Media(media)
    };
    let nameless = session_log::ToolCall::new("k1", "", "{}");
    for (role, part, what) in [
        (
            Role::User,
            media(MediaKind::File, Some("application/zip")),
            "a file of the type application/zip",
        ),
        (
            Role::Assistant,
            media(MediaKind::Audio, None),
            "audio in an answer",
        ),
        (
            Role::System,
            media(MediaKind::Image, None),
            "image in a system message",
        ),
        (
            Role::User,
            Part::Reasoning(Reasoning::new("hm")),
            "reasoning in a user's message",
        ),
        (
            Role::Assistant,
            Part::ToolCall(nameless),
            "tool_call in an answer",
        ),
        (
            Role::Assistant,
            Part::Opaque(Opaque::new("gemini", Json::null())),
            "a part of the format gemini in an answer",
        ),
        (
            Role::Other("critic".into()),
            Part::text("no"),
            "a message of the role critic",
        ),
    ] {
        // The result of a call makes it one that is not repaired away.
        let talk = [
            Message::new(role, vec![Part::text("here"), part]),
            Message::tool_result("k1", "r"),
        ];
        let error = messages(&talk).unwrap_err();
        assert!(
            matches!(&error, TypedError::NoCounterpart { what: said } if said == what),
            "{error}"
        );
        let history = history(&talk);
        assert!(
            history.warnings.contains(&format!("left out: {what}")),
            "{:?}",
            history.warnings
        );
        validate_canonical(&history.messages).unwrap();
    }
}

#[test]
fn signatures_that_rig_did_not_bring_and_refusals_are_said_as_far_as_rig_has_words() {
    let mut signed = Reasoning::new("First the docks.");
    signed.signature = Some("c2ln".into());
    let mut hidden = Reasoning::default();
    hidden.encrypted = Some("aGlkZGVu".into());
    let refusal = Part::Refusal(session_log::Text::new("I will not."));
    let parts = vec![Part::Reasoning(signed), Part::Reasoning(hidden), refusal];
    let back = messages([&Message::new(Role::Assistant, parts)]).unwrap();
    let redacted = rig::Reasoning {
        redacted: true,
        ..rig::Reasoning::default()
    };
    assert_eq!(
        back,
        [answer(vec![
            AssistantContent::reasoning("First the docks."),
            AssistantContent::Reasoning(redacted),
            AssistantContent::text("I will not."),
        ])]
    );
}

#[test]
fn an_edited_text_loses_its_citations_and_nothing_else_does() {
    let text = rig::Text::new("Open.").with_citations([Citation::new([])]);
    let mut ours = stored(&answer(vec![AssistantContent::Text(text)]));
    let Part::Text(said) = &mut ours.parts[0] else {
        panic!("text")
    };
    said.text = "Closed.".into();
    let RigMessage::Assistant(turn) = messages([&ours]).unwrap().remove(0) else {
        panic!("an answer")
    };
    let AssistantContent::Text(text) = &turn.content[0] else {
        panic!("text")
    };
    assert_eq!(text.text, "Closed.");
    assert!(text.citations().is_empty());
}

#[test]
fn an_id_of_rig_that_is_no_longer_one_is_kept_as_a_providers() {
    let local = CallId::Local(LocalCallId::new());
    let call = ToolCall::new(local, ToolFunction::new(name("clock"), json!({})));
    let result = user(vec![UserContent::ToolResult(call.result(vec![]))]);
    let mut calls = stored(&answer(vec![AssistantContent::ToolCall(call)]));
    let mut results = stored(&result);
    let (Part::ToolCall(call), Part::ToolResult(result)) =
        (&mut calls.parts[0], &mut results.parts[0])
    else {
        panic!("a call and its result")
    };
    call.id = "renamed".into();
    result.call_id = "renamed".into();
    let back = messages([&calls, &results]).unwrap();
    validate_canonical(&back).unwrap();
    let RigMessage::Assistant(turn) = &back[0] else {
        panic!("an answer")
    };
    assert_eq!(
        turn.tool_calls().next().unwrap().id,
        CallId::from_wire("renamed")
    );
}
