//! The recordings, read.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::server::{chunked, whole};

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/recordings")
        .join(name)
}

/// An exchange with a real server.
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) value: Value,
}

/// All of them, by name.
pub(crate) fn recordings() -> Vec<Recording> {
    let mut recordings: Vec<Recording> = fs::read_dir(folder("llama-cpp"))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            Recording {
                name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
                value: serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap(),
            }
        })
        .collect();
    recordings.sort_by(|a, b| a.name.cmp(&b.name));
    recordings
}

impl Recording {
    /// The answer as it came over the wire.
    pub(crate) fn answer(&self) -> Vec<u8> {
        let response = &self.value["response"];
        let status = response["status"].as_u64().unwrap().try_into().unwrap();
        let headers: Vec<(&str, &str)> = response["headers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap()))
            .filter(|(name, _)| !is_framing(name))
            .collect();
        match response["chunks"].as_array() {
            Some(chunks) => {
                let chunks: Vec<&str> = chunks.iter().map(|it| it.as_str().unwrap()).collect();
                chunked(status, &headers, &chunks, response["ends"] != "broken")
            }
            None => whole(
                status,
                &headers,
                response["body"].as_str().unwrap().as_bytes(),
            ),
        }
    }
}

/// A hand-written answer of a provider.
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) action: String,
    pub(crate) answer: Vec<u8>,
}

/// Those of one provider.
pub(crate) fn shapes(file: &str) -> Vec<Shape> {
    let text = fs::read_to_string(folder("shapes").join(file)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let shape = |case: &Value| {
        let headers = case["headers"].as_object().unwrap();
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
            .collect();
        let body = match case["body_text"].as_str() {
            Some(text) => text.to_owned(),
            None => case["body"].to_string(),
        };
        let status = case["status"].as_u64().unwrap().try_into().unwrap();
        Shape {
            name: case["name"].as_str().unwrap().to_owned(),
            action: case["action"].as_str().unwrap().to_owned(),
            answer: whole(status, &headers, body.as_bytes()),
        }
    };
    value["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(shape)
        .collect()
}

/// Headers that say how a body is framed, which the playing server does in its own way.
fn is_framing(name: &str) -> bool {
    [
        "content-length",
        "transfer-encoding",
        "connection",
        "keep-alive",
    ]
    .contains(&name)
}
