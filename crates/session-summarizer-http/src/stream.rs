//! Answers that come piece by piece: server-sent events and lines of JSON.

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;

use crate::json;

/// The pieces of a streamed answer; `None` when it came at once. A server may stream although it
/// was not asked to.
///
/// What is no JSON and does not look it, as end marks and signs of life, is left out, and so is half
/// a piece at the end, where a connection broke: the answer then does not say how it ended.
///
/// # Errors
///
/// A piece before others cannot be read. What it said is missing in the middle of the answer.
pub(crate) fn pieces(headers: &HeaderMap, body: &[u8]) -> Option<serde_json::Result<Vec<Value>>> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let kind = kind.split(';').next()?.trim();
    let text = || String::from_utf8_lossy(body);
    match kind.to_ascii_lowercase().as_str() {
        // No event begins so: it came at once whatever was announced, as errors often do.
        "text/event-stream" if body.trim_ascii_start().starts_with(b"{") => None,
        "text/event-stream" => Some(read(events(&text()))),
        "application/x-ndjson" | "application/jsonl" | "application/stream+json" => {
            Some(read(text().lines()))
        }
        _ => None,
    }
}

/// The pieces that can be read.
fn read(pieces: impl IntoIterator<Item = impl AsRef<str>>) -> serde_json::Result<Vec<Value>> {
    let mut values = Vec::new();
    let mut broken = None;
    for piece in pieces {
        let piece = piece.as_ref().trim();
        if piece.is_empty() {
            continue;
        }
        if let Some(error) = broken {
            return Err(error);
        }
        match json::read(piece.as_bytes()) {
            Ok(value) => values.push(value),
            Err(error) if piece.starts_with('{') => broken = Some(error),
            Err(_) => {}
        }
    }
    Ok(values)
}

/// The data of each event. An event may have its data in several lines; comments and names of
/// events are left out, since the data says of itself what it is.
fn events(text: &str) -> Vec<String> {
    let mut events = Vec::new();
    let mut data: Vec<&str> = Vec::new();
    // The text may end without the blank line that ends an event.
    for line in text.split('\n').chain([""]) {
        let line = line.trim_end_matches('\r');
        if let Some(value) = line.strip_prefix("data:") {
            data.push(value.strip_prefix(' ').unwrap_or(value));
        } else if line.is_empty() {
            events.push(data.join("\n"));
            data.clear();
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;
    use serde_json::json;

    use super::*;

    fn of(kind: &'static str, body: &str) -> Option<serde_json::Result<Vec<Value>>> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        pieces(&headers, body.as_bytes())
    }

    #[test]
    fn events_are_read_line_by_line() {
        let cases = [
            ("data: 1\n\ndata:2\n\ndata: [DONE]\n\n", json!([1, 2])),
            (": ping\n\nevent: x\nid: 7\ndata: 1\n\n", json!([1])),
            ("data: {\"a\":\ndata: 2}\n\n", json!([{"a": 2}])),
            ("data: 1\r\n\r\ndata: 2\r\n", json!([1, 2])),
            ("data: 1\n\ndata: {\"cut", json!([1])),
            ("data: 1\n\ndata: {\"cut\n\n\n", json!([1])),
            ("data: ping\n\ndata: 1\n\n", json!([1])),
            (r#"data: {"a":"\ud83d"}"#, json!([{"a": "\u{fffd}"}])),
            ("", json!([])),
        ];
        for (text, expected) in cases {
            let read = of("text/event-stream; charset=utf-8", text)
                .unwrap()
                .unwrap();
            assert_eq!(Value::from(read), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_of_json_are_read_one_by_one() {
        let read = of("application/x-ndjson", "{\"a\":1}\n\n{\"a\":2}\n{\"a\":");
        let read = read.unwrap().unwrap();
        assert_eq!(Value::from(read), json!([{"a": 1}, {"a": 2}]));
    }

    /// A piece that could not be read was left out, wherever it stood, and the summary landed with a
    /// hole in it that nobody saw. Now such an answer is damaged, and asked for again.
    #[test]
    fn a_broken_piece_before_others_breaks_the_answer() {
        let events = "data: 1\n\ndata: {\"cut\n\ndata: 2\n\n";
        assert!(of("text/event-stream", events).unwrap().is_err());
        let marked = "data: {\"cut\n\ndata: [DONE]\n\n";
        assert!(of("text/event-stream", marked).unwrap().is_err());
        let lines = "{\"a\":1}\n{\"a\":\n{\"a\":2}\n";
        assert!(of("application/x-ndjson", lines).unwrap().is_err());
    }

    #[test]
    fn an_answer_of_another_kind_came_at_once() {
        assert!(of("application/json", "{}").is_none());
        assert!(pieces(&HeaderMap::new(), b"{}").is_none());
    }
}
