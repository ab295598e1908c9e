//! How messages read as text, and what they cost.

#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;

use compaction_core::TokenEstimator;
use session_log::{
    Arguments, IMAGE_TOKENS, Json, LineFormat, Media, MediaKind, MediaSource, Message,
    MessageFormat, Opaque, Part, Reasoning, Role, Text, ToolCall, ToolResult, media_tokens,
    message_tokens,
};

struct Characters;

impl TokenEstimator for Characters {
    fn name(&self) -> &'static str {
        "characters"
    }

    fn estimate(&self, text: &str) -> u64 {
        text.chars().count() as u64
    }
}

fn of(role: Role, parts: impl IntoIterator<Item = Part>) -> Message {
    Message::new(role, parts.into_iter().collect())
}

fn media(kind: MediaKind) -> Part {
    Part::Media(Media::new(kind, MediaSource::Base64("A".repeat(9_999))))
}

fn call(name: &str, arguments: &str) -> Part {
    Part::ToolCall(ToolCall::new("k1", name, arguments))
}

fn named_result(name: &str, parts: Vec<Part>) -> Part {
    let mut result = ToolResult::new("k1", parts);
    result.name = Some(name.to_owned());
    Part::ToolResult(result)
}

fn opaque(json: &str) -> Part {
    Part::Opaque(Opaque::new("anthropic", Json::new(json).unwrap()))
}

/// A value in JSON that looks like a picture of so many bytes.
fn payload(bytes: usize) -> String {
    format!(r#"{{"data": "{}"}}"#, "Zm9v".repeat(bytes / 4))
}

#[track_caller]
fn check(message: &Message, expected: &str) {
    let mut text = String::new();
    LineFormat.format(message, &mut text);
    assert_eq!(text, expected);
}

#[test]
fn a_text_stands_behind_who_said_it() {
    check(&Message::user("Hello"), "User: Hello");
    check(&Message::assistant("Hi"), "Assistant: Hi");
    check(&Message::system("Be brief."), "System: Be brief.");
    check(
        &of(Role::Developer, [Part::text("Be brief.")]),
        "System: Be brief.",
    );
    check(&of(Role::Tool, [Part::text("late")]), "Tool: late");
    check(
        &of(Role::Other("critic".into()), [Part::text("no")]),
        "critic: no",
    );
}

#[test]
fn several_texts_are_lines_and_a_refusal_is_one_of_them() {
    let parts = [
        Part::text("one"),
        Part::Refusal(Text::new("two")),
        Part::text("three"),
    ];
    check(&of(Role::Assistant, parts), "Assistant: one\ntwo\nthree");
}

#[test]
fn a_message_without_text_says_so() {
    check(&of(Role::User, []), "User: [no text content]");
    check(
        &of(Role::Assistant, [Part::Reasoning(Reasoning::new("hidden"))]),
        "Assistant: [no text content]",
    );
}

#[test]
fn media_stand_behind_the_text_by_their_kind() {
    check(
        &of(Role::User, [media(MediaKind::Image), Part::text("look")]),
        "User: look [image]",
    );
    let all = [
        MediaKind::Image,
        MediaKind::Audio,
        MediaKind::Video,
        MediaKind::File,
    ];
    check(
        &of(Role::User, all.map(media)),
        "User: [image] [audio] [video] [file]",
    );
}

#[test]
fn calls_stand_behind_the_text_or_alone() {
    let text = |text| of(Role::Assistant, [Part::text(text), call("clock", "{}")]);
    check(&text("Wait."), "Assistant: Wait. [tool calls: clock({})]");
    check(&text(" \n"), "Assistant [tool calls: clock({})]");
    let mut typed = ToolCall::new("k2", "add", "");
    typed.arguments = Arguments::Value(Json::new(r#"{"a": 1}"#).unwrap());
    check(
        &of(
            Role::Assistant,
            [call("clock", "not json"), Part::ToolCall(typed)],
        ),
        r#"Assistant [tool calls: clock(not json), add({"a": 1})]"#,
    );
}

#[test]
fn results_read_as_what_the_tools_said() {
    check(
        &Message::tool_result("k1", "12:00"),
        "Tool [responses: tool -> 12:00]",
    );
    let parts = vec![
        Part::text("a"),
        Part::Refusal(Text::new("b")),
        media(MediaKind::Image),
        opaque(r#"{"x": 1}"#),
        Part::Reasoning(Reasoning::new("hidden")),
    ];
    check(
        &of(
            Role::Tool,
            [
                named_result("read", parts),
                named_result("ls", vec![Part::text("c")]),
            ],
        ),
        "Tool [responses: read -> a\nb\n[image]\n{\"x\": 1}\n, ls -> c]",
    );
}

#[test]
fn results_beside_a_text_are_a_line_of_their_own() {
    let message = of(
        Role::User,
        [
            named_result("ls", vec![Part::text("c")]),
            Part::text("and now?"),
        ],
    );
    check(&message, "Tool [responses: ls -> c]\nUser: and now?");
}

#[test]
fn a_formatter_behind_a_pointer_is_the_same_one() {
    let message = Message::user("Hello");
    let mut text = String::new();
    let shared: Arc<dyn MessageFormat> = Arc::new(LineFormat);
    <&LineFormat as MessageFormat>::format(&&LineFormat, &message, &mut text);
    shared.format(&message, &mut text);
    assert_eq!(text, "User: HelloUser: Hello");
}

#[track_caller]
fn check_cost(message: &Message, expected: u64) {
    assert_eq!(message_tokens(message, &LineFormat, &Characters), expected);
}

#[test]
fn media_cost_their_kind_and_not_their_length() {
    check_cost(
        &of(Role::User, [Part::text("look"), media(MediaKind::Image)]),
        "User: look [image]".len() as u64 + IMAGE_TOKENS,
    );
    let kinds = [
        MediaKind::Image,
        MediaKind::Audio,
        MediaKind::Video,
        MediaKind::File,
    ];
    assert_eq!(kinds.map(media_tokens), [1_600, 1_920, 15_780, 3_000]);
    check_cost(
        &of(
            Role::Tool,
            [named_result("look", vec![media(MediaKind::File)])],
        ),
        "Tool [responses: look -> [file]]".len() as u64 + 3_000,
    );
}

#[test]
fn reasoning_costs_its_text_and_a_quarter_of_what_is_encrypted() {
    let line = "Assistant: [no text content]".len() as u64;
    let thought = |text: &str| of(Role::Assistant, [Part::Reasoning(Reasoning::new(text))]);
    check_cost(&thought("12345"), line + 5);
    let mut hidden = Reasoning::default();
    hidden.encrypted = Some("x".repeat(41));
    check_cost(&of(Role::Assistant, [Part::Reasoning(hidden)]), line + 11);
}

#[test]
fn an_unknown_part_costs_its_json_and_a_payload_in_it_what_an_image_costs() {
    let line = "User: [no text content]".len() as u64;
    check_cost(&of(Role::User, [opaque(r#"{"x": 1}"#)]), line + 8);
    check_cost(
        &of(Role::User, [opaque(&payload(4_000))]),
        line + r#"{"data": "[4000 bytes]"}"#.len() as u64 + IMAGE_TOKENS,
    );
    // Just too short to be a picture, so it is read as text.
    let short = payload(1_020);
    check_cost(&of(Role::User, [opaque(&short)]), line + short.len() as u64);
}

#[test]
fn an_unknown_part_of_a_result_is_read_once() {
    let message = of(
        Role::Tool,
        [named_result(
            "look",
            vec![opaque(&payload(4_000)), Part::text("done")],
        )],
    );
    check(
        &message,
        "Tool [responses: look -> {\"data\": \"[4000 bytes]\"}\ndone]",
    );
    check_cost(
        &message,
        "Tool [responses: look -> {\"data\": \"[4000 bytes]\"}\ndone]".len() as u64 + IMAGE_TOKENS,
    );
}
