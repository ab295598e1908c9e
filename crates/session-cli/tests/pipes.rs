//! On a pipe there is nothing but the result: no colours, no progress; and a reader may stop reading.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use std::io::Read as _;
use std::process::Stdio;

use common::{Place, Ran, examples, talk};

#[test]
fn a_reader_that_stops_reading_ends_the_command_in_peace() {
    let place = Place::new();
    // More than any pipe holds, so that the command does notice.
    let file = place.file("talk.json", talk(20_000));
    for args in [
        vec![
            "compact",
            &file,
            "-q",
            "--tokens",
            "100m",
            "--encoding",
            "bytes4",
        ],
        vec![
            "compact",
            &file,
            "-q",
            "--json",
            "--tokens",
            "100m",
            "--encoding",
            "bytes4",
        ],
        vec!["completions", "zsh"],
        vec!["compact", "--help"],
    ] {
        let mut child = place
            .command(&args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0_u8; 16];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_a_failure() {
    let place = Place::new();
    let file = place.file("talk.json", talk(3));
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = place
        .command(["compact", &file, "-q"])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let ran = Ran::from(output);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err
            .contains("cannot write to standard output: no space left on device"),
        "{}",
        ran.err
    );
}

#[test]
fn there_are_no_colours_and_no_progress_on_a_pipe_and_colours_when_forced() {
    let place = Place::new();
    let file = place.file("talk.json", talk(9));
    for args in [
        ["compact", &file, "--last-turns", "2"],
        ["plan", &file, "--last-turns", "2"],
        ["stats", &file, "--top", "2"],
    ] {
        let ran = place.run(args).done();
        assert!(
            !ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'),
            "{args:?}"
        );
        assert!(
            !ran.out.contains('\r') && !ran.err.contains('\r'),
            "{args:?}"
        );

        let forced = place
            .command(args)
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap();
        let forced = Ran::from(forced);
        assert!(
            forced.out.contains('\u{1b}') || forced.err.contains('\u{1b}'),
            "{args:?}"
        );
        let plain = place
            .command(args)
            .env("CLICOLOR_FORCE", "1")
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        let plain = Ran::from(plain);
        assert!(
            !plain.out.contains('\u{1b}') && !plain.err.contains('\u{1b}'),
            "{args:?}"
        );
    }
}

#[test]
fn nothing_in_a_transcript_can_drive_the_terminal() {
    let place = Place::new();
    let evil = r#"[{"role":"user","content":"\u001b]0;title\u0007 \u001b[2J \u202e hello \u009b31m"},{"role":"assistant","content":"ok","tool_calls":[{"id":"k","type":"function","function":{"name":"\u001b[31mred","arguments":"{}"}}]},{"role":"tool","tool_call_id":"k","content":"\u001b[5m"},{"role":"user","content":"next"}]"#;
    let file = place.file("evil.json", evil);
    place.run(["import", &file, "-q"]).done();
    let sessions = place.run(["sessions", "--json"]).done().json();
    let id = sessions[0]["session"].as_str().unwrap().to_owned();
    for args in [
        vec!["plan", &file, "--last-turns", "1"],
        vec!["stats", &file],
        vec!["show", &id],
        vec!["show", &id, "--full"],
        vec!["show", &id, "--log", "--width", "20"],
    ] {
        let ran = place.run(&args).done();
        for c in ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}'] {
            assert!(
                !ran.out.contains(c) && !ran.err.contains(c),
                "{args:?} lets {c:?} through"
            );
        }
    }
}

#[test]
fn each_command_prints_one_json_document_and_nothing_else() {
    let place = Place::new();
    for path in examples() {
        let file = path.to_str().unwrap();
        place.run(["import", file, "--json"]).done().json();
        for args in [["compact", file], ["plan", file], ["stats", file]] {
            let ran = place.run([args[0], args[1], "--json"]).done();
            assert_eq!(ran.out.lines().count(), 1, "{args:?}");
            assert!(ran.json().is_object(), "{args:?}");
            assert_eq!(ran.err, "", "{args:?}");
        }
    }
    let sessions = place.run(["sessions", "--json"]).done().json();
    for session in sessions.as_array().unwrap() {
        let id = session["session"].as_str().unwrap();
        for args in [
            vec!["show", id],
            vec!["show", id, "--log"],
            vec!["export", id],
            vec!["stats", id],
            vec!["plan", id],
        ] {
            let ran = place.run(args.iter().copied().chain(["--json"])).done();
            assert_eq!(ran.out.lines().count(), 1, "{args:?}");
            assert!(ran.json().is_object(), "{args:?}");
            assert_eq!(ran.err, "", "{args:?}");
        }
    }
}
