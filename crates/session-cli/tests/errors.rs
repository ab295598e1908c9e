//! What goes wrong ends with a message, a hint and an exit code, and with nothing on standard output.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use common::{Place, check, talk};

#[test]
fn input_that_cannot_be_read_exits_with_2_and_says_where() {
    let place = Place::new();
    std::fs::create_dir(place.dir.join("folder")).unwrap();
    place.file("empty.json", "");
    place.file("blank.json", " \n\n");
    place.file("nul.jsonl", [0_u8; 300]);
    place.file("prose.txt", "Dear diary,\ntoday I talked to a machine.\n");
    place.file("number.json", "42");
    place.file("other.json", r#"{"name": "not a talk", "version": 3}"#);
    place.file("error.json", r#"{"error": {"message": "overloaded"}}"#);
    place.file("archive.eval", b"PK\x03\x04 and so on");
    place.file("broken.gz", b"\x1f\x8b\x09nonsense and more of it");
    place.file("talk.json", talk(1));
    check(
        &place,
        &[
            (
                &["compact", "missing.json"],
                2,
                &[
                    "error: no file and no session is named missing.json",
                    "looked for the file missing.json: no such file or directory",
                    "looked for the session in sqlite:store.db, which does not exist",
                    "hint: ",
                ],
            ),
            (
                &["compact", "folder"],
                2,
                &["looked for the file folder: it is a folder"],
            ),
            (
                &["compact", "./folder/"],
                2,
                &["./folder/ is a folder, not a file"],
            ),
            (
                &["compact", "talk.json/x.json"],
                2,
                &["cannot read talk.json/x.json: not a directory"],
            ),
            (
                &["compact", "--as-session", "talk.json"],
                2,
                &["no session is named talk.json"],
            ),
            (
                &["compact", "empty.json"],
                2,
                &["empty.json: the file is empty", "hint: "],
            ),
            (
                &["stats", "blank.json"],
                2,
                &["blank.json: the file is empty"],
            ),
            (&["plan", "nul.jsonl"], 2, &["nul.jsonl: the file is empty"]),
            (
                &["compact", "prose.txt"],
                2,
                &["prose.txt: no JSON found: line 1 (byte 0)", "hint: "],
            ),
            (
                &["compact", "number.json"],
                2,
                &[
                    "number.json: line 1 is JSON but no transcript",
                    "hint: name the format with --from",
                ],
            ),
            (
                &["compact", "other.json"],
                2,
                &["other.json: line 1 is JSON but no transcript"],
            ),
            (
                &["compact", "error.json"],
                2,
                &["an error reply of a server"],
            ),
            (
                &["compact", "archive.eval"],
                2,
                &["damaged ZIP archive", "hint: give an undamaged copy"],
            ),
            (&["compact", "broken.gz"], 2, &["damaged gzip data"]),
            (
                &["compact", "talk.json", "--from", "claude-code"],
                2,
                &[
                    "no record of format claude-code found",
                    "hint: it looks like openai-chat: use --from openai-chat",
                ],
            ),
            (
                &["compact", "gone", "--from", "anthropic"],
                2,
                &["--from is about a file, and gone is none"],
            ),
            (
                &["compact", "gone", "--conversation", "1"],
                2,
                &["--conversation is about a file, and gone is none"],
            ),
            (
                &["show", "gone"],
                2,
                &[
                    "there is no store at sqlite:store.db",
                    "hint: `compaction import FILE` makes one",
                ],
            ),
        ],
    );
    assert!(
        !place.dir.join("store.db").exists(),
        "looking for something makes no file"
    );
}

#[cfg(unix)]
#[test]
fn names_that_are_no_unicode_are_names_all_the_same() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::new();
    let name = OsStr::from_bytes(b"t\xe4lk.json");
    let ran = place.run([OsStr::new("compact"), name]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains("no file and no session is named t\u{fffd}lk.json"),
        "{}",
        ran.err
    );
    std::fs::write(place.dir.join(name), talk(3)).unwrap();
    let ran = place
        .run([OsStr::new("compact"), name, OsStr::new("--last-turns=1")])
        .done();
    assert!(
        ran.err.contains("compacted t\u{fffd}lk.json"),
        "{}",
        ran.err
    );
    let ran = place.run([OsStr::new("compact"), OsStr::new("--from"), name, name]);
    assert_eq!(ran.code, 2);
}

#[test]
fn a_store_that_cannot_be_opened_is_told_with_its_cause() {
    let place = Place::new();
    place.file("talk.json", talk(1));
    place.file(
        "other.db",
        "this is no database at all, but it is long enough to be looked at as one",
    );
    check(
        &place,
        &[
            (
                &["--store", "store.db", "sessions"],
                2,
                &[
                    "no store has the address \"store.db\"",
                    "hint: write sqlite:PATH, postgres:",
                ],
            ),
            (
                &["--store", "sqlite:other.db", "sessions"],
                1,
                &["cannot open the store other.db", "hint: "],
            ),
            (
                &["--store", "sqlite:talk.json/x/s.db", "import", "talk.json"],
                1,
                &["talk.json/x"],
            ),
        ],
    );
}

#[cfg(feature = "http")]
#[test]
fn a_model_that_cannot_be_asked_is_told_and_nothing_is_compacted() {
    let place = Place::new();
    place.file("talk.json", talk(9));
    let mut command = place.command([
        "compact",
        "talk.json",
        "--last-turns",
        "1",
        "--summarizer",
        "openai:small",
    ]);
    command.env_remove("OPENAI_API_KEY");
    let ran = common::Ran::from(command.output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(
        ran.err
            .contains("set the environment variable OPENAI_API_KEY"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("hint: "), "{}", ran.err);

    // A server that answers with a fault that asking again does not mend.
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", server.local_addr().unwrap());
    let answers = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = server.accept().unwrap();
        let mut seen = Vec::new();
        let mut buffer = [0_u8; 4096];
        while !seen.ends_with(b"}") {
            let count = stream.read(&mut buffer).unwrap();
            if count == 0 {
                break;
            }
            seen.extend_from_slice(&buffer[..count]);
        }
        let body = r#"{"error":{"message":"no such model"}}"#;
        let head = format!(
            "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream
            .write_all(format!("{head}{body}").as_bytes())
            .unwrap();
    });
    let args = [
        "compact",
        "talk.json",
        "--last-turns",
        "1",
        "--summarizer",
        "openai:small",
        "--base-url",
        &url,
    ];
    let ran = place.run(args);
    answers.join().unwrap();
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert!(
        ran.err.contains("error: the summarizer failed") && ran.err.contains("because: "),
        "{}",
        ran.err
    );
}

#[cfg(feature = "postgres")]
#[test]
fn a_database_that_cannot_be_reached_is_told_without_the_password() {
    let place = Place::new();
    place.file("talk.json", talk(1));
    let url = "postgres://ann:secret@127.0.0.1:1/db";
    let ran = place.run(["--store", url, "import", "talk.json"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err
            .contains("cannot open the store postgres://127.0.0.1:1/db"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("hint: check that the server runs"),
        "{}",
        ran.err
    );
    assert!(
        !ran.err.contains("secret") && !ran.err.contains("ann:"),
        "{}",
        ran.err
    );
}
