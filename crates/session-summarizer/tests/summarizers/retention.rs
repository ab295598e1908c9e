//! What counts as a specific, and what of it survives.

use proptest::prelude::*;
use session_log::{EventId, Message, NewEvent, Origin, Seq, Timestamp, ToolCall};
use session_summarizer::{Brief, LONG_TEXT, Retention, Shown, SpecificKind, specifics};

use crate::common::halyard;

/// Found in a text, one a line: a letter for the kind, and the words.
fn found(text: &str) -> String {
    let one = |it: &session_summarizer::Specific| {
        let kind = match it.kind {
            SpecificKind::Url => 'u',
            SpecificKind::Path => 'p',
            SpecificKind::Command => 'c',
            SpecificKind::Id => 'i',
            _ => 'n',
        };
        format!("{kind}:{}", it.text)
    };
    specifics(text)
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(" | ")
}

#[test]
fn specifics_are_known_by_their_shape() {
    let cases = [
        ("", ""),
        (
            "Plain words, and/or nothing else. TCP/IP is read/write.",
            "",
        ),
        (
            "See https://example.com/a?b=c#d, then http://x.y.",
            "u:https://example.com/a?b=c#d | u:http://x.y",
        ),
        (
            "src/a.rs:88:9 (./b/c.py) ~/x/y /etc/hosts ../up",
            "p:src/a.rs | n:88 | p:./b/c.py | p:~/x/y | p:/etc/hosts | p:../up",
        ),
        (
            "C:\\Users\\me\\a.txt and dir\\file.rs",
            "p:C:\\Users\\me\\a.txt | p:file.rs",
        ),
        (
            "**Makefile**, `Cargo.toml`, \"a b.json\", .env",
            "p:Makefile | p:Cargo.toml | p:b.json | p:.env",
        ),
        (
            "feat/idempotent-refunds src/ledger client/server",
            "i:feat/idempotent-refunds | p:src/ledger",
        ),
        (
            "9f3c2ab BILL-4417 E0502 apply_batch AgentSession std::sync::Arc",
            "i:9f3c2ab | i:BILL-4417 | i:E0502 | i:apply_batch | i:AgentSession | i:std::sync::Arc",
        ),
        ("batch.rs::apply_batch", "p:batch.rs | i:apply_batch"),
        (
            "HALYARD_MAX_RETRIES=7 and KEY=value",
            "i:HALYARD_MAX_RETRIES",
        ),
        (
            "550e8400-e29b-41d4-a716-446655440000",
            "i:550e8400-e29b-41d4-a716-446655440000",
        ),
        (
            "6543, 20,000 3.5 v1.2.3 2024-03-14 12:30 840ms 7% 5 GB 8GB",
            "n:6543 | n:20,000 | n:3.5 | n:v1.2.3 | n:2024-03-14 | n:12:30 | n:840ms | n:7% | n:8GB",
        ),
        (
            "at 2031-02-03T00:12:00Z, not 2031-02-03T00:12:00.5+01:00 or Tuesday:",
            "n:2031-02-03T00:12:00Z | n:2031-02-03T00:12:00.5+01:00",
        ),
        ("1 or 2 of them, 3rd", ""),
        ("12. twelfth\n[13] user: hi\n 14) fourteenth", ""),
        (
            "$ make all\n```sh\n# note\nls -la\n```\n`cargo test -q` `cargo` `not a command`",
            "c:make all | c:ls -la | c:cargo test -q",
        ),
        (
            "修改了src/main.rs文件，端口6543。",
            "p:src/main.rs | n:6543",
        ),
        ("{\"path\":\"a/b.rs\",\"line\":42}", "p:a/b.rs | n:42"),
        ("Use it twice: a_b a_b A_B", "i:a_b"),
        ("don't e.g. this, i.e. that...", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(found(text), expected, "{text:?}");
    }
    let payload = format!("x{}", "A9b".repeat(200));
    assert_eq!(found(&payload), "");
}

#[test]
fn spellings_of_the_same_thing_are_one() {
    let cases = [
        ("port 20,000", "port 20000", 1000),
        ("took 840ms", "took 840 ms", 1000),
        ("version v1.2.3", "version 1.2.3", 1000),
        ("edit ./src/a/batch.rs", "edited batch.rs", 1000),
        ("see https://example.com/x/", "see example.com/x", 1000),
        ("run `cargo test -p a -q`", "ran cargo test", 1000),
        ("BILL-4417", "bill-4417", 1000),
        ("port 6543", "port 65431", 0),
        ("src/a/batch.rs", "a batch of things", 0),
    ];
    for (said, summary, expected) in cases {
        let retention = Retention::of(&[Message::user(said)], summary);
        assert_eq!(
            retention.total().per_mille(),
            Some(expected),
            "{said:?} in {summary:?}"
        );
    }
}

#[test]
fn what_only_a_tool_or_a_paste_said_does_not_count() {
    let talk = [
        Message::user("List it."),
        Message::tool_calls([ToolCall::new(
            "k",
            "shell",
            r#"{"command":"ls -la src","limit":250}"#,
        )]),
        Message::tool_result("k", "src/a.rs src/b.rs 4711"),
        Message::assistant("There is src/a.rs."),
        Message::user(format!("log: {} x_secret_x", "w ".repeat(LONG_TEXT))),
    ];
    let retention = Retention::of(&talk, "");
    let lost: Vec<_> = retention.lost().iter().map(|it| it.text.as_str()).collect();
    assert_eq!(lost, ["ls -la src", "250", "src/a.rs"]);
    assert_eq!(retention.commands.of, 1);
    assert_eq!(retention.paths.of, 1);
    assert_eq!(retention.numbers.of, 1);
}

#[test]
fn the_prior_summary_and_pins_count_too() {
    let talk = [Message::user("Go on with a_b.")];
    let brief = Brief::new(&talk).with_prior("Port 6543, BILL-4417.");
    let text = "BILL-4417 and a_b; keep  the\nlight on.";
    let retention =
        Retention::of_brief(&brief, text).with_pins(["keep the light on", "never lie"], text);
    assert_eq!((retention.ids.kept, retention.ids.of), (2, 2));
    assert_eq!((retention.numbers.kept, retention.numbers.of), (0, 1));
    assert_eq!((retention.pins.kept, retention.pins.of), (1, 2));
    assert_eq!(retention.total().per_mille(), Some(600));

    let nothing = Retention::of(&[Message::user("hello there")], "hi");
    assert_eq!(nothing.total().per_mille(), None);
}

#[test]
fn what_an_event_of_the_log_holds_can_be_recalled_and_nothing_else() {
    let event = |id: &str, text: &str, origin| {
        NewEvent::message(
            EventId::new(id).unwrap(),
            Timestamp::from_millis(0),
            Message::user(text),
        )
        .with_origin(origin)
        .at(Seq::FIRST)
    };
    let log = [
        event("e1", "Fix BILL-4417 on port 6543.", Origin::Real),
        event("e2", "Step 99 of 120 is next.", Origin::Injected),
    ];
    let brief =
        Brief::new(log.iter().filter_map(Shown::of_event)).with_prior("See 6543 and WEB-12.");
    let retention = Retention::of_brief(&brief, "BILL-4417 is fixed.");
    let lost: Vec<_> = retention.lost().iter().map(|it| it.text.as_str()).collect();
    assert_eq!(lost, ["6543", "WEB-12", "99", "120"]);
    let (total, recallable) = (retention.total(), retention.recallable());
    assert_eq!((total.kept, total.of), (1, 5));
    assert_eq!(
        (recallable.kept, recallable.of),
        (2, 5),
        "6543 is in the log"
    );

    let without_log = Retention::of(&[Message::user("Port 6543.")], "");
    assert_eq!(without_log.recallable().kept, 0);
}

/// The recorded summaries, from worst to best, in the order a reader would give them.
#[test]
fn better_summaries_score_higher() {
    let text = include_str!("../data/summaries.json");
    let records: serde_json::Value = serde_json::from_str(text).unwrap();
    let talk = halyard();
    let score = |name: &str| {
        let records = records.as_array().unwrap();
        let record = records.iter().find(|it| it["name"] == name).unwrap();
        let retention = Retention::of(&talk, record["text"].as_str().unwrap());
        retention.total().per_mille().unwrap()
    };
    for bad in [
        "bad_summary_empty_sections",
        "bad_summary_loop",
        "bad_summary_parrot",
        "length_cut",
    ] {
        assert_eq!(score(bad), 0, "{bad}");
    }
    assert!(score("json_schema_ok") < score("summary_good_stream"));
    assert!(score("summary_good_stream") <= score("gold_summary"));
    assert!(score("summary_good") >= 650);
}

proptest! {
    /// The score is a share: between nothing and all, all when the text is everything that was
    /// said, and no less when the text grows.
    #[test]
    fn the_score_is_a_share_that_grows_with_the_text(
        said in prop::collection::vec("[a-zA-Z0-9_./:, =-]{0,60}", 1..6),
        text in "[a-zA-Z0-9_./:, =-]{0,60}",
        more in any::<String>(),
    ) {
        let talk: Vec<_> = said.iter().map(Message::user).collect();
        let some = Retention::of(&talk, &text);
        let total = some.total();
        prop_assert!(total.kept <= total.of);
        prop_assert_eq!(some.lost().len() as u64, total.of - total.kept);

        let grown = Retention::of(&talk, &format!("{text}\n{more}"));
        prop_assert_eq!(grown.total().of, total.of);
        prop_assert!(grown.total().kept >= total.kept);

        let all = Retention::of(&talk, &said.join("\n"));
        prop_assert_eq!(all.total().kept, all.total().of, "{:?}", all.lost());
    }
}
