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

use std::collections::BTreeSet;

use common::{Place, check, example, examples, talk, with_talk};

/// An element as it was opened.
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }
}

const VOID: [&str; 3] = ["meta", "input", "!doctype"];

/// Reads a page strictly: every element is closed where it should be, and every value is quoted.
#[track_caller]
fn parse(page: &str) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "a stray > in {:?}", &rest[..at]);
        rest = &rest[at + 1..];
        if let Some(end) = rest.strip_prefix('/') {
            let close = end.find('>').unwrap();
            assert_eq!(
                open.pop().as_deref(),
                Some(&end[..close]),
                "tags are nested"
            );
            rest = &end[close + 1..];
            continue;
        }
        let end = rest.find([' ', '>', '/']).unwrap();
        let name = rest[..end].to_owned();
        assert!(
            name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'!'),
            "<{name}"
        );
        rest = &rest[end..];
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start();
            if let Some(behind) = rest.strip_prefix('>') {
                rest = behind;
                if !VOID.contains(&name.as_str()) {
                    open.push(name.clone());
                }
                break;
            }
            if let Some(behind) = rest.strip_prefix("/>") {
                rest = behind;
                break;
            }
            let end = rest.find(['=', ' ', '>']).unwrap();
            let key = rest[..end].to_owned();
            rest = &rest[end..];
            let mut value = String::new();
            if let Some(quoted) = rest.strip_prefix("=\"") {
                let close = quoted.find('"').unwrap();
                value = quoted[..close].to_owned();
                rest = &quoted[close + 1..];
            }
            assert!(!value.contains(['<', '>']), "{key}={value}");
            attributes.push((key, value));
        }
        if name == "script" || name == "style" {
            let end = rest.find(&format!("</{name}>")).unwrap();
            rest = &rest[end..];
        }
        tags.push(Tag { name, attributes });
    }
    assert!(open.is_empty(), "{open:?} are never closed");
    tags
}

/// What each page must be, whatever is in it.
#[track_caller]
fn check_page(page: &str) -> Vec<Tag> {
    const ELEMENTS: &str = "!doctype html head meta title style body header h1 p bdi main section h2 h3 h4 table \
        thead tbody tr td th ul ol li label input span b i small figure svg a rect figcaption article details \
        summary pre dl dt dd div form button output footer code script";
    const ATTRIBUTES: &str = "lang charset http-equiv content name dir class aria-labelledby aria-label aria-hidden \
        id scope type checked value viewBox preserveAspectRatio role href x y width height open title placeholder \
        autocomplete spellcheck data-fold hidden html";
    let tags = parse(page);
    let known = |list: &str, name: &str| list.split_whitespace().any(|known| known == name);
    let mut ids = BTreeSet::new();
    for tag in &tags {
        assert!(known(ELEMENTS, &tag.name), "<{}>", tag.name);
        for (name, _) in &tag.attributes {
            assert!(known(ATTRIBUTES, name), "{name} of <{}>", tag.name);
        }
        if let Some(id) = tag.attribute("id") {
            assert!(ids.insert(id), "{id} is there twice");
        }
    }
    for tag in &tags {
        if let Some(href) = tag.attribute("href") {
            let target = href
                .strip_prefix('#')
                .expect("every link stays in the page");
            assert!(ids.contains(target), "{href} leads nowhere");
        }
    }
    let count = |name: &str| tags.iter().filter(|tag| tag.name == name).count();
    assert_eq!(
        (count("script"), count("style"), count("title")),
        (1, 1, 1 + count_of_svg_titles(page))
    );
    let policy = tags
        .iter()
        .find(|tag| tag.attribute("http-equiv") == Some("Content-Security-Policy"))
        .and_then(|tag| tag.attribute("content"))
        .expect("there is a policy");
    assert!(
        policy.starts_with("default-src &#39;none&#39;; style-src &#39;sha256-"),
        "{policy}"
    );
    for c in page.chars() {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(
            !turns && (!c.is_control() || c == '\n' || c == '\t'),
            "{c:?} is in the page"
        );
    }
    tags
}

/// The names of bars and turns in the picture are titles too.
fn count_of_svg_titles(page: &str) -> usize {
    page.matches("<title>").count() - 1
}

fn of_class<'a>(tags: &'a [Tag], class: &str) -> Vec<&'a Tag> {
    let has = |tag: &&Tag| {
        let classes = tag.attribute("class").unwrap_or_default();
        classes.split(' ').any(|own| own == class)
    };
    tags.iter().filter(has).collect()
}

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

    let before = place.run(["report", &id, "--at", "19"]).done().out;
    check_page(&before);
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
                &["report", "talk.json", "-o", "no/such/folder.html"],
                1,
                &[
                    "cannot write no/such/folder.html",
                    "hint: the folder must exist",
                ],
            ),
        ],
    );
}
