//! What was not compacted comes out as it came in, in the container it came in.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use common::Place;
use serde_json::{Value, json};

/// The JSON values of a text: one, or one a line.
fn values(text: &str) -> Vec<Value> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    values.map(Result::unwrap).collect()
}

/// An array of one run lost its brackets, an array of ShareGPT became lines, one behind a comment too,
/// and the trajectory of a sub-agent came out twice: in that of its parent, and behind it.
#[test]
fn a_file_that_is_not_compacted_comes_out_in_the_container_it_came_in() {
    let place = Place::new();
    let said =
        json!([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]);
    let run = |number: u8| json!({"task_id": number, "traj": said, "info": {}});
    let taught = |number: u8| json!({"id": number, "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]});
    let steps = json!([{"step_id": 1, "source": "user", "message": "Hi"}]);
    let agent = json!({"name": "a", "version": "1"});
    let side =
        json!({"schema_version": "ATIF-v1.6", "session_id": "b", "agent": agent, "steps": steps});
    let whole = json!({"schema_version": "ATIF-v1.6", "session_id": "a", "agent": agent, "steps": steps, "subagent_trajectories": [side]});
    let line = json!({"type": "user", "uuid": "u", "parentUuid": null, "sessionId": "s", "message": {"role": "user", "content": "Hi"}});
    for file in [
        said.to_string(),
        json!([run(1)]).to_string(),
        json!([run(1), run(2)]).to_string(),
        format!("{}\n{}\n", run(1), run(2)),
        json!([taught(1)]).to_string(),
        json!([taught(1), taught(2)]).to_string(),
        format!("{}\n{}\n", taught(1), taught(2)),
        format!("// of a log\n{}", json!([run(1), run(2)])),
        whole.to_string(),
        line.to_string(),
    ] {
        let path = place.file("talk.json", &file);
        let ran = place.run(["compact", &path, "-q"]).done();
        let wanted = values(file.trim_start_matches("// of a log"));
        assert_eq!(values(&ran.out), wanted, "{file}");
        assert!(ran.out.ends_with('\n'), "{file}");
    }

    // What is taken out of an array is no array, and neither is what has lines.
    let path = place.file("talk.json", json!([run(1), run(2)]).to_string());
    let one = place
        .run(["compact", &path, "-q", "--conversation", "2"])
        .done();
    assert_eq!(values(&one.out), [run(2)]);
    let lines = place
        .run(["compact", &path, "-q", "--to", "claude-code"])
        .done();
    assert_eq!(values(&lines.out).len(), 4);
    let lists = place
        .run(["compact", &path, "-q", "--to", "anthropic"])
        .done();
    assert_eq!(values(&lists.out), [json!([said, said])]);
    let path = place.file("talk.json", json!([run(1)]).to_string());
    let list = place
        .run(["compact", &path, "-q", "--to", "anthropic"])
        .done();
    assert_eq!(values(&list.out), [said]);
}

/// A file that `export` wrote had no end of its last line.
#[test]
fn a_session_is_exported_to_a_file_as_to_standard_output() {
    let place = Place::new();
    let file = place.file("talk.json", common::talk(2));
    let imported = place.run(["import", &file, "--json"]).done().json();
    let id = imported[0]["sessions"][0]["session"]
        .as_str()
        .unwrap()
        .to_owned();
    for more in [&[][..], &["--request"], &["--log", "--to", "jsonl"]] {
        let args = ["export", &id].into_iter().chain(more.iter().copied());
        let printed = place.run(args.clone()).done().out;
        place.run(args.chain(["-o", "out"])).done();
        assert_eq!(place.read("out"), printed, "{more:?}");
    }
}

/// A link to a file that was not there yet was replaced by the file.
#[cfg(unix)]
#[test]
fn a_link_to_a_file_that_is_not_there_yet_stays_a_link() {
    let place = Place::new();
    let file = place.file("talk.json", common::talk(2));
    std::fs::create_dir(place.dir.join("folder")).unwrap();
    std::os::unix::fs::symlink("new.json", place.dir.join("folder/second")).unwrap();
    std::os::unix::fs::symlink("folder/second", place.dir.join("first")).unwrap();
    place.run(["compact", &file, "-q", "-o", "first"]).done();
    assert!(place.dir.join("first").is_symlink() && place.dir.join("folder/second").is_symlink());
    assert_eq!(
        values(&place.read("folder/new.json")),
        values(&common::talk(2))
    );
}

/// A name of a file with control characters in it was sent to the terminal as it was.
#[cfg(unix)]
#[test]
fn no_name_of_a_file_can_drive_the_terminal() {
    let place = Place::new();
    let evil = "a\n\u{1b}[31m\u{9b}\u{202e}b.json";
    let talk = common::talk(3).replace("\"assistant\"", "\"\"");
    let broken = format!("{talk}\nbroken");
    for content in [common::talk(3), broken, String::new()] {
        place.file(evil, content);
        for args in [
            &["compact", evil, "--last-turns", "1"][..],
            &["plan", evil],
            &["stats", evil],
            &["compare", evil],
            &["tokens", evil],
            &["import", evil],
            &["report", evil, "-o", "page.html"],
            &["compact", "page.html", "-o", evil],
            &["compact", evil, "-o", evil],
            &["commit", evil],
            &["stats", "gone\u{1b}[31m\n"],
            &["show", "gone\u{1b}[31m\n"],
            &["delete", "gone\u{1b}[31m\n"],
            &["compact", evil, "--pin", "\u{1b}"],
            &["compact", evil, "--conversation", "\u{1b}"],
            &["sessions"],
        ] {
            let ran = place.run(args);
            for c in ['\u{1b}', '\u{9b}', '\u{202e}'] {
                let is_quiet = !ran.out.contains(c) && !ran.err.contains(c);
                let is_transcript = args[0] == "compact" && ran.code == 0;
                assert!(
                    is_quiet || is_transcript,
                    "{args:?} lets {c:?} through: {}",
                    ran.err
                );
            }
            let is_line = |line: &str| !line.starts_with("\u{241b}") && !line.ends_with(" a");
            assert!(ran.err.lines().all(is_line), "{args:?}: {}", ran.err);
        }
    }
}
