//! Sessions in a store: in, looked at, compacted, taken back, out again.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod common;

use common::{Place, example, examples, talk, text_of};
use serde_json::{Value, json};

/// The ids in the store, in the order of the listing.
fn ids(place: &Place) -> Vec<String> {
    let sessions = place.run(["sessions", "--json"]).done().json();
    let sessions = sessions.as_array().unwrap().iter();
    sessions
        .map(|it| it["session"].as_str().unwrap().to_owned())
        .collect()
}

/// A place with one session of so many turns, and its id.
fn with_talk(turns: usize) -> (Place, String) {
    let place = Place::new();
    place.file("talk.json", talk(turns));
    place.run(["import", "talk.json", "-q"]).done();
    let id = ids(&place).pop().unwrap();
    (place, id)
}

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
fn a_session_is_compacted_in_place_and_its_log_keeps_everything() {
    let (place, id) = with_talk(8);
    let before = place.run(["show", &id, "--log", "--json"]).done().json();
    let planned = place
        .run(["plan", &id, "--last-turns", "3", "--json"])
        .done()
        .json();
    assert_eq!(
        place.run(["show", &id, "--log", "--json"]).done().json()["log"],
        before["log"],
        "a plan changes nothing"
    );

    let ran = place.run(["compact", &id, "--last-turns", "3"]).done();
    assert_eq!(ran.out, "");
    assert!(
        ran.err.starts_with(&format!("compacted {id}: ")),
        "{}",
        ran.err
    );
    let view = place.run(["show", &id, "--json"]).done().json();
    assert_eq!(view["view"], planned["view"]);
    assert_eq!(view["boundary"], 18);

    let after = place.run(["show", &id, "--log", "--json"]).done().json();
    let log = after["log"].as_array().unwrap();
    let records = |document: &Value| -> Vec<Value> {
        document["log"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["record"].clone())
            .collect()
    };
    assert_eq!(records(&before), records(&after)[..17]);
    let states: Vec<&str> = log
        .iter()
        .map(|event| event["state"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!(
        states.iter().filter(|state| **state == "covered").count(),
        10
    );
    assert_eq!((states[0], states[11], states[17]), ("pinned", "kept", "-"));

    // A second pass has nothing to do and writes nothing.
    let again = place
        .run(["compact", &id, "--last-turns", "3", "--json"])
        .done()
        .json();
    assert_eq!(
        (&again["outcome"], &again["version"]),
        (&json!("unchanged"), &json!(18))
    );
}

#[test]
fn undo_takes_a_boundary_back_and_redo_gives_it_back() {
    let (place, id) = with_talk(6);
    let whole = place.run(["show", &id, "--json"]).done().json()["view"].clone();
    place
        .run(["compact", &id, "--last-turns", "2", "-q"])
        .done();
    let short = place.run(["show", &id, "--json"]).done().json()["view"].clone();
    assert_ne!(short, whole);

    let undone = place.run(["undo", &id, "--json"]).done().json();
    assert_eq!(
        (&undone["reverted"], &undone["view"]["turns"]),
        (&json!(14), &json!(6))
    );
    assert_eq!(
        place.run(["show", &id, "--json"]).done().json()["view"],
        whole
    );
    let redone = place.run(["redo", &id, "--json"]).done().json();
    assert_eq!(
        (&redone["reverted"], &redone["view"]["turns"]),
        (&json!(15), &json!(2))
    );
    assert_eq!(
        place.run(["show", &id, "--json"]).done().json()["view"],
        short
    );

    place.run(["undo", &id, "-q"]).done();
    let nothing = place.run(["undo", &id]).done();
    assert!(
        nothing.err.contains("there is nothing to take back"),
        "{}",
        nothing.err
    );
    // Earlier versions can be looked at all the while.
    assert_eq!(
        place
            .run(["show", &id, "--at", "14", "--json"])
            .done()
            .json()["view"],
        short
    );
    assert_eq!(
        place
            .run(["show", &id, "--at", "0", "--json"])
            .done()
            .json()["view"],
        json!([])
    );
    let beyond = place.run(["show", &id, "--at", "99"]);
    assert_eq!(beyond.code, 2);
    assert!(
        beyond.err.contains("hint: it is at version 17"),
        "{}",
        beyond.err
    );
}

#[test]
fn a_saved_plan_lands_unchanged_also_after_more_was_said_and_never_twice() {
    let (place, id) = with_talk(6);
    let planned = place
        .run([
            "plan",
            &id,
            "--last-turns",
            "2",
            "--save",
            "plan.json",
            "--json",
        ])
        .done()
        .json();
    assert_eq!(
        place.run(["show", &id, "--json"]).done().json()["version"],
        13,
        "nothing landed yet"
    );

    let landed = place.run(["commit", "plan.json", "--json"]).done().json();
    assert_eq!(landed["outcome"], "compacted");
    for field in ["covered", "pinned", "preserved", "before", "after", "view"] {
        assert_eq!(landed[field], planned[field], "{field}");
    }
    let again = place.run(["commit", "plan.json"]).done();
    assert_eq!(
        place.run(["show", &id, "--json"]).done().json()["version"],
        14,
        "{}",
        again.err
    );

    // Somebody else compacts first: the older plan does not land, and that is no failure.
    place
        .run(["plan", &id, "--last-turns", "1", "--save", "late.json"])
        .done();
    place.run(["undo", &id, "-q"]).done();
    let stale = place.run(["commit", "late.json", "--json"]).done().json();
    assert_eq!(
        (&stale["outcome"], &stale["reason"]),
        (&json!("stale"), &json!("session_changed"))
    );

    place
        .run(["plan", &id, "--tokens", "10m", "--save", "none.json"])
        .done();
    assert!(
        !place.dir.join("none.json").exists(),
        "there was nothing to plan"
    );
}

#[test]
fn a_fork_has_the_same_view_and_its_own_way_and_a_diff_names_what_changed() {
    let (place, id) = with_talk(4);
    place
        .run(["compact", &id, "--last-turns", "1", "-q"])
        .done();
    let fork = place.run(["fork", &id]).done().out.trim().to_owned();
    assert_eq!(fork, format!("{id}-fork-1"));
    let texts = |id: &str, args: &[&str]| -> Vec<String> {
        let shown = place
            .run(["show", id, "--json"].iter().chain(args))
            .done()
            .json();
        shown["view"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| text_of(&it["message"]))
            .collect()
    };
    assert_eq!(texts(&fork, &[]), texts(&id, &[]));
    place.run(["undo", &fork, "-q"]).done();
    assert_eq!((texts(&fork, &[]).len(), texts(&id, &[]).len()), (9, 3));

    let early = place
        .run(["fork", &id, "--at", "5", "--as", "early", "--json"])
        .done()
        .json();
    assert_eq!(
        early,
        json!({"session": "early", "parent": id, "version": 5})
    );
    assert_eq!(texts("early", &[]), texts(&id, &["--at", "5"]));
    let taken = place.run(["fork", &id, "--as", "early"]);
    assert_eq!(taken.code, 2);
    assert!(
        taken.err.contains("hint: choose another id with --as"),
        "{}",
        taken.err
    );

    let diff = place.run(["diff", &id, "9", "10", "--json"]).done().json();
    let sizes =
        ["left", "joined", "cleared", "stayed"].map(|list| diff[list].as_array().unwrap().len());
    assert_eq!(sizes, [6, 0, 0, 3]);
    let text = place.run(["diff", &id, "9", "10"]).done().out;
    assert!(
        text.contains("6 events left, 0 events joined, 3 events stayed"),
        "{text}"
    );
    assert_eq!(
        text.lines().filter(|line| line.starts_with("- ")).count(),
        6
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
fn completions_name_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.run(["completions", shell]).done().out;
        for command in ["compact", "import", "doctor"] {
            assert!(script.contains(command), "{shell} {command}");
        }
    }
}
