//! What goes wrong ends with a message, a hint and an exit code, and with nothing on standard output.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use common::{Place, talk};

/// A call, its exit code, and what standard error says.
type Case = (&'static [&'static str], i32, &'static [&'static str]);

#[track_caller]
fn check(place: &Place, cases: &[Case]) {
    for (args, code, said) in cases {
        let ran = place.run(*args);
        assert_eq!(ran.code, *code, "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{args:?}");
        for part in *said {
            assert!(
                ran.err.contains(part),
                "{args:?} does not say {part:?}:\n{}",
                ran.err
            );
        }
        assert!(!ran.err.contains("panicked"), "{args:?}: {}", ran.err);
        assert!(!ran.err.contains('\u{1b}'), "{args:?}: colours on a pipe");
    }
}

#[test]
fn wrong_usage_exits_with_2_and_says_what_to_do() {
    let place = Place::new();
    place.file("talk.json", talk(3));
    check(
        &place,
        &[
            (
                &["frobnicate"],
                2,
                &["unrecognized subcommand 'frobnicate'"],
            ),
            (&["compact"], 2, &["<SOURCE>"]),
            (
                &["compact", "talk.json", "--last-turns", "0"],
                2,
                &["error: --last-turns must be greater than 0", "hint: "],
            ),
            (
                &["compact", "talk.json", "--last-events", "0"],
                2,
                &["--last-events must be greater than 0"],
            ),
            (
                &["compact", "talk.json", "--tokens", "0"],
                2,
                &["--tokens must be greater than 0"],
            ),
            (
                &["compact", "talk.json", "--tokens=-5"],
                2,
                &["expected a whole number, such as 8000 or 8k"],
            ),
            (
                &["compact", "talk.json", "--tokens", "many"],
                2,
                &["expected a whole number"],
            ),
            (
                &["compact", "talk.json", "--tokens", "99999999999999999999"],
                2,
                &["the number is too large"],
            ),
            (
                &["compact", "talk.json", "--tokens", "5", "--last-turns", "5"],
                2,
                &["cannot be used with"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--last-events",
                    "5",
                    "--last-turns",
                    "5",
                ],
                2,
                &["cannot be used with"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "turn-window",
                    "--last-turns",
                    "5",
                ],
                2,
                &["cannot be used with"],
            ),
            (
                &["compact", "talk.json", "--reserve", "9000"],
                2,
                &["--reserve 9000 must be smaller than --tokens 8000"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--last-turns",
                    "2",
                    "--reserve",
                    "9",
                ],
                2,
                &[
                    "--reserve is a part of a token budget",
                    "hint: use it with --tokens N",
                ],
            ),
            (
                &["compact", "talk.json", "--strategy", "window"],
                2,
                &["invalid value 'window'", "sliding-window"],
            ),
            (
                &["compact", "talk.json", "--strategy", "fixed"],
                2,
                &["the strategy fixed is not built into this command"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "turn-window",
                    "--max-turns",
                    "0",
                ],
                2,
                &["--max-turns must be greater than 0"],
            ),
            (
                &["compact", "talk.json", "--max-turns", "3"],
                2,
                &[
                    "--max-turns is a setting of --strategy turn-window",
                    "hint: add --strategy turn-window",
                ],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "recursive-summarization",
                ],
                2,
                &["needs a summarizer", "hint: --summarizer ledger"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "recursive-summarization",
                    "--summarizer",
                    "ledger",
                    "--max-events-to-keep",
                    "2",
                    "--overlap-size",
                    "2",
                ],
                2,
                &["--overlap-size 2 must be smaller than --max-events-to-keep 2"],
            ),
            (
                &["compact", "talk.json", "--summarizer", "openai:"],
                2,
                &["the name of the model is missing"],
            ),
            (
                &["compact", "talk.json", "--base-url", "http://localhost:1"],
                2,
                &["--base-url is the address of a model, and none is asked"],
            ),
            (
                &["compact", "talk.json", "--summarizer", "x"],
                2,
                &["expected none, ledger, or openai:"],
            ),
            (
                &["compact", "talk.json", "--keep-results", "3"],
                2,
                &["--clear-results"],
            ),
            (
                &["compact", "talk.json", "--when", "turns"],
                2,
                &["quote it, since to the shell an open > writes a file"],
            ),
            (
                &["compact", "talk.json", "--when", "steps>3"],
                2,
                &["expected 'turns>N', 'events>N', 'tokens>=N'"],
            ),
            (
                &["compact", "talk.json", "--when", "turns>0"],
                2,
                &["the turn count must be greater than 0"],
            ),
            (
                &["compact", "talk.json", "--when", "fraction>=0.5"],
                2,
                &["hint: name the --model, or write the size behind it"],
            ),
            (
                &["compact", "talk.json", "--when", "fraction>=1.5:100"],
                2,
                &["expected a fraction between 0 and 1"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--last-turns",
                    "5",
                    "--when",
                    "turns>2",
                ],
                2,
                &["more than 2 turns", "5 turns", "hint: "],
            ),
            (
                &["compact", "talk.json", "--encoding", "klingon"],
                2,
                &[
                    "no encoding is named \"klingon\"",
                    "hint: choose one of o200k_base, ",
                ],
            ),
            (
                &["compact", "talk.json", "--model", "abacus-1"],
                2,
                &["nothing is known of a model named \"abacus-1\""],
            ),
            (
                &["compact", "talk.json", "--to", "word"],
                2,
                &["expected one of openai-chat, anthropic, claude-code, "],
            ),
            (
                &["compact", "talk.json", "--from", "word"],
                2,
                &["expected one of openai-chat"],
            ),
            (
                &["plan", "talk.json", "--save", "p.json"],
                2,
                &["--save is for a session"],
            ),
            (
                &["commit", "talk.json"],
                2,
                &[
                    "talk.json: this is no plan: ",
                    "hint: `compaction plan SESSION --save FILE` writes one",
                ],
            ),
            (&["completions", "cmd"], 2, &["invalid value 'cmd'"]),
        ],
    );
}

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
                &["a ZIP archive", "hint: unpack it"],
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

#[test]
fn help_goes_to_standard_output_and_ends_with_examples_and_exit_codes() {
    let place = Place::new();
    let commands = [
        "compact",
        "plan",
        "stats",
        "import",
        "sessions",
        "show",
        "export",
        "completions",
        "commit",
        "compare",
        "search",
        "undo",
        "redo",
        "fork",
        "diff",
        "delete",
        "expire",
        "tokens",
        "doctor",
    ];
    for command in commands {
        let ran = place.run([command, "--help"]).done();
        assert_eq!(ran.err, "", "{command}");
        assert!(ran.out.contains("Usage: compaction "), "{command}");
        assert!(
            ran.out.contains("\nExamples:\n  compaction"),
            "{command}: {}",
            ran.out
        );
        assert!(
            ran.out
                .contains("Exit codes: 0 done, 1 the work failed, 2 wrong usage"),
            "{command}"
        );
        assert!(
            ran.out.lines().all(|line| line.chars().count() <= 100),
            "{command}: {}",
            ran.out
        );
    }
    let ran = place.run(["--help"]).done();
    for command in commands {
        assert!(
            ran.out.contains(&format!("\n  {command} ")),
            "{command} is listed"
        );
    }
    let none = place.run([""; 0]);
    assert_eq!(none.code, 2);
    assert!(
        none.err.contains("Usage: compaction ") && none.err.contains("\nExamples:\n"),
        "{}",
        none.err
    );
    assert_eq!(none.out, "");
    let version = place.run(["--version"]).done();
    assert!(version.out.starts_with("compaction "), "{}", version.out);
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
    let url = "postgres://ann:secret@127.0.0.1:1/db?connect_timeout=1";
    let ran = place.run(["--store", url, "import", "talk.json"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err
            .contains("cannot open the store postgres://127.0.0.1:1/db"),
        "{}",
        ran.err
    );
    assert!(
        !ran.err.contains("secret") && !ran.err.contains("ann:"),
        "{}",
        ran.err
    );
}
