//! Damage in documents, and documents of odd shape.

use session_transcript::{Format, ReadOptions, SkipReason, read, view_as_request};

use crate::common::{only, parse, shorts};

#[test]
fn what_can_be_read_of_a_broken_document_is_read() {
    let whole = r#"{
 "model": "m",
 "messages": [
  {
   "role": "user",
   "content": "one"
  },
  {
   "role": "assistant",
   "content": "two" oops
  },
  {
   "role": "user",
   "content": "three"
  }
 ]
}"#;
    let transcript = parse(whole.as_bytes());
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: one", "user: three"]
    );
    assert_eq!(transcript.skipped.len(), 1);
    assert_eq!(transcript.skipped[0].line, 8);

    let cut = whole.split("oops").next().unwrap();
    assert_eq!(
        shorts(&parse(cut.as_bytes()).conversations[0]),
        ["user: one"]
    );

    let array = r#"[{"role":"user","content":"one"},{"role":"user","content":"two"},{"role":"us"#;
    let transcript = parse(array.as_bytes());
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: one", "user: two"]
    );
    assert_eq!(transcript.skipped[0].reason, SkipReason::Cut);
}

/// An element that lost a bracket goes on to the end of the file, which was taken for cut: all that
/// stood behind it was lost.
#[test]
fn a_bracket_that_is_missing_costs_its_element_alone() {
    for (indent, end) in [("", "\n]\n"), ("  ", "\n]"), (" ", "")] {
        let elements = [
            r#"{"role": "user", "content": "one"}"#,
            r#"{"role": "assistant", "content": [{"type": "text", "text": "two"}"#,
            r#"{"role": "user", "content": "three"}"#,
            r#"{"role": "assistant", "content": "four"}"#,
        ];
        let elements = elements.map(|element| format!("\n{indent}{element}"));
        let transcript = parse(format!("[{}{end}", elements.join(",")).as_bytes());
        assert_eq!(
            shorts(&transcript.conversations[0]),
            ["user: one", "user: three", "assistant: four"]
        );
        let skipped: Vec<String> = transcript.skipped.iter().map(|it| it.to_string()).collect();
        assert_eq!(skipped.len(), 1, "{skipped:?}");
        assert!(skipped[0].starts_with("line 3 ") && skipped[0].ends_with("malformed JSON"));
    }
}

/// An array whose elements all lost a bracket was read to its end for each of them. Each is a record
/// that is skipped, so their number tells how often it was read.
#[test]
fn an_array_of_broken_elements_is_not_read_again_for_each_of_them() {
    for end in ["", "x", "}"] {
        let file = format!(
            "[\n{{\"role\":\"user\",\"content\":\"one\"}},{}\n{end}",
            "\n{\"role\":[".repeat(4000)
        );
        let transcript = parse(file.as_bytes());
        assert_eq!(shorts(&transcript.conversations[0]), ["user: one"]);
        let count = transcript.skipped.len();
        assert!((1..100).contains(&count), "{count} skipped with {end:?}");
        let last = &transcript.skipped[count - 1];
        assert_eq!(last.bytes.end, file.len() as u64);
    }
}

#[test]
fn documents_one_after_the_other_are_read_each() {
    let file = "{\n \"role\": \"user\",\n \"content\": \"one\"\n}\n{\n \"role\": \"assistant\",\n \"content\": \"two\"\n}\n";
    assert_eq!(
        shorts(&only(file.as_bytes())),
        ["user: one", "assistant: two"]
    );
}

#[test]
fn large_files_of_odd_shape_are_read_all_the_same() {
    const MANY: usize = 4_000;
    let lines = |line: &dyn Fn(usize) -> String| (0..MANY).map(line).collect::<String>();
    let side = lines(&|n| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{n}\",\"parentUuid\":\"gone{n}\",\"isSidechain\":true,\"message\":{{\"role\":\"user\",\"content\":\"x\"}}}}\n"
        )
    });
    let sessions = lines(&|n| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{n}\",\"parentUuid\":null,\"sessionId\":\"s{n}\",\"message\":{{\"role\":\"user\",\"content\":\"x\"}}}}\n"
        )
    });
    let orphans = lines(&|n| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{n}\",\"parentUuid\":\"gone\",\"message\":{{\"role\":\"user\",\"content\":\"x\"}}}}\n"
        )
    });
    let members = lines(&|n| format!("\"k{n}\":{n},"));
    let wide = format!("{{{members}\"role\":\"user\",\"content\":\"x\"}}");
    let open = "[\n{\"a\":[".to_owned() + &"\n{\"a\":[".repeat(MANY);
    let calls = lines(&|n| {
        format!(
            "{{\"id\":\"k{n}\",\"type\":\"function\",\"function\":{{\"name\":\"f\",\"arguments\":\"\"}}}},"
        )
    });
    let results = lines(&|n| format!(",{{\"type\":\"tool_result\",\"tool_use_id\":\"k{n}\"}}"));
    let late = format!(
        "[{{\"role\":\"assistant\",\"tool_calls\":[{}]}},{{\"role\":\"user\",\"content\":\"wait\"}},{{\"role\":\"user\",\"content\":[{}]}}]",
        calls.trim_end_matches(','),
        results.trim_start_matches(','),
    );
    for (file, conversations, messages) in [
        (side, MANY, MANY),
        (sessions, MANY, MANY),
        (orphans, 1, MANY),
        (wide, 1, 1),
    ] {
        let transcript = parse(file.as_bytes());
        assert_eq!(transcript.conversations.len(), conversations);
        let count: usize = transcript
            .conversations
            .iter()
            .map(|conversation| conversation.message_count())
            .sum();
        assert_eq!(count, messages);
        transcript.write_back().unwrap();
    }
    assert!(read(open.as_bytes(), &ReadOptions::default()).is_err());
    for format in [Format::OpenAiChat, Format::Anthropic] {
        let options = ReadOptions::default().with_format(format);
        let transcript = read(late.as_bytes(), &options).unwrap();
        view_as_request(&transcript.conversations[0].events, format).unwrap();
    }
}

#[test]
fn what_can_be_read_of_a_broken_request_of_other_providers_is_read() {
    for (format, file) in [
        (
            Format::Gemini,
            "{\n \"generationConfig\": {},\n \"contents\": [\n  {\"role\": \"user\", \"parts\": [{\"text\": \"one\"}]},\n  {\"role\": \"model\", \"parts\": [{\"text\" oops}]},\n  {\"role\": \"user\", \"parts\": [{\"text\": \"three\"}]}\n ]\n}",
        ),
        (
            Format::OpenAiResponses,
            "{\n \"model\": \"m\",\n \"input\": [\n  {\"type\": \"message\", \"role\": \"user\", \"content\": [{\"type\": \"input_text\", \"text\": \"one\"}]},\n  {\"type\": \"message\" oops},\n  {\"role\": \"user\", \"content\": \"three\"}\n ]\n}",
        ),
    ] {
        let transcript = parse(file.as_bytes());
        assert_eq!(transcript.format, format);
        assert_eq!(
            shorts(&transcript.conversations[0]),
            ["user: one", "user: three"]
        );
        assert_eq!(transcript.skipped.len(), 1);
    }
}
