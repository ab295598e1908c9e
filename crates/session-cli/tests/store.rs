//! Sessions in a store: in, looked at, compacted, taken back, out again.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod common;

use common::{Place, example, examples, ids, talk, text_of, with_talk};
use serde_json::{Value, json};

#[test]
fn importing_again_adds_nothing_and_importing_more_adds_what_is_new() {
    let place = Place::new();
    for path in examples() {
        let file = path.to_str().unwrap();
        let first = place.run(["import", file, "--json"]).done().json();
        let taken = &first[0]["sessions"][0];
        assert!(
            taken["new"].as_u64().unwrap() > 0 && taken["known"] == 0,
            "{first}"
        );
        let again = place.run(["import", file, "--json"]).done().json();
        let known = &again[0]["sessions"][0];
        assert_eq!(
            (&known["new"], &known["known"]),
            (&json!(0), &taken["new"]),
            "{}",
            path.display()
        );
        assert_eq!(known["session"], taken["session"]);
        assert_eq!(known["view"], taken["view"]);
    }
    assert_eq!(ids(&place).len(), examples().len());

    // A session of another tool that has gone on since.
    let whole = std::fs::read_to_string(example("agentic-session.claude-code.jsonl")).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let grown = Place::new();
    grown.file("s.jsonl", lines[..lines.len() / 2].join("\n"));
    let first = grown.run(["import", "s.jsonl", "--json"]).done().json();
    grown.file("s.jsonl", whole);
    let more = grown.run(["import", "s.jsonl", "--json"]).done().json();
    assert_eq!(
        more[0]["sessions"][0]["session"],
        first[0]["sessions"][0]["session"]
    );
    assert!(more[0]["sessions"][0]["new"].as_u64().unwrap() > 0);
    assert_eq!(ids(&grown).len(), 1);
}

#[test]
fn one_bad_file_or_record_never_stops_an_import() {
    let place = Place::new();
    place.file("good.json", talk(2));
    place.file("bad.json", "not json");
    place.file("empty.jsonl", "");
    place.file("torn.jsonl", "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\n{\"role\":\"user\",\"content\":\"b\"}\n");
    let ran = place.run([
        "import",
        "bad.json",
        "missing.json",
        "empty.jsonl",
        "torn.jsonl",
        "good.json",
    ]);
    assert_eq!(ran.code, 2);
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
    for said in [
        "error: bad.json: no JSON found",
        "error: cannot read missing.json",
        "empty.jsonl is empty",
        "skipped: torn.jsonl, line 2 (bytes 30..38)",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    assert_eq!(ids(&place).len(), 2);

    let ran = place.run(["import", "torn.jsonl", "bad.json", "--json"]);
    let files = ran.json();
    assert_eq!(files[0]["skipped"][0]["line"], 2);
    assert_eq!(files[0]["error"], Value::Null);
    assert!(
        files[1]["error"]
            .as_str()
            .unwrap()
            .starts_with("bad.json: no JSON found")
    );
}

#[test]
fn a_session_goes_out_as_it_came_in_and_as_a_log_that_loses_nothing() {
    let place = Place::new();
    for path in examples() {
        place.run(["import", path.to_str().unwrap(), "-q"]).done();
        let id = ids(&place).pop().unwrap();
        let own = place.run(["export", &id, "-q"]).done().out;
        let original = place
            .run(["compact", path.to_str().unwrap(), "-q", "--tokens", "10m"])
            .done()
            .out;
        let messages = |text: &str| {
            let ran = place
                .run_with(["compact", "-", "--json", "--tokens", "10m"], text)
                .done()
                .json();
            ran["view"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| text_of(&it["message"]))
                .collect::<Vec<_>>()
        };
        assert_eq!(messages(&own), messages(&original), "{}", path.display());

        place
            .run(["compact", &id, "--last-turns", "1", "-q"])
            .done();
        let log = place
            .run(["export", &id, "--log", "--to", "jsonl", "-q"])
            .done()
            .out;
        let shown = place.run(["show", &id, "--json"]).done().json()["view"].clone();
        let read = place
            .run_with(["compact", "-", "--json", "--tokens", "10m"], &log)
            .done()
            .json();
        assert_eq!(read["view"], shown, "{}", path.display());
    }
}

#[test]
fn an_export_can_be_sent_and_says_what_it_left_out() {
    let place = Place::new();
    let open = r#"[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"k","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"never mind"},{"role":"assistant","content":"fine"}]"#;
    place.file("open.json", open);
    place.run(["import", "open.json", "-q"]).done();
    let id = ids(&place).pop().unwrap();
    let ran = place.run(["export", &id]).done();
    assert!(
        ran.err.contains("warning: ") && ran.err.contains("no result"),
        "{}",
        ran.err
    );
    assert_eq!(
        serde_json::from_str::<Vec<Value>>(&ran.out).unwrap().len(),
        3
    );
    let log = place.run(["export", &id, "--log"]).done();
    assert_eq!(
        serde_json::from_str::<Vec<Value>>(&log.out).unwrap().len(),
        4
    );
    let request = place
        .run(["export", &id, "--request", "--to", "anthropic"])
        .done();
    let request: Value = serde_json::from_str(&request.out).unwrap();
    assert!(request["messages"].is_array());
    place
        .run([
            "import",
            &example("agentic-session.claude-code.jsonl"),
            "-q",
        ])
        .done();
    let other = ids(&place).into_iter().find(|other| *other != id).unwrap();
    let request = place
        .run(["export", &other, "--request", "--json"])
        .done()
        .json();
    assert_eq!(request["format"], "openai-chat", "its own is no request");
    let refused = place.run(["export", &id, "--request", "--to", "jsonl"]);
    assert_eq!(refused.code, 2);

    place.run(["export", &id, "-o", "out.json", "-q"]).done();
    assert_eq!(
        serde_json::from_str::<Vec<Value>>(&place.read("out.json"))
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn a_beginning_of_an_id_is_enough_except_to_delete() {
    let (place, id) = with_talk(2);
    let begin = &id[..id.len() - 4];
    assert!(place.run(["show", begin]).done().out.starts_with(&id));
    assert_eq!(
        place.run(["stats", begin, "--json"]).done().json()["source"],
        id.as_str()
    );
    place.run(["fork", &id, "-q"]).done();
    let of_the_original = place.run(["show", begin, "--json"]).done().json();
    assert_eq!(of_the_original["session"], id.as_str());
    place.run(["delete", &format!("{id}-fork-1"), "-q"]).done();
    place.file("other.json", talk(3));
    place.run(["import", "other.json", "-q"]).done();
    let both = place.run(["show", "openai"]);
    assert_eq!(both.code, 2);
    assert!(
        both.err.contains("2 sessions begin with openai") && both.err.contains(&id),
        "{}",
        both.err
    );
    assert_eq!(place.run(["show", "op"]).code, 2);

    assert_eq!(place.run(["delete", begin]).code, 2);
    assert_eq!(ids(&place).len(), 2);
    let ran = place.run(["delete", &id, "gone", "--json"]);
    assert_eq!(ran.code, 2);
    assert_eq!(ran.json(), json!({"deleted": [id], "unknown": ["gone"]}));
    assert_eq!(ids(&place).len(), 1);
}

#[test]
fn a_file_goes_before_a_session_of_its_name_unless_the_session_is_asked_for() {
    let (place, id) = with_talk(2);
    place.file(&id, talk(5));
    assert_eq!(
        place.run(["stats", &id, "--json"]).done().json()["turns"],
        5
    );
    assert_eq!(
        place
            .run(["stats", "--as-session", &id, "--json"])
            .done()
            .json()["turns"],
        2
    );
    std::fs::remove_file(place.dir.join(&id)).unwrap();
    std::fs::create_dir(place.dir.join(&id)).unwrap();
    assert_eq!(
        place.run(["stats", &id, "--json"]).done().json()["turns"],
        2,
        "a folder is no transcript"
    );
}

#[test]
fn words_are_found_where_they_were_said_covered_or_not() {
    let (place, id) = with_talk(9);
    place
        .run(["compact", &id, "--last-turns", "1", "-q"])
        .done();
    let hits = |args: &[&str]| -> Vec<u64> {
        let ran = place
            .run(["search", "--json"].iter().chain(args))
            .done()
            .json();
        ran["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["seq"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(hits(&["QUESTION 3"]), [6]);
    assert_eq!(
        hits(&["answer", "--in", &id, "--limit", "3", "--page", "2"]),
        [9, 11, 13]
    );
    assert_eq!(hits(&["room 4", "400"]), [8, 9]);
    assert_eq!(hits(&["room 4", "400", "--all"]), [0; 0]);
    assert_eq!(hits(&["brief", "--type", "user"]), [0; 0]);
    assert_eq!(hits(&["room", "--owner", "nobody"]), [0; 0]);
    assert_eq!(hits(&["100%"]), [0; 0], "a sign stands for itself");
    let ran = place.run(["search", "number of room 7"]).done();
    assert!(
        ran.out.contains(&format!("{id} event 14, user")) && ran.out.contains("number of room 7?"),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("1 message found"), "{}", ran.err);
    assert!(
        place
            .run(["search", "room", "--limit", "2"])
            .done()
            .err
            .contains("there is more: --page 2")
    );
    assert!(
        place
            .run(["search", "xyzzy"])
            .done()
            .err
            .contains("nothing found")
    );
    for args in [
        vec!["search", " "],
        vec!["search", "x", "--limit=0"],
        vec!["search", "x", "--page=0"],
    ] {
        assert_eq!(place.run(&args).code, 2, "{args:?}");
    }
}

#[test]
fn one_event_is_shown_whole_by_place_or_id() {
    let (place, id) = with_talk(3);
    let ran = place.run(["show", &id, "--event", "3"]).done();
    assert!(
        ran.out.contains("answer 1: it is 100") && !ran.out.contains("question 2"),
        "{}",
        ran.out
    );
    let document = place
        .run(["show", &id, "--event", "3", "--json"])
        .done()
        .json();
    let event = document["log"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        place.run(["show", &id, "--event", &event]).done().out,
        ran.out
    );
    let missing = place.run(["show", &id, "--event", "99"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing.err.contains("hint: its events are 1 to 7"),
        "{}",
        missing.err
    );
    for width in ["0", "1", "20", "100000"] {
        place.run(["show", &id, "--width", width]).done();
    }
}

#[test]
fn the_doctor_reads_everything_and_sweeping_takes_only_what_is_over() {
    let (place, _) = with_talk(3);
    let ran = place.run(["doctor"]).done();
    assert!(
        ran.out.contains("sqlite:store.db: 1 session, 0 expired") && ran.out.contains("sound: "),
        "{}",
        ran.out
    );
    assert_eq!(
        place.run(["doctor", "--json"]).done().json()["findings"],
        json!([])
    );
    assert_eq!(
        place.run(["expire", "--json"]).done().json(),
        json!({"expired": 0, "deleted": 0})
    );
    assert_eq!(ids(&place).len(), 1);

    let empty = Place::new();
    assert!(
        empty
            .run(["doctor"])
            .done()
            .out
            .contains("there is no store yet")
    );
    assert_eq!(empty.run(["sessions", "--json"]).done().json(), json!([]));
    empty.run(["expire"]).done();
    assert!(empty.names().is_empty(), "looking makes no file");
}

#[test]
fn without_a_name_the_store_is_in_the_data_folder_of_the_user() {
    let place = Place::new();
    place.file("talk.json", talk(1));
    let output = place
        .command(["import", "talk.json", "-q"])
        .env_remove("COMPACTION_STORE")
        .output()
        .unwrap();
    assert!(output.status.success());
    #[cfg(target_os = "linux")]
    assert!(place.dir.join("data/compaction/sessions.db").exists());
}

#[test]
fn text_in_any_script_can_be_listed_shown_and_found() {
    let place = Place::new();
    let talk = json!([
        {"role": "user", "content": "現在のディレクトリの変更内容を要約して"},
        {"role": "assistant", "content": "─".repeat(120)},
        {"role": "user", "content": "שלום 👩‍👩‍👧‍👦 e\u{301}"},
        {"role": "assistant", "content": "ok"}
    ]);
    place.file("talk.json", talk.to_string());
    place.run(["import", "talk.json", "-q"]).done();
    let id = ids(&place).pop().unwrap();
    for width in 0..60 {
        place
            .run(["show", &id, "--width", &width.to_string()])
            .done();
    }
    assert!(place.run(["search", "変更"]).done().out.contains("変更"));
    place.run(["compact", &id, "--last-turns", "1"]).done();
}
