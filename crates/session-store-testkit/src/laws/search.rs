//! Laws 22 to 25: search.

use std::sync::Arc;

use session_log::{
    Arguments, Event, Media, MediaKind, MediaSource, Message, NewEvent, Origin, Part, Reasoning,
    Role, Text, ToolCall, ToolResult,
};
use session_store::search::Matcher;
use session_store::{Hit, Keywords, NewSession, Order, Reach, Scope, SearchQuery, SessionStore};

use crate::lab::Lab;
use crate::make::{assistant, at, boundary, json, said, sid, user};

/// Law 22: a keyword is plain text, whatever characters it has.
///
/// # Panics
///
/// When the law does not hold, as all functions of this module.
pub async fn law_22_literal<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let texts = [
        "we are at 100% now",
        "we paid 1000 euro",
        "open file_name.txt",
        "open filename.txt",
        "path C:\\temp\\x",
        "the sign (a+)+$ is literal",
        "please don't use agents",
        "see src/auth.rs and data-api v2.1",
        "memory:safe code",
        "say \"hi to AND gates",
        "(python is fine",
        "NEAR the river",
        "Тест пройден",
        "CAFÉ is open",
        "ΒΟΡΡΑΣ",
        "变更 内容を要約して",
        "a*b^c-d [x] {y} a!b",
        "Straße",
        "\u{212a}elvin İstanbul ırmak",
        "tab\there\nand nul \0 here",
        "line\u{2028}end 😀😀😀",
    ];
    let events = texts
        .iter()
        .zip(1..)
        .map(|(text, number)| user(&format!("e{number}"), text));
    lab.append(&id, events.collect()).await;
    let scope = Scope::Session(id.clone());

    for (word, places) in [
        ("100%", vec![1]),
        ("%", vec![1]),
        ("file_name", vec![3]),
        ("_", vec![3]),
        ("\\temp", vec![5]),
        ("\\", vec![5]),
        ("(a+)+$", vec![6]),
        ("don't", vec![7]),
        ("src/auth.rs", vec![8]),
        ("data-api", vec![8]),
        ("v2.1", vec![8]),
        ("memory:safe", vec![9]),
        ("\"don", vec![]),
        ("say \"hi", vec![10]),
        ("AND", vec![8, 10, 20]),
        ("(python", vec![11]),
        ("NEAR", vec![12]),
        ("foo AND bar", vec![]),
        ("*", vec![17]),
        ("^", vec![17]),
        ("-", vec![8, 17]),
        ("[x]", vec![17]),
        ("тест", vec![13]),
        ("café", vec![14]),
        ("cafe", vec![]),
        ("βορρας", vec![15]),
        ("βορρασ", vec![15]),
        ("変更", vec![]),
        ("变更", vec![16]),
        ("要約", vec![16]),
        ("内容を", vec![16]),
        ("strasse", vec![]),
        ("STRAßE", vec![18]),
        ("kelvin", vec![19]),
        ("istanbul", vec![]),
        ("İSTANBUL", vec![19]),
        ("irmak", vec![]),
        ("\there\n", vec![20]),
        ("nul \0 here", vec![20]),
        ("\0", vec![20]),
        ("e\u{2028}e", vec![21]),
        ("😀", vec![21]),
        ("😀😀😀", vec![21]),
        ("n f", vec![3, 4]),
    ] {
        for word in [word.to_owned(), word.to_uppercase(), word.to_lowercase()] {
            let query = SearchQuery::new([word.as_str()]);
            let hits = lab.find(&scope, query.clone()).await;
            let found: Vec<u64> = hits.iter().map(|hit| hit.event.seq.as_u64()).collect();
            let log = lab.log(&id).await;
            let oracle: Vec<u64> = log
                .iter()
                .filter(|event| query.matches(event))
                .map(|event| event.seq.as_u64())
                .collect();
            assert_eq!(found, oracle, "{word:?}");
        }
        let hits = lab.find(&scope, SearchQuery::new([word])).await;
        let found: Vec<u64> = hits.iter().map(|hit| hit.event.seq.as_u64()).collect();
        assert_eq!(found, places, "{word:?}");
    }
}

/// Law 23: exactly what matches is found: the whole log, to the event appended last.
pub async fn law_23_complete<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    lab.append(&id, searched_events()).await;
    let scope = Scope::Session(id.clone());
    let log = lab.log(&id).await;
    for query in queries() {
        let hits = lab.find(&scope, query.clone()).await;
        assert_eq!(
            hits,
            oracle(&[(sid("s1"), log.clone())], &scope, &query),
            "{query:?}"
        );
        for hit in &hits {
            assert_snippet(hit, &query);
        }
    }

    // Each new event is found at once, and each earlier one still.
    for number in 0..40_u64 {
        let text = format!("needle number {number} in 草 stack");
        lab.append(&id, vec![user(&format!("n{number}"), &text)])
            .await;
        for word in ["NEEDLE", "草 stack", "草"] {
            let query = SearchQuery::new([word]).with_limit(1000);
            let hits = lab.find(&scope, query).await;
            let count = u64::try_from(hits.len()).unwrap();
            assert_eq!(count, number + 1, "{word}");
        }
    }
}

/// Law 24: hits come in their order, and pages put together are the whole.
pub async fn law_24_order_and_pages<S: SessionStore>(lab: Lab<S>) {
    let mut logs = Vec::new();
    for (name, times) in [("é2", [9, 1, 5]), ("s1", [5, 5, 2]), ("S 3", [7, 3, 8])] {
        let new = NewSession::new(sid(name), at(0)).with_owner("ann");
        let _ = lab.store.create(new).await.unwrap();
        let mut events = searched_events();
        for (event, time) in events.iter_mut().zip(times.into_iter().cycle()) {
            let own = format!("{name}/{}", event.id);
            event.id = crate::make::eid(&own);
            event.timestamp = at(time);
        }
        lab.append(&sid(name), events).await;
        logs.push((sid(name), lab.log(&sid(name)).await));
    }
    let scopes = [Scope::Owner("ann".into()), Scope::Session(sid("s1"))];
    for scope in scopes {
        let searched: Vec<_> = logs
            .iter()
            .filter(|(session, _)| match &scope {
                Scope::Session(id) => id == session,
                _ => true,
            })
            .cloned()
            .collect();
        for query in queries() {
            for order in [Order::OldestFirst, Order::Relevance] {
                let query = query.clone().with_order(order);
                let expected = oracle(&searched, &scope, &query);
                for limit in [1, 3, 1000] {
                    let query = query.clone().with_limit(limit);
                    let page = lab.store.search(&scope, &query).await.unwrap();
                    assert!(page.items.len() <= limit);
                    let hits = lab.find(&scope, query.clone()).await;
                    assert_eq!(hits, expected, "{scope:?} {query:?}");
                }
            }
        }
    }

    // Between two pages the log of the last hit goes.
    for order in [Order::OldestFirst, Order::Relevance] {
        let scope = Scope::Owner("ann".into());
        let query = SearchQuery::new(["plum", "fig"]).with_order(order);
        let all = lab.find(&scope, query.clone()).await;
        let page = lab.store.search(&scope, &query.clone().with_limit(5)).await;
        let page = page.unwrap();
        assert_eq!(page.items, all[..5]);
        let gone = &all[4].session;
        assert!(lab.store.delete(gone).await.unwrap());
        let rest = query.with_after(page.next.unwrap());
        let rest = lab.find(&scope, rest).await;
        let stay = all[5..].iter().filter(|hit| hit.session != *gone);
        assert_eq!(rest, stay.cloned().collect::<Vec<_>>());
        let again = NewSession::new(gone.clone(), at(0));
        let _ = lab.store.create(again).await.unwrap();
    }
}

/// Law 25: a search over an owner's sessions sees only those.
pub async fn law_25_scope<S: SessionStore>(lab: Lab<S>) {
    let owners = [
        Some("ann"),
        Some("Ann"),
        Some("ann%"),
        Some("an"),
        None,
        Some("ann"),
        Some(""),
        Some("ann "),
        Some("\0"),
    ];
    for (owner, number) in owners.into_iter().zip(0..) {
        let id = sid(&format!("s{number}"));
        let mut new = NewSession::new(id.clone(), at(0));
        new.owner = owner.map(Into::into);
        let _ = lab.store.create(new).await.unwrap();
        let event = user(&format!("e{number}"), "the secret is plum");
        lab.append(&id, vec![event]).await;
    }
    for (owner, expected) in [
        ("ann", vec!["s0", "s5"]),
        ("Ann", vec!["s1"]),
        ("ann%", vec!["s2"]),
        ("%", vec![]),
        ("", vec!["s6"]),
        ("ann ", vec!["s7"]),
        ("\0", vec!["s8"]),
        ("nobody", vec![]),
    ] {
        for word in ["plum", "pl"] {
            let scope = Scope::Owner(owner.into());
            let hits = lab.find(&scope, SearchQuery::new([word])).await;
            let found: Vec<_> = hits.iter().map(|hit| hit.session.as_str()).collect();
            assert_eq!(found, expected, "{owner}");
        }
    }
}

fn oracle(
    logs: &[(session_log::SessionId, Vec<Arc<Event>>)],
    scope: &Scope,
    query: &SearchQuery,
) -> Vec<Hit> {
    let matcher = Matcher::new(query);
    let hits = logs.iter().flat_map(|(session, log)| {
        let look = |event| matcher.hit(session, event);
        log.iter().filter_map(look).collect::<Vec<_>>()
    });
    let mut hits: Vec<Hit> = hits.collect();
    hits.sort_by(|one, other| one.mark().cmp_in(&other.mark(), query.order, scope));
    hits
}

/// A snippet is cut out of the original text, and what it marks folds to a keyword.
fn assert_snippet(hit: &Hit, query: &SearchQuery) {
    let message = hit.event.as_message().unwrap();
    let pieces = session_store::search::pieces(message, query.reach);
    let piece = pieces[hit.snippet.piece];
    let end = hit.snippet.start + hit.snippet.text.len();
    assert_eq!(&piece.text[hit.snippet.start..end], hit.snippet.text);
    assert!(!hit.snippet.found.is_empty());
    for range in &hit.snippet.found {
        assert!(hit.snippet.start <= range.start && range.end <= end);
        let marked = session_store::search::fold(&piece.text[range.clone()]);
        let is_known = |word: &String| marked.contains(&session_store::search::fold(word));
        assert!(query.words.iter().any(is_known), "{marked:?}");
    }
}

fn searched_events() -> Vec<NewEvent> {
    let mut typed = ToolCall::new("k2", "find_plum", "");
    typed.arguments = Arguments::Value(json(r#"{"fruit": "Fig"}"#));
    let nested = ToolResult::new(
        "k2",
        vec![
            Part::text("no plum"),
            Part::ToolResult(ToolResult::text("k3", "nested fig")),
        ],
    );
    let hidden = Reasoning::new("plum, I think");
    let attached = Media::new(MediaKind::File, MediaSource::Text("plum list".into()));
    let address = Media::new(MediaKind::Image, MediaSource::Url("plum.png".into()));
    vec![
        user("p1", "Plum and fig and PLUM again"),
        assistant("p2", "a fig"),
        said("p3", Message::system("Talk of plums.")),
        said(
            "p4",
            Message::new(Role::Developer, vec![Part::text("plum?")]),
        ),
        said(
            "p5",
            Message::tool_calls([ToolCall::new("k1", "rooms", "plum {")]),
        ),
        said("p6", Message::tool_calls([typed])),
        said("p7", Message::tool_result("k1", "one plum")),
        said(
            "p8",
            Message::new(Role::Tool, vec![Part::ToolResult(nested)]),
        ),
        user("p9", "plum").with_origin(Origin::Injected),
        assistant("p10", "plum").with_origin(Origin::Summary { boundary: None }),
        boundary("p11", 9, &[]),
        said(
            "p12",
            Message::new(Role::Assistant, vec![Part::Reasoning(hidden)]),
        ),
        said(
            "p13",
            Message::new(Role::Assistant, vec![Part::Refusal(Text::new("No fig."))]),
        ),
        said("p14", Message::new(Role::User, vec![Part::Media(attached)])),
        said("p15", Message::new(Role::User, vec![Part::Media(address)])),
        said(
            "p16",
            Message::new(Role::User, vec![Part::text("pl"), Part::text("um")]),
        ),
        user(
            "p17",
            &format!("{}plum{}", "ö".repeat(500), "ß".repeat(500)),
        ),
        user("p18", "梅 and 無花果, two 梅梅梅"),
        user("p19", ""),
        user("p20", "ﬁg is no fig? İ PLÜM"),
    ]
    .into_iter()
    .zip([1, 2, 3, 9, 5, 6, 7, 8, 4].into_iter().cycle())
    .map(|(mut event, time)| {
        event.timestamp = at(time);
        event
    })
    .collect::<Vec<_>>()
    .into_iter()
    .chain(tail())
    .collect()
}

/// More than the first events, with a time of their own.
fn tail() -> Vec<NewEvent> {
    (0..30)
        .map(|number| {
            let word = if number % 3 == 0 { "plum" } else { "pear" };
            let mut event = user(&format!("q{number}"), &format!("{word} {number} fig"));
            event.timestamp = at(100 - number);
            event
        })
        .collect()
}

fn queries() -> Vec<SearchQuery> {
    let of = |words: &[&str]| SearchQuery::new(words.iter().copied());
    let all = |words: &[&str]| of(words).with_keywords(Keywords::All);
    vec![
        of(&["plum"]),
        of(&["PLUM", "plum", "Plum"]),
        of(&["plum", "fig"]),
        all(&["plum", "fig"]),
        all(&["plum", "fig", "again"]),
        all(&["plum", "nothing"]),
        all(&["plum", "a"]),
        of(&["pl"]),
        of(&["梅"]),
        of(&["梅梅"]),
        of(&["無花果"]),
        of(&["nothing at all"]),
        of(&["plum and fig"]),
        of(&["öplumß"]),
        of(&["i"]),
        of(&["plum"]).with_reach(Reach::Text),
        all(&["plum", "fig"]).with_reach(Reach::Text),
        of(&["pl", "梅"]).with_reach(Reach::Text),
        of(&["plum"]).with_roles([Role::System]),
        of(&["plum"]).with_roles([Role::Tool, Role::Assistant]),
        of(&["pl"]).with_roles([Role::User]),
        of(&["plum"]).with_since(at(7)),
        of(&["um"]).with_since(at(7)),
        of(&["plum", "x", "y", "梅"]).with_since(at(90)),
    ]
}
