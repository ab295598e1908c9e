//! One case a line: a text, and the fault it has or has not.

use proptest::prelude::*;
use session_log::Message;
use session_summarizer::{Brief, Fault, Finish, Prompt, Section, Sizes, Summary, Template, check};

use crate::common::{BytesDiv4, halyard};

#[track_caller]
fn check_text(text: &str, expected: Option<&str>) {
    let talk = halyard();
    let brief = Brief::new(&talk);
    let summary = Summary::new(text, "m").unwrap();
    let sizes = Sizes::measure(&summary, &brief, &BytesDiv4);
    let fault = check(&summary, &brief, sizes).err();
    assert_eq!(fault.as_ref().map(Fault::name), expected, "{text:?}");
}

#[test]
fn refusals_and_questions_back_are_refused() {
    for text in [
        "I'm sorry, but I can't assist with that request.",
        "I’m sorry, but I cannot summarize this conversation.",
        "Sorry, I can't help with that.",
        "I cannot continue with this request as it goes against my guidelines.",
        "I am unable to process this content.",
        "As an AI language model, I do not have access to earlier messages.",
        "Unfortunately, I am not able to help here.",
        "Please provide the conversation you would like me to summarize.",
        "Could you please provide the text of the conversation?",
        "I don't see any conversation to summarize. Nothing was asked.",
        "There is no conversation to summarize yet.",
        "**I'm sorry**, I can't do that.",
        "\"I apologize, but this is not something I can do.\"",
        "Es tut mir leid, dabei kann ich nicht helfen.",
        "Lo siento, no puedo ayudar con eso.",
        "对不起，我无法完成这个请求。",
        "申し訳ありませんが、お手伝いできません。",
    ] {
        check_text(text, Some("refusal"));
    }
}

#[test]
fn texts_of_errors_are_refused() {
    for text in [
        "Error: connect ECONNREFUSED",
        "Error code: 429 - rate limit reached for requests",
        "An error occurred while generating the response.",
        "Internal Server Error",
        "502 Bad Gateway",
        "upstream connect error or disconnect/reset before headers",
        "Request timed out.",
        "stream cut after 12 bytes",
        "java.net.SocketTimeoutException: timeout",
        "openai.RateLimitError: You exceeded your current quota.",
        "Traceback (most recent call last):\n  File \"main.py\", line 3",
        "Connection reset by peer",
        "HTTP 503: no healthy upstream",
        "{\"error\":{\"message\":\"model overloaded\",\"type\":\"overloaded_error\"}}",
        "{\"type\":\"error\",\"message\":\"busy\"}",
        "<!DOCTYPE html><html><body><h1>502</h1></body></html>",
        "<html><head><title>Just a moment...</title></head></html>",
    ] {
        check_text(text, Some("error_text"));
    }
}

#[test]
fn sound_summaries_with_such_words_in_them_are_accepted() {
    for text in [
        "The person apologized for the delay; refunds must be idempotent.",
        "Errors: E0502 in src/ledger/batch.rs, fixed.",
        "Error E0502 in src/ledger/batch.rs line 88 was fixed by collecting rows into a Vec.",
        "I cannot edit legacy/tax_rules.py. Staging is on port 6543, HALYARD_MAX_RETRIES is 7.",
        "The assistant could not see the gateway and reported a timeout to the person.",
        "{\"goal\":\"idempotent refunds\",\"errors\":[\"E0502\"],\"error\":null}",
        "None of the locks use Redis.",
        "退款必须是幂等的。决定使用 PostgreSQL 的咨询锁，不用 Redis。",
        "Goal: idempotent refunds.",
        "# Refunds are idempotent now\n\n- locks chosen",
        "Done:\n- refunds",
        "## Port\n6543\n## Retries\n7",
    ] {
        check_text(text, None);
    }
}

#[test]
fn headings_with_nothing_under_them_are_hollow() {
    for text in [
        "## Goal\n## Decisions",
        "Summary:",
        "**Goal**\n**Decisions:**\n\n---",
        "## Goal\nNone.\n## Decisions\n- N/A\n## Files\n(none)",
        "Goal:\n- \nDecisions:\n* None noted.",
        "## Ziel\nkeine\n## Dateien\n-",
    ] {
        check_text(text, Some("hollow"));
    }
}

#[test]
fn a_text_that_goes_round_in_circles_is_a_loop() {
    let lines = "- The refund path was checked and found to work.\n".repeat(12);
    check_text(&lines, Some("loop"));
    check_text(&"word ".repeat(60), Some("loop"));
    check_text(&"退款路径已经检查过了，没有问题，".repeat(20), Some("loop"));
    let with_a_start = format!(
        "Refunds must be idempotent before the audit. {}",
        "The audit is near and the work goes on. ".repeat(12)
    );
    check_text(&with_a_start, Some("loop"));
    // Rows that are alike are no loop while each says something of its own.
    let table: String = (b'a'..=b'p')
        .map(|part| format!("| step {} | checked | {} |\n", char::from(part), part % 3))
        .collect();
    check_text(&table, None);
}

#[test]
fn text_that_ends_in_the_middle_is_cut_off() {
    check_text(
        "{\"goal\": \"idempotent refunds\", \"files\": [\"src/led",
        Some("cut_off"),
    );
    check_text("The code:\n```rust\nfn lock() {", Some("cut_off"));
    check_text("The code:\n```rust\nfn lock() {}\n```", None);
}

#[test]
fn what_the_provider_says_goes_first() {
    let talk = halyard();
    let brief = Brief::new(&talk);
    for (reason, expected) in [
        ("length", "cut_off"),
        ("max_tokens", "cut_off"),
        ("MAX_TOKENS", "cut_off"),
        ("tool_calls", "cut_off"),
        ("content_filter", "filtered"),
        ("SAFETY", "filtered"),
        ("refusal", "refusal"),
    ] {
        let summary = Summary::new("Refunds are idempotent.", "m")
            .unwrap()
            .with_finish(Finish::from_name(reason));
        let fault = check(&summary, &brief, Sizes::new(1, 9)).unwrap_err();
        assert_eq!(fault.name(), expected, "{reason}");
    }
}

#[test]
fn the_transcript_again_is_an_echo() {
    let talk = halyard();
    let brief = Brief::new(&talk);
    let transcript = brief.request().user;
    check_text(&transcript, Some("echo"));

    let without_markers: Vec<_> = transcript
        .lines()
        .filter(|it| !it.starts_with("==="))
        .collect();
    check_text(&without_markers.join("\n"), Some("echo"));

    let first: Vec<_> = talk
        .iter()
        .take(6)
        .map(|it| it.text().into_owned())
        .collect();
    check_text(&first.join(" "), Some("echo"));

    // What the person said, word by word, is no echo: the answers are left out.
    let person: Vec<_> = talk
        .iter()
        .filter(|it| it.role == session_log::Role::User)
        .map(|it| format!("- {}", it.text()))
        .collect();
    check_text(&person.join("\n"), None);
}

#[test]
fn quotes_with_words_between_them_are_no_echo() {
    let talk = [
        Message::user("Please never touch the tax rules, they belong to finance."),
        Message::assistant("Agreed, the tax rules stay as they are until the audit is over."),
    ];
    let brief = Brief::new(&talk);
    let (first, second) = (talk[0].text(), talk[1].text());
    for (text, expected) in [
        (
            format!("[1] user: {first}\n[2] assistant: {second}"),
            Some("echo"),
        ),
        (
            format!("- {first}\n## Rules and decisions\n- {second}"),
            None,
        ),
        (
            format!("{first} It was then said that this is so. {second}"),
            None,
        ),
        (format!("{second}\n{first}"), None),
    ] {
        let summary = Summary::new(&*text, "m").unwrap();
        let fault = check(&summary, &brief, Sizes::new(1, 9)).err();
        assert_eq!(fault.as_ref().map(Fault::name), expected, "{text}");
    }
}

#[test]
fn names_that_were_never_shown_are_ungrounded() {
    check_text(
        "Fixed the login in auth/session.py, ticket WEB-12, commit ab12cd3; never touch config.yml.",
        Some("ungrounded"),
    );
    check_text("Fixed ticket WEB-12 in auth/session.py.", None); // too little to tell
    check_text(
        "Refunds in src/ledger/refund.rs are idempotent with pg_advisory_xact_lock; 5 files, \
         31 days, 99 tests, BILL-4417 is open.",
        None,
    );
}

#[test]
fn sizes_are_compared_with_what_is_replaced_and_with_the_budget() {
    let talk = [Message::user("Fix the gate."), Message::assistant("Fixed.")];
    let summary = Summary::new("The gate is fixed.", "m").unwrap();
    let faults = [
        (Brief::new(&talk), Sizes::new(10, 10), None),
        (Brief::new(&talk), Sizes::new(11, 10), Some("inflated")),
        (Brief::new(&talk).with_budget(10), Sizes::new(10, 99), None),
        (
            Brief::new(&talk).with_budget(9),
            Sizes::new(10, 99),
            Some("over_budget"),
        ),
        (Brief::new(&talk).with_budget(0), Sizes::new(0, 0), None),
    ];
    for (brief, sizes, expected) in faults {
        let fault = check(&summary, &brief, sizes).err();
        assert_eq!(fault.as_ref().map(Fault::name), expected, "{sizes:?}");
    }
    let with_prior = Brief::new(&talk).with_prior("x".repeat(400));
    assert_eq!(
        Sizes::measure(&summary, &with_prior, &BytesDiv4),
        Sizes::new(5, 5 + 5 + 100)
    );
}

#[test]
fn sections_of_the_template_must_be_there() {
    let prompt = Prompt::new().with_template(Template::new([
        Section::new("Goal", "what the person wants"),
        Section::new("Open questions", "what is left"),
    ]));
    let talk = halyard();
    let brief = Brief::new(&talk).with_prompt(&prompt);
    for (text, expected) in [
        ("## Goal\nRefunds.\n## Open questions\nNone.", None),
        (
            "**GOAL:** Refunds.\n\n**Open Questions**\n- the audit",
            None,
        ),
        ("1. Goal: refunds\n2. Open questions: the audit", None),
        ("## Goal\nRefunds.", Some(vec!["Open questions".to_owned()])),
        (
            "Refunds.",
            Some(vec!["Goal".to_owned(), "Open questions".to_owned()]),
        ),
    ] {
        let summary = Summary::new(text, "m").unwrap();
        let expected = expected.map(|missing| Fault::MissingSections { missing });
        assert_eq!(
            check(&summary, &brief, Sizes::new(1, 9)).err(),
            expected,
            "{text:?}"
        );
    }
    // A hint copied from the template is nothing said.
    let parrot = "## Goal\n(what the person wants)\n## Open questions\n(what is left)";
    let summary = Summary::new(parrot, "m").unwrap();
    assert_eq!(
        check(&summary, &brief, Sizes::new(1, 9)),
        Err(Fault::Hollow)
    );
}

proptest! {
    /// Nothing that is made of blanks becomes a summary, and no text makes the checks panic.
    #[test]
    fn a_blank_is_never_a_summary_and_no_text_panics(
        blanks in "[ \t\r\n\u{a0}\u{200b}\u{feff}\u{2060}\u{3000}]{0,20}",
        text in any::<String>(),
        said in prop::collection::vec(any::<String>(), 0..5),
    ) {
        prop_assert!(Summary::new(&*blanks, "m").is_err());
        let talk: Vec<_> = said.into_iter().map(Message::user).collect();
        let brief = Brief::new(&talk);
        if let Ok(summary) = Summary::new(text, "m") {
            let sizes = Sizes::measure(&summary, &brief, &BytesDiv4);
            let once = check(&summary, &brief, sizes);
            prop_assert_eq!(check(&summary, &brief, sizes), once);
        }
    }
}
