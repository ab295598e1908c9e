//! `report`: one page that is whole, that nothing in a conversation can break out of, and that says what
//! `compact` and `show` say.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod common;

use common::html::{check_page, of_class};
use common::{Place, check, example, examples, talk, with_talk};

#[test]
fn every_example_gives_a_whole_page_that_needs_nothing_and_is_the_same_again() {
    let place = Place::new();
    for path in examples() {
        let file = path.to_str().unwrap();
        for window in [
            &["--tokens", "2000"][..],
            &["--last-turns", "1", "--summarizer", "ledger"],
            &["--strategy", "sliding", "--max-tokens", "3000"],
            &["--tokens", "1m"],
        ] {
            let mut args = vec!["report", file];
            args.extend(window);
            let page = place.run(&args).done().out;
            check_page(&page);
            assert!(place.run(&args).done().out == page, "{args:?} differs");
        }
    }
}

#[test]
fn the_fates_on_the_page_are_those_of_the_plan() {
    let place = Place::new();
    let file = example("airline-support.openai-chat.json");
    let window = ["--last-turns", "2", "--summarizer", "ledger"];
    let plan = place
        .run([
            "plan", &file, "--json", window[0], window[1], window[2], window[3],
        ])
        .done()
        .json();
    let ran = place
        .run([
            "report",
            &file,
            "-o",
            "page.html",
            window[0],
            window[1],
            window[2],
            window[3],
        ])
        .done();
    assert_eq!(ran.out, "");
    assert!(
        ran.err.starts_with("wrote page.html: 64 events"),
        "{}",
        ran.err
    );
    let page = place.read("page.html");
    let tags = check_page(&page);
    for (class, list) in [
        ("f-covered", "covered"),
        ("f-kept", "preserved"),
        ("f-pinned", "pinned"),
    ] {
        let events = of_class(&tags, class).into_iter();
        let events = events.filter(|tag| tag.attribute("id").is_some()).count();
        let planned = plan[list].as_array().unwrap().len();
        assert_eq!(events, planned, "{class}");
    }
    let summaries = of_class(&tags, "f-summary").into_iter();
    assert_eq!(
        summaries
            .filter(|tag| tag.attribute("id").is_some())
            .count(),
        2
    );
    let turns = of_class(&tags, "turn").into_iter();
    assert_eq!(
        turns.filter(|tag| tag.name == "details").count(),
        9,
        "eight, and what stands before"
    );
    assert!(page.contains("a pass would leave"));
    assert!(page.contains("What would be written") && page.contains("planned</span>"));
    let one_request = [
        "report",
        &file,
        "--strategy",
        "sliding",
        "--max-tokens",
        "3000",
    ];
    let selection = place.run(one_request).done().out;
    assert!(selection.contains("What would be sent") && selection.contains("recorded nowhere"));
    assert!(page.contains("The summary stands for"));
    assert!(page.contains("<b>step 1</b>"));
}

#[test]
fn nothing_in_a_conversation_breaks_out_of_the_page() {
    let place = Place::new();
    let hostile = "</script><script>alert(1)</script>\\\"'><img src=x onerror=alert(2)>\\u202eevil\\u0000\\u2066 javascript:1 <!-- ]]>";
    let messages = [
        format!(r#"{{"role":"system","content":"{hostile}"}}"#),
        format!(r#"{{"role":"user","content":"{hostile}"}}"#),
        format!(
            r#"{{"role":"assistant","content":"{hostile}","tool_calls":[{{"id":"{hostile}","type":"function","function":{{"name":"{hostile}","arguments":"{{}}"}}}}]}}"#
        ),
        format!(r#"{{"role":"tool","tool_call_id":"{hostile}","content":"{hostile}"}}"#),
        format!(r#"{{"role":"<b onclick=x>","content":"{hostile}"}}"#),
        format!(
            r#"{{"role":"user","content":[{{"type":"image_url","image_url":{{"url":"http://example.com/{hostile}"}}}}]}}"#
        ),
        format!(r#"{{"role":"assistant","content":"{hostile}"}}"#),
    ];
    let name = "<script>&\"'.json";
    place.file(name, format!("[{}]", messages.join(",")));
    let args = [
        "report",
        name,
        "--last-turns",
        "1",
        "--summarizer",
        "ledger",
    ];
    let page = place.run(args).done().out;
    check_page(&page);
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert!(page.contains("&lt;script&gt;&amp;&quot;&#39;.json</title>"));

    let owner = "--owner=\"><script>";
    place.run(["import", name, "-q", owner]).done();
    let id = common::ids(&place).pop().unwrap();
    place
        .run([
            "compact",
            &id,
            "--last-turns",
            "1",
            "--summarizer",
            "ledger",
        ])
        .done();
    let page = place.run(["report", &id]).done().out;
    check_page(&page);
    assert!(page.contains("owner <bdi>&quot;&gt;&lt;script&gt;</bdi>"));
}

#[test]
fn a_session_is_shown_with_its_boundaries_as_they_are_and_as_they_were() {
    let (place, id) = with_talk(9);
    place.run(["compact", &id, "--last-turns", "6"]).done();
    let summarized = [
        "compact",
        &id,
        "--last-turns",
        "4",
        "--summarizer",
        "ledger",
    ];
    place.run(summarized).done();
    place.run(["compact", &id, "--last-turns", "2"]).done();
    place.run(["undo", &id]).done();
    let page = place.run(["report", &id]).done().out;
    let tags = check_page(&page);
    // By hand: a system prompt and nine turns of two messages; the boundaries are at 20, 21 and 24.
    for (seq, state, hides) in [
        ("20", "replaced by a later one", "Hides 6 events"),
        ("21", "in force", "The summary stands for 4 events"),
        ("24", "taken back", "Hides 4 events"),
    ] {
        let title = format!("Boundary at event {seq} <span class=\"state\">{state}</span>");
        let (_, card) = page.split_once(&title).expect(&title);
        assert!(
            card.split_once("</article>").unwrap().0.contains(hides),
            "{seq}"
        );
    }
    let events = |class: &str| {
        let events = of_class(&tags, class).into_iter();
        events.filter(|tag| tag.attribute("id").is_some()).count()
    };
    let fates = ["covered", "kept", "pinned", "summary", "record"];
    let fates = fates.map(|fate| events(&format!("f-{fate}")));
    assert_eq!(fates, [10, 8, 1, 2, 4]);

    // Undone, the view is that of the boundary before, which the last figure says too.
    let seen = place.run(["sessions", "--json"]).done().json()[0]["tokens"].clone();
    assert!(
        page.contains(&format!("at most 230 tokens, now {seen}. ")),
        "{seen}"
    );

    let before = place.run(["report", &id, "--at", "19"]).done().out;
    check_page(&before);
    assert!(!before.contains("What a model saw at each event"));
    assert!(before.contains("a model sees all of it"));
    assert!(!before.contains("Boundary at"));
}

#[test]
fn a_long_session_is_shortened_to_a_page_that_can_be_opened() {
    let place = Place::new();
    let long = "a rather long answer ".repeat(200);
    let mut messages = Vec::new();
    for turn in 0..5500 {
        messages.push(format!(r#"{{"role":"user","content":"question {turn}"}}"#));
        messages.push(format!(
            r#"{{"role":"assistant","content":"{turn}: {long}"}}"#
        ));
    }
    let file = place.file("long.json", format!("[{}]", messages.join(",")));
    let args = [
        "report",
        &file,
        "-o",
        "page.html",
        "--encoding",
        "bytes4",
        "--json",
    ];
    let document = place.run(args).done().json();
    assert_eq!(document["events"], 11_000);
    assert_eq!(document["listed"], 10_000);
    let page = place.read("page.html");
    assert_eq!(document["bytes"], page.len());
    assert!(page.len() < 9_000_000, "{}", page.len());
    let tags = check_page(&page);
    assert_eq!(of_class(&tags, "e").len(), 10_000);
    assert!(of_class(&tags, "reach").len() <= 480);
    assert!(page.contains("The oldest 1,000 events are in the timeline but not listed"));
    assert!(page.contains("more characters"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (place, _) = with_talk(2);
    let id: &'static str = common::ids(&place).pop().unwrap().leak();
    place.file("two.jsonl", format!("{}\n{}\n", talk(1), talk(2)));
    let before = place.read("talk.json");
    let session: &'static [&'static str] = vec!["report", id, "--last-turns", "2"].leak();
    check(
        &place,
        &[
            (
                &["report", "talk.json", "--at", "3"],
                2,
                &["--at is about a session"],
            ),
            (
                session,
                2,
                &["a session is shown as it is", "hint: `compaction plan "],
            ),
            (
                &["report", "two.jsonl"],
                2,
                &[
                    "two.jsonl has 2 conversations",
                    "hint: choose one with --conversation N",
                ],
            ),
            (
                &["report", "talk.json", "-o", "./talk.json"],
                2,
                &["talk.json is the input, which is never changed"],
            ),
            (
                &["report", "talk.json", "-o", "no/such/folder.html"],
                1,
                &[
                    "cannot write no/such/folder.html",
                    "hint: the folder must exist",
                ],
            ),
        ],
    );
    assert_eq!(place.read("talk.json"), before);
}
