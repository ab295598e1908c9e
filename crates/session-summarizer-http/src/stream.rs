//! Answers that come piece by piece: server-sent events and lines of JSON.

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;

/// The pieces of a streamed answer; `None` when it came at once. A server may stream although it
/// was not asked to. What is no JSON (the end mark, a half line where a connection broke) is
/// left out.
pub(crate) fn pieces(headers: &HeaderMap, body: &[u8]) -> Option<Vec<Value>> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let kind = kind.split(';').next()?.trim();
    let text = || String::from_utf8_lossy(body);
    match kind.to_ascii_lowercase().as_str() {
        "text/event-stream" => Some(events(&text())),
        "application/x-ndjson" | "application/jsonl" | "application/stream+json" => {
            let parse = |line| serde_json::from_str(line).ok();
            Some(text().lines().filter_map(parse).collect())
        }
        _ => None,
    }
}

/// The data of each event. An event may have its data in several lines; comments and names of
/// events are left out, since the data says of itself what it is.
fn events(text: &str) -> Vec<Value> {
    let mut events = Vec::new();
    let mut data: Vec<&str> = Vec::new();
    // The text may end without the blank line that ends an event.
    for line in text.split('\n').chain([""]) {
        let line = line.trim_end_matches('\r');
        if let Some(value) = line.strip_prefix("data:") {
            data.push(value.strip_prefix(' ').unwrap_or(value));
        } else if line.is_empty() {
            events.extend(serde_json::from_str::<Value>(&data.join("\n")).ok());
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

    fn of(kind: &'static str, body: &str) -> Option<Vec<Value>> {
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
            ("", json!([])),
        ];
        for (text, expected) in cases {
            let read = of("text/event-stream; charset=utf-8", text).unwrap();
            assert_eq!(Value::from(read), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_of_json_are_read_one_by_one() {
        let read = of("application/x-ndjson", "{\"a\":1}\n\n{\"a\":2}\n{\"a\":").unwrap();
        assert_eq!(Value::from(read), json!([{"a": 1}, {"a": 2}]));
    }

    #[test]
    fn an_answer_of_another_kind_came_at_once() {
        assert_eq!(of("application/json", "{}"), None);
        assert_eq!(pieces(&HeaderMap::new(), b"{}"), None);
    }
}
