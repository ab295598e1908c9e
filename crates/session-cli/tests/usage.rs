//! Wrong usage is told with what to do, and every command explains itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use common::{Place, check, talk};

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
    let by_command = place.run(["help", "compact"]).done();
    assert_eq!(by_command.out, place.run(["compact", "--help"]).done().out);
    place.file("talk.json", talk(1));
    let alone = place.run(["talk.json"]);
    assert_eq!((alone.code, alone.out.as_str()), (2, ""));
    assert!(
        alone.err.contains("hint: `compaction compact talk.json`"),
        "{}",
        alone.err
    );
    let version = place.run(["--version"]).done();
    assert!(version.out.starts_with("compaction "), "{}", version.out);
}
