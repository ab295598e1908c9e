//! Task folders of Cline and Roo Code: lists of Anthropic messages.

use session_transcript::Format;

use crate::common::{fixture, parse, shorts, told, values, view};

#[test]
fn the_history_of_a_task_is_a_list_of_messages() {
    let file = fixture("cline/api_conversation_history.json");
    let transcript = parse(&file);
    assert_eq!(transcript.format, Format::Anthropic);
    assert_eq!(told(&transcript), Vec::<String>::new());
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.message_count(), 7);
    assert_eq!(
        shorts(conversation)[1..3],
        [
            r#"assistant: Look first. [call toolu_1 read_file {"path": "a.rs"}]"#,
            "tool: [result toolu_1: mod a;]",
        ]
    );
    let moment = conversation.events[0].timestamp.as_millis();
    assert_eq!(moment, 1_750_310_400_000);
    let written = transcript.write_back().unwrap();
    assert_eq!(values(written.text.as_bytes()), values(&file));
}

#[test]
fn what_was_condensed_leaves_the_view_and_stays_in_the_log() {
    let transcript = parse(&fixture("cline/api_conversation_history.json"));
    assert_eq!(
        view(&transcript.conversations[0]),
        [
            "user: A module is being renamed.",
            "assistant: <read_file>\n<path>b.rs</path>\n</read_file>",
            // Its summary is not there any more.
            "user: Go on",
        ]
    );
}

#[test]
fn a_truncation_hides_in_the_same_way() {
    let text = String::from_utf8(fixture("cline/api_conversation_history.json")).unwrap();
    let text = text
        .replace("condenseParent", "truncationParent")
        .replace("isSummary", "isTruncationMarker")
        .replace("condenseId", "truncationId");
    let transcript = parse(text.as_bytes());
    assert_eq!(view(&transcript.conversations[0]).len(), 3);
    let without = text.replace("\"isTruncationMarker\": true, ", "");
    assert_eq!(view(&parse(without.as_bytes()).conversations[0]).len(), 7);
}
