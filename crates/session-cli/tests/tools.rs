//! Commands that need no session: counts by encoding, completions.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use common::{Place, talk};
use serde_json::{Value, json};

#[test]
fn tokens_are_counted_by_every_encoding_for_text_and_for_transcripts() {
    let place = Place::new();
    place.file("note.txt", "Where may a conversation be cut?");
    let counted = place.run(["tokens", "note.txt", "--json"]).done().json();
    assert_eq!(
        (&counted["format"], &counted["characters"]),
        (&Value::Null, &json!(32))
    );
    let of = |document: &Value, name: &str| {
        let all = document["tokens"].as_array().unwrap().clone();
        all.into_iter()
            .find(|it| it["encoding"] == name)
            .expect(name)
    };
    assert_eq!(
        of(&counted, "o200k_base"),
        json!({"encoding": "o200k_base", "tokens": 7, "exact": true})
    );
    assert_eq!(
        of(&counted, "bytes4"),
        json!({"encoding": "bytes4", "tokens": 8, "exact": false})
    );

    place.file("talk.json", talk(6));
    let counted = place
        .run(["tokens", "talk.json", "--encoding", "bytes4", "--json"])
        .done()
        .json();
    assert_eq!(
        (&counted["format"], &counted["events"]),
        (&json!("openai-chat"), &json!(13))
    );
    assert_eq!(of(&counted, "bytes4")["tokens"], 125);
    let text = place
        .run([
            "tokens",
            "talk.json",
            "--text",
            "--encoding",
            "bytes4",
            "--json",
        ])
        .done()
        .json();
    assert_eq!(of(&text, "bytes4")["tokens"], talk(6).len().div_ceil(4));
    let piped = place
        .run_with(["tokens", "-", "--encoding", "chars4"], "abcd")
        .done();
    assert!(
        piped.out.contains("chars4")
            && piped
                .out
                .contains("standard input (text): 4 bytes, 4 characters"),
        "{}",
        piped.out
    );
    assert_eq!(place.run(["tokens", "missing"]).code, 2);
}

#[test]
fn tokens_are_counted_as_for_a_model_and_measured_by_its_window() {
    let place = Place::new();
    place.file("note.txt", "Where may a conversation be cut?");
    let args = [
        "tokens",
        "note.txt",
        "--model",
        "gpt-4o",
        "--encoding",
        "bytes4",
    ];
    let counted = place.run(args.into_iter().chain(["--json"])).done().json();
    assert_eq!(
        counted["tokens"],
        json!([
            {"encoding": "bytes4", "tokens": 8, "exact": false},
            {"encoding": "o200k_base", "tokens": 7, "exact": true, "model": "gpt-4o", "limit": 128_000}
        ])
    );
    let text = place.run(args).done().out;
    assert!(text.contains("0 % of the 128,000 of gpt-4o"), "{text}");
    let unknown = place.run(["tokens", "note.txt", "--model", "nobody-9"]);
    assert_eq!((unknown.code, unknown.out.as_str()), (2, ""));
    assert!(
        unknown
            .err
            .contains("nothing is known of a model named \"nobody-9\"")
            && unknown.err.contains("hint: leave --model out"),
        "{}",
        unknown.err
    );
}

#[test]
fn completions_name_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.run(["completions", shell]).done().out;
        for command in ["compact", "import", "doctor"] {
            assert!(script.contains(command), "{shell} {command}");
        }
    }
}

/// Of a text that was packed the tokens of the packed bytes were counted, and of a transcript their
/// characters.
#[test]
fn tokens_of_a_packed_file_are_those_of_what_is_in_it() {
    use std::io::Write as _;
    let place = Place::new();
    let count = |content: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(content).unwrap();
        place.file("plain", content);
        let packed = packer.finish().unwrap();
        place.file("packed.gz", &packed);
        let counted = |name: &str, text: Option<&str>| {
            let args = ["tokens", name, "--json"].into_iter().chain(text);
            let mut counted = place.run(args).done().json();
            counted.as_object_mut().unwrap().remove("file");
            counted
        };
        for text in [None, Some("--text")] {
            assert_eq!(counted("plain", text), counted("packed.gz", text));
        }
        packed
    };
    count(b"Where may a conversation be cut?");
    let packed = count(talk(6).as_bytes());
    for (name, bytes) in [
        ("cut.gz", &packed[..8]),
        ("file.zip", b"PK\x03\x04 and so on"),
    ] {
        let file = place.file(name, bytes);
        let ran = place.run(["tokens", &file]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{name}");
        assert!(ran.err.contains("damaged"), "{}", ran.err);
    }
}
