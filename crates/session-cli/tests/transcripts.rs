//! Files in and out: where results go, containers, formats, bad records.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use std::fs;

use common::{Place, examples, ids, talk, text_of, view_of};
use serde_json::Value;

#[test]
fn the_transcript_is_on_standard_output_and_the_receipt_on_standard_error() {
    let place = Place::new();
    let file = place.file("talk.json", talk(9));
    let ran = place.run(["compact", &file, "--last-turns", "2"]).done();
    let messages: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let texts: Vec<String> = messages.iter().map(text_of).collect();
    assert_eq!(texts.len(), 5);
    assert_eq!(texts[0], "Be brief.");
    assert!(texts[1].starts_with("question 8"));
    let receipt = ran.err.replace(place.dir.to_str().unwrap(), "");
    let lines: Vec<&str> = receipt.lines().map(str::trim_end).collect();
    assert!(
        lines[0].starts_with("compacted /talk.json: ") && lines[0].ends_with("% less"),
        "{receipt}"
    );
    assert_eq!(lines[1], "          before  after");
    assert_eq!(lines[2], "  events      19      5");
    assert_eq!(lines[3], "  turns        9      2");
    assert!(
        lines[4].starts_with("  tokens ") && lines[4].ends_with("by o200k_base"),
        "{receipt}"
    );
    assert!(
        lines[5].starts_with("  pinned ") && lines[5].ends_with("system prompt"),
        "{receipt}"
    );
    assert!(
        lines[6].starts_with("  covered  14 events") && lines[6].ends_with("turns 1 to 7"),
        "{receipt}"
    );
    assert!(
        lines[7].starts_with("  kept ") && lines[7].ends_with("turns 8 to 9"),
        "{receipt}"
    );

    let quiet = place
        .run(["compact", &file, "--last-turns", "2", "--quiet"])
        .done();
    assert_eq!((quiet.out, quiet.err.as_str()), (ran.out, ""));
}

#[test]
fn the_input_is_left_alone_and_an_output_file_is_whole_or_not_there() {
    let place = Place::new();
    let file = place.file("talk.json", talk(9));
    place.file("old.json", "an older file");
    let ran = place
        .run([
            "compact",
            &file,
            "--last-turns",
            "1",
            "-o",
            "old.json",
            "-q",
        ])
        .done();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    assert_eq!(
        serde_json::from_str::<Vec<Value>>(&place.read("old.json"))
            .unwrap()
            .len(),
        3
    );
    assert_eq!(place.read("talk.json"), talk(9));
    assert_eq!(place.names(), ["old.json", "talk.json"]);

    let ran = place.run(["compact", "talk.json", "-o", "./talk.json"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("is the input, which is never changed"),
        "{}",
        ran.err
    );
    assert_eq!(place.read("talk.json"), talk(9));

    let ran = place.run(["compact", "talk.json", "-o", "nowhere/x.json"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("hint: the folder must exist"),
        "{}",
        ran.err
    );
    let ran = place.run(["compact", "talk.json", "-o", "."]);
    assert_eq!(ran.code, 1);
    assert_eq!(place.names(), ["old.json", "talk.json"]);
}

#[cfg(unix)]
#[test]
fn an_output_file_keeps_its_rights_and_a_link_to_it_stays_a_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let place = Place::new();
    place.file("talk.json", talk(3));
    place.file("real.json", "old");
    let real = place.dir.join("real.json");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.json", place.dir.join("link.json")).unwrap();
    place
        .run(["compact", "talk.json", "-q", "-o", "link.json"])
        .done();
    assert!(place.dir.join("link.json").is_symlink());
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(place.read("real.json").trim_end(), talk(3));

    place
        .run(["compact", "talk.json", "-q", "-o", "/dev/null"])
        .done();
}

#[test]
fn packed_input_and_standard_input_read_as_the_plain_file() {
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write as _;
    let place = Place::new();
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(talk(9).as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let plain = place
        .run_with(["compact", "-", "--last-turns", "1", "-q"], talk(9))
        .done();
    let file = place.file("talk.json.gz", &packed);
    assert_eq!(
        place
            .run(["compact", &file, "--last-turns", "1", "-q"])
            .done()
            .out,
        plain.out
    );
    assert_eq!(
        place
            .run_with(["compact", "-", "--last-turns", "1", "-q"], packed)
            .done()
            .out,
        plain.out
    );
}

#[test]
fn several_conversations_are_compacted_each_and_come_out_in_the_same_container() {
    let place = Place::new();
    let bodies =
        [talk(5), talk(1), talk(7)].map(|messages| format!(r#"{{"messages":{messages},"n":1}}"#));
    let lines = place.file("many.jsonl", bodies.join("\n"));
    let ran = place.run(["compact", &lines, "--last-turns", "2"]).done();
    let counts: Vec<usize> = ran
        .out
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["messages"]
                .as_array()
                .unwrap()
                .len()
        })
        .collect();
    assert_eq!(counts, [5, 3, 5]);
    assert!(ran.err.contains("has 3 conversations"), "{}", ran.err);

    let array = place.file("many.json", format!("[{}]", bodies.join(",\n")));
    let ran = place
        .run(["compact", &array, "--last-turns", "2", "-q"])
        .done();
    let all: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(all.len(), 3);
    assert_eq!(all[2]["messages"].as_array().unwrap().len(), 5);
    assert_eq!(all[2]["n"], 1);

    let documents = place
        .run(["compact", &lines, "--last-turns", "2", "--json"])
        .done()
        .json();
    let outcomes: Vec<&str> = documents
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["compacted", "unchanged", "compacted"]);

    let one = place
        .run([
            "compact",
            &lines,
            "--conversation",
            "3",
            "--last-turns",
            "2",
            "--json",
        ])
        .done()
        .json();
    assert_eq!(one["before"]["turns"], 7);
    let none = place.run(["compact", &lines, "--conversation", "4"]);
    assert_eq!(none.code, 2);
    assert!(none.err.contains("hint: it has 1 to 3: "), "{}", none.err);
}

#[test]
fn a_transcript_can_come_out_in_another_format() {
    let place = Place::new();
    for path in examples() {
        let texts = |name: &str| -> Vec<String> {
            let all = view_of(&place, name).into_iter();
            all.map(|shown| text_of(&shown["message"]))
                .filter(|text| !text.trim().is_empty())
                .collect()
        };
        let before = texts(path.to_str().unwrap());
        for format in ["openai-chat", "anthropic", "claude-code", "jsonl"] {
            let name = format!("out.{format}");
            let args = [
                "compact",
                path.to_str().unwrap(),
                "--tokens",
                "10m",
                "--to",
                format,
                "-o",
                &name,
                "-q",
            ];
            place.run(args).done();
            let from = place.run(["stats", &name, "--json"]).done().json()["format"].clone();
            assert_eq!(from, format, "{}", path.display());
            let after = texts(&name);
            assert_eq!(
                after.last(),
                before.last(),
                "{} to {format}",
                path.display()
            );
        }
    }
}

#[test]
fn a_bad_record_is_skipped_and_told_with_its_line() {
    let place = Place::new();
    let lines = [
        r#"{"role":"user","content":"one"}"#,
        r#"{"role":"assistant","content":"#,
        r#"{"role":"assistant","content":"two"}"#,
    ];
    let file = place.file("torn.jsonl", lines.join("\n"));
    let ran = place.run(["compact", &file]).done();
    assert_eq!(ran.out.lines().count(), 2);
    assert!(
        ran.err.contains("skipped: ") && ran.err.contains("line 2 (bytes "),
        "{}",
        ran.err
    );
    let document = place.run(["compact", &file, "--json"]).done().json();
    let warnings = document["warnings"].as_array().unwrap();
    assert!(
        warnings
            .iter()
            .any(|it| it.as_str().unwrap().starts_with("skipped line 2 (bytes ")),
        "{warnings:?}"
    );
}

#[test]
fn sub_agents_stay_beside_their_conversation_and_are_left_out_of_other_formats() {
    let place = Place::new();
    let line = |uuid: &str, parent: &str, side: bool, role: &str, text: &str| {
        let agent = if side { r#","agentId":"a1""# } else { "" };
        format!(
            r#"{{"type":"{role}","uuid":"{uuid}","parentUuid":{parent},"isSidechain":{side},"sessionId":"s1"{agent},"timestamp":"2026-01-01T00:00:00Z","message":{{"role":"{role}","content":"{text}"}}}}"#
        )
    };
    let lines = [
        line("1", "null", false, "user", "main question one"),
        line("2", "\"1\"", false, "assistant", "main answer one"),
        line("8", "null", true, "user", "side question"),
        line("9", "\"8\"", true, "assistant", "side answer"),
        line("3", "\"2\"", false, "user", "main question two"),
        line("4", "\"3\"", false, "assistant", "main answer two"),
    ];
    let file = place.file("s1.jsonl", lines.join("\n"));
    let ran = place.run(["compact", &file, "--last-turns", "1"]).done();
    assert!(
        !ran.out.contains("main question one") && ran.out.contains("main question two"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("side question") && ran.out.contains("side answer"),
        "{}",
        ran.out
    );
    let ran = place
        .run(["compact", &file, "--last-turns", "1", "--to", "openai-chat"])
        .done();
    assert!(!ran.out.contains("side question"), "{}", ran.out);
    assert!(
        ran.err
            .contains("warning: 1 conversation(s) of sub-agents were left out"),
        "{}",
        ran.err
    );
}

#[test]
fn a_format_that_can_only_be_read_comes_out_as_one_that_can_be_written() {
    let place = Place::new();
    let node = |id: &str, parent: &str, child: &str, role: &str, says: &str| {
        format!(
            r#""{id}":{{"id":"{id}","parent":{parent},"children":[{child}],"message":{{"id":"m{id}","author":{{"role":"{role}"}},"content":{{"content_type":"text","parts":["{says}"]}}}}}}"#
        )
    };
    let nodes = [
        node("a", "null", "\"b\"", "user", "one"),
        node("b", "\"a\"", "\"c\"", "assistant", "first"),
        node("c", "\"b\"", "\"d\"", "user", "two"),
        node("d", "\"c\"", "", "assistant", "second"),
    ];
    let talk = format!(
        r#"{{"id":"c1","title":"Rooms","current_node":"d","mapping":{{{}}}}}"#,
        nodes.join(",")
    );
    let file = place.file("tree.json", talk);
    let ran = place.run(["compact", &file, "--last-turns", "1"]).done();
    let messages: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        messages.iter().map(text_of).collect::<Vec<_>>(),
        ["two", "second"]
    );
    assert!(
        ran.err
            .contains("warning: chatgpt can be read but not written: this is openai-chat"),
        "{}",
        ran.err
    );
    let refused = place.run(["compact", &file, "--to", "chatgpt"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .err
            .contains("chatgpt can be read but not written\nhint: choose one of openai-chat"),
        "{}",
        refused.err
    );
    place.run(["import", &file, "-q"]).done();
    let id = place.run(["sessions", "--json"]).done().json()[0]["session"]
        .as_str()
        .unwrap()
        .to_owned();
    let exported: Vec<Value> =
        serde_json::from_str(&place.run(["export", &id]).done().out).unwrap();
    assert_eq!(exported.len(), 4);
}

/// A file that holds nothing but a byte order mark, or nothing that is packed, failed an import of many.
#[test]
fn a_file_with_nothing_in_it_fails_no_import() {
    let place = Place::new();
    place.file("good.json", talk(2));
    place.file("mark.jsonl", "\u{feff}\r\n");
    place.file("nul.jsonl", [0; 300]);
    let packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    place.file("packed.jsonl.gz", packer.finish().unwrap());
    let ran = place.run([
        "import",
        "mark.jsonl",
        "nul.jsonl",
        "packed.jsonl.gz",
        "good.json",
    ]);
    let ran = ran.done();
    assert_eq!(
        ran.err,
        "mark.jsonl is empty\nnul.jsonl is empty\npacked.jsonl.gz is empty\n"
    );
    assert_eq!(ids(&place).len(), 1);
}
