//! What only looks a little like a transcript is refused, not half read.

use session_transcript::{ReadError, ReadOptions, read};

#[test]
fn json_of_other_kinds_is_no_transcript() {
    for file in [
        r#"{"action": "opened", "source": "hook", "repository": {}}"#,
        r#"{"agent": {"name": "build"}, "steps": [{"run": "make"}]}"#,
        r#"{"type": "session", "id": "s", "payload": {}}"#,
        r#"{"type": "session.updated", "event_id": "e", "session": {}}"#,
        r#"{"type": "invoice.paid", "id": "e", "data": {}}"#,
        r#"{"history": [1, 2], "trajectory": []}"#,
        r#"{"conversation": [], "id": 1}"#,
        r#"{"eval": {"score": 1}, "samples": [1]}"#,
        r#"{"info": {"title": "API"}, "messages": {}}"#,
        r#"{"sessionId": "s", "hits": 1}"#,
        r#"{"kind": "request", "parts": 3}"#,
        r#"{"kind": "ClickEvent", "x": 1}"#,
        r#"{"sender": "me", "uuid": "u"}"#,
        r#"{"mapping": {"a": 1}}"#,
    ] {
        for file in [
            file.to_owned(),
            format!("[{file}]"),
            format!("{file}\n{file}\n"),
        ] {
            let error = read(file.as_bytes(), &ReadOptions::default()).map(|read| read.format);
            assert!(
                matches!(error, Err(ReadError::UnknownFormat { .. })),
                "{file}: {error:?}"
            );
        }
    }
}
