//! Recall as a model uses it: the rows CS and XS of the upstream tables, and what goes beyond.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{Always, Characters, World, block_on, event, id};
use serde_json::Value;
use session::{
    Compaction, EventId, Expected, MAX_MATCHES, MemoryStore, Message, NewEvent, PAGE_SIZE,
    Sessions, Timestamp, Window,
};

async fn ask(recall: &session::Recall, arguments: &str) -> String {
    recall.call(arguments).await.unwrap()
}

fn texts(answer: &str) -> Vec<String> {
    let Ok(answer) = serde_json::from_str::<Value>(answer) else {
        return Vec::new();
    };
    let results = answer["results"].as_array().unwrap().iter();
    results
        .map(|hit| hit["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn nothing_found_is_said_in_words() {
    block_on(async {
        let world = World::new().await;
        let recall = world.sessions.recall(world.id.clone());
        assert_eq!(
            ask(&recall, r#"{"query":"x"}"#).await,
            "No results found.",
            "CS1"
        );
        world.append("u1").await;
        let beyond = ask(&recall, r#"{"query":"u1","page":7}"#).await;
        assert_eq!(beyond, "No results found.", "CS5");
        let huge = ask(&recall, r#"{"query":"u1","page":9223372036854775807}"#).await;
        assert_eq!(huge, "No results found.", "XS11");
    });
}

#[test]
fn hits_come_ten_a_page_oldest_first_and_a_negative_page_is_the_first() {
    block_on(async {
        let world = World::new().await;
        let names: Vec<_> = (1..=15).map(|number| format!("u{number}")).collect();
        world.append(&names.join(" ")).await;
        let recall = world.sessions.recall(world.id.clone());
        let first = ask(&recall, r#"{"query":"U"}"#).await;
        assert_eq!(texts(&first), names[..10], "CS3, CS4: any case, page 0");
        assert!(first.contains(r#""next_page":1"#));
        let second = ask(&recall, r#"{"query":"u","page":1}"#).await;
        assert_eq!(texts(&second), names[10..], "CS4: page 1");
        assert!(!second.contains("next_page"));
        for page in ["-1", "null"] {
            let same = ask(&recall, &format!(r#"{{"query":"u","page":{page}}}"#)).await;
            assert_eq!(texts(&same), names[..10], "CS6: page {page}");
        }
    });
}

#[test]
fn a_hit_says_what_it_is_and_shows_what_stands_around_it() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 c1 t1 a1 u2").await;
        let recall = world.sessions.recall(world.id.clone());
        let answer = ask(&recall, r#"{"query":"t1","context":1}"#).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let hit = &answer["results"][0];
        assert_eq!(hit["event"], "t1");
        assert_eq!(hit["type"], "tool");
        assert_eq!(hit["timestamp"], "1970-01-01T00:00:00Z");
        let around = hit["around"].as_array().unwrap();
        let around: Vec<_> = around
            .iter()
            .map(|event| event["text"].as_str().unwrap())
            .collect();
        assert_eq!(
            around,
            [
                "Assistant [tool calls: tool({})]",
                "Tool [responses: tool -> t1]",
                "Assistant: a1"
            ]
        );
    });
}

#[test]
fn what_a_pass_covered_is_found_and_its_summary_is_not() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let compaction = Compaction::builder(Window::Turns(1))
            .summarizer(Always("u1 seen"))
            .build()
            .unwrap();
        world.compact(&compaction).await;
        assert_eq!(world.view().await, "prompt summary u2 a2");
        let recall = world.sessions.recall(world.id.clone());
        let found = texts(&ask(&recall, r#"{"query":"u1"}"#).await);
        assert_eq!(found, ["u1"], "CS8, V16");
    });
}

#[test]
fn arguments_that_make_no_sense_are_explained_to_the_model() {
    block_on(async {
        let world = World::new().await;
        let recall = world.sessions.recall(world.id.clone());
        let words = |count: usize| vec!["w"; count].join(",");
        for (arguments, part) in [
            (r#"{"query":""}"#.to_owned(), "query names nothing"),
            (r#"{"query":" , "}"#.to_owned(), "query names nothing"),
            (r#"{"query":"x","match":"some"}"#.to_owned(), "any or all"),
            (
                r#"{"query":"x","since":"2026-07-01"}"#.to_owned(),
                "2026-07-01",
            ),
            (
                format!(r#"{{"query":"{}"}}"#, words(21)),
                "1 to 20 keywords",
            ),
            (r#"{"query":5}"#.to_owned(), "query must be a string"),
            ("[]".to_owned(), "no JSON object"),
            ("{".to_owned(), "no JSON object"),
        ] {
            let answer = ask(&recall, &arguments).await;
            assert!(
                answer.starts_with("Invalid arguments: "),
                "{arguments}: {answer}"
            );
            assert!(answer.contains(part), "{arguments}: {answer}");
        }
        let fine = ask(&recall, &format!(r#"{{"query":"{}"}}"#, words(20))).await;
        assert_eq!(fine, "No results found.", "XS9");
    });
}

#[test]
fn a_search_across_sessions_stays_with_its_owner_and_sorts_by_time() {
    block_on(async {
        let sessions = Sessions::new(MemoryStore::new(), Characters);
        let ann = sessions.scoped("ann");
        let bob = sessions.scoped("bob");
        let one = ann.create().await.unwrap().id;
        let two = ann.create().await.unwrap().id;
        let other = bob.create().await.unwrap().id;
        let at = |name: &str, text: &str, millis: i64| {
            NewEvent::message(
                id(name),
                Timestamp::from_millis(millis),
                Message::user(text),
            )
        };
        for (owner, session, name, text, millis) in [
            (&ann, &one, "a", "plum tart", 10),
            (&ann, &two, "b", "apple pie", 20),
            (&ann, &one, "c", "plum and apple", 30),
            (&bob, &other, "d", "plum jam", 15),
        ] {
            let event = vec![at(name, text, millis)];
            let appended = owner
                .append_events(session, Expected::Any, event)
                .await
                .unwrap();
            assert!(appended.done().is_some());
        }
        let recall = ann.recall_of_owner("ann");
        assert_eq!(recall.tool().name, "cross_session_search");
        let any = ask(&recall, r#"{"query":"plum, apple"}"#).await;
        assert_eq!(
            texts(&any),
            ["plum tart", "apple pie", "plum and apple"],
            "XS2, XS5, XS10"
        );
        assert!(any.contains(&format!(r#""session":"{one}""#)), "XS3");
        let all = ask(&recall, r#"{"query":"plum, apple", "match":"ALL"}"#).await;
        assert_eq!(texts(&all), ["plum and apple"], "XS5");
        let since = ask(
            &recall,
            r#"{"query":"plum", "since":"1970-01-01T00:00:00.030Z"}"#,
        )
        .await;
        assert_eq!(texts(&since), ["plum and apple"], "XS6");

        let strange = ann.recall_of_owner("bob");
        assert_eq!(
            ask(&strange, r#"{"query":"plum"}"#).await,
            "No results found.",
            "XS4"
        );
        let foreign = ann.recall(other.clone());
        assert_eq!(
            ask(&foreign, r#"{"query":"plum"}"#).await,
            "No results found."
        );
    });
}

#[test]
fn another_owners_session_does_not_exist() {
    block_on(async {
        let world = World::new().await;
        let ann = world.sessions.scoped("ann");
        let bob = world.sessions.scoped("bob");
        let of_ann = ann.create().await.unwrap().id;
        assert!(bob.find(&of_ann).await.unwrap().is_none());
        assert!(bob.view(&of_ann).await.is_err());
        assert!(
            bob.append(&of_ann, Message::user("mine now"))
                .await
                .is_err()
        );
        assert!(!bob.delete(&of_ann).await.unwrap());
        let taken = bob
            .create_as(bob.describe(of_ann.clone()))
            .await
            .unwrap_err();
        assert!(!taken.to_string().contains("ann"), "{taken}");
        assert_eq!(
            bob.list(&session::SessionQuery::all())
                .await
                .unwrap()
                .items
                .len(),
            0
        );
        assert_eq!(
            ann.list(&session::SessionQuery::all())
                .await
                .unwrap()
                .items
                .len(),
            1
        );
        let _ = (event("u1"), EventId::new("e"));
    });
}

/// A page was announced that had nothing on it: the last hits that are looked at were on it, and
/// could not be had.
#[test]
fn every_page_that_is_announced_has_hits_on_it() {
    block_on(async {
        for count in [MAX_MATCHES - 9, MAX_MATCHES, MAX_MATCHES + 1] {
            let world = World::new().await;
            let said = |number: usize| {
                let id = EventId::new(format!("e{number}")).unwrap();
                NewEvent::message(id, Timestamp::from_millis(0), Message::user("door"))
            };
            let events = (0..count).map(said).collect();
            let appended = world
                .sessions
                .append_events(&world.id, Expected::Any, events);
            assert!(appended.await.unwrap().done().is_some());
            let recall = world.sessions.recall(world.id.clone());
            let last = MAX_MATCHES / PAGE_SIZE - 1;
            for (page, hits, has_next) in [
                (last - 1, PAGE_SIZE, true),
                (
                    last,
                    (count + PAGE_SIZE - MAX_MATCHES).min(PAGE_SIZE),
                    false,
                ),
                (last + 1, 0, false),
            ] {
                let answer = ask(&recall, &format!(r#"{{"query":"door","page":{page}}}"#)).await;
                assert_eq!(texts(&answer).len(), hits, "page {page} of {count}");
                assert_eq!(
                    answer.contains("next_page"),
                    has_next,
                    "page {page} of {count}"
                );
            }
        }
    });
}

/// A model that named one role without a list, or a role that does not exist, was answered as if it
/// had named none, or that nothing was found.
#[test]
fn roles_are_taken_as_a_model_writes_them_or_explained() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1").await;
        let recall = world.sessions.recall(world.id.clone());
        let asked = |types: &str| format!(r#"{{"query":"1","types":{types}}}"#);
        for (types, found) in [
            (r#""user""#, "u1"),
            (r#"["user"]"#, "u1"),
            (r#"["assistant"]"#, "a1"),
            ("[]", "u1 a1"),
            ("null", "u1 a1"),
        ] {
            let answer = ask(&recall, &asked(types)).await;
            assert_eq!(texts(&answer).join(" "), found, "{types}");
        }
        for types in [r#"["person"]"#, "7", "[7]", "{}"] {
            let answer = ask(&recall, &asked(types)).await;
            assert!(
                answer.starts_with("Invalid arguments: types are user, "),
                "{answer}"
            );
        }
    });
}
