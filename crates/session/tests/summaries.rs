//! Summaries fail closed: what is no valid summary never takes the place of history.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use common::{Always, Characters, World, block_on, id};
use session::{Compaction, Error, InvalidSettings, Ledger, Message, Outcome, Report, Window};
use session_summarizer::{
    Answer, Brief, ChatLine, Finish, Scripted, Summarizer, SummarizerError, Summary,
};

fn summarized(summarizer: impl Summarizer) -> Compaction {
    Compaction::builder(Window::Turns(1))
        .summarizer(summarizer)
        .build()
        .unwrap()
}

#[test]
fn a_summary_turn_stands_right_before_what_is_kept() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 a0 u1 a1 u2 a2").await;
        let report = world.compact(&summarized(Always("SUM"))).await;
        assert_eq!(report.outcome, Outcome::Compacted);
        assert_eq!(world.view().await, "s1 a0 prompt summary u2 a2");
        let view = world.sessions.view(&world.id).await.unwrap();
        let prompt = &view.events()[2];
        let summary = &view.events()[3];
        assert_eq!(prompt.timestamp, summary.timestamp);
        assert!(prompt.origin.is_synthetic() && prompt.origin == summary.origin);
        let messages: Vec<_> = view
            .messages()
            .map(|message| message.text().into_owned())
            .collect();
        assert_eq!(messages[2], "Summarize the conversation we had so far.");
        assert_eq!(messages[3], "SUM");
        assert_eq!(report.summary.unwrap().text, "SUM");
        let boundary = view.boundary().unwrap().as_boundary().unwrap();
        assert_eq!(boundary.receipt.summary.as_ref().unwrap().model, "always");
        assert_eq!(boundary.receipt.covered.count, 2);
    });
}

#[test]
fn the_next_summary_covers_the_one_before_and_a_plain_window_carries_it() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        world.compact(&summarized(Always("ONE"))).await;
        world.append("u3 a3").await;
        let plain = Compaction::builder(Window::Turns(1)).build().unwrap();
        let carried = world.compact(&plain).await;
        assert_eq!(carried.covered, ["u2", "a2"].map(id));
        assert_eq!(world.view().await, "prompt summary u3 a3");

        world.append("u4 a4").await;
        let scripted = Arc::new(Scripted::new(["TWO"]));
        let report = world.compact(&summarized(scripted.clone())).await;
        assert_eq!(report.covered.len(), 4, "the summary turn and one turn");
        assert_eq!(world.view().await, "prompt summary u4 a4");
        let asked = &scripted.asked()[0];
        assert_eq!(asked.prior, ["ONE"]);
        let view = world.sessions.view(&world.id).await.unwrap();
        let second = view.messages().nth(1).unwrap();
        assert_eq!(second.text(), "TWO");
    });
}

#[test]
fn each_failed_check_has_a_name_and_history_stays_byte_for_byte() {
    let again = "A very long story about nothing in particular. ".repeat(20);
    let long = "The person wanted to know how the gate is opened, and the answer was that a green \
                key does it, which hangs beside the door in the hall, behind the coats.";
    let short = "How is the gate opened, and where do I find the key?";
    let much: String = (1..=60)
        .map(|number| format!("Door {number} has key {}. ", number * 7))
        .collect();
    for (asked, text, reason) in [
        (short, "Error: connection refused", "error_text"),
        (
            short,
            "I'm sorry, but I can't help with that request.",
            "refusal",
        ),
        (&much, again.as_str(), "loop"),
        (short, long, "inflated"),
    ] {
        block_on(async {
            let world = World::new().await;
            let asked = Message::user(asked);
            world.sessions.append(&world.id, asked).await.unwrap();
            world.append("a1 u2 a2").await;
            let before = world.sessions.log(&world.id).await.unwrap();
            let calls = Arc::new(AtomicUsize::new(0));
            let counted = calls.clone();
            let compaction = Compaction::builder(Window::Turns(1))
                .summarizer(Scripted::new([text]))
                .on_failure(move |_| {
                    counted.fetch_add(1, Ordering::Relaxed);
                })
                .build()
                .unwrap();
            let report = world.compact(&compaction).await;
            assert_eq!(report.outcome, Outcome::Declined, "{text}");
            assert_eq!(report.reason(), Some(reason), "{text}");
            assert_eq!(world.sessions.log(&world.id).await.unwrap(), before);
            assert_eq!(calls.load(Ordering::Relaxed), 1);
        });
    }
}

#[test]
fn an_error_of_the_summarizer_is_the_error_of_the_pass_and_nothing_is_written() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let failing = Scripted::new([SummarizerError::unavailable(None)]);
        let result = world
            .sessions
            .compact(&world.id, &summarized(failing))
            .await;
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Summarizer(_)) && error.is_retryable());
        assert_eq!(world.view().await, "u1 a1 u2 a2");
        assert_eq!(world.sessions.log(&world.id).await.unwrap().len(), 4);
    });
}

#[test]
fn a_summary_is_asked_for_and_taken_within_its_cap() {
    let tokens = |reserve| Window::Tokens {
        budget: 60,
        reserve,
    };
    for (window, cap, asked, reason) in [
        (Window::Turns(1), None, None, None),
        // "Assistant: " has 11 tokens, and what is asked for is the text behind it.
        (Window::Turns(1), Some(40), Some(29), None),
        (Window::Turns(1), Some(13), Some(2), Some("over_budget")),
        (tokens(0), None, None, None),
        // The shadow prompt needs more than half of the reserve, and gets half.
        (tokens(39), None, Some(9), None),
        (tokens(39), Some(15), Some(4), None),
        (tokens(20), Some(40), Some(1), None),
    ] {
        block_on(async {
            let world = World::new().await;
            world.append("u1 a1 u2 a2 u3 a3").await;
            let model = Scripted::new(["SUM"]);
            let mut builder = Compaction::builder(window).summarizer(model.clone());
            if let Some(cap) = cap {
                builder = builder.summary_tokens(cap);
            }
            let report = world.compact(&builder.build().unwrap()).await;
            assert_eq!(model.asked()[0].budget, asked, "{window:?} {cap:?}");
            // "Assistant: SUM" has 14 tokens.
            assert_eq!(report.reason(), reason, "{window:?} {cap:?}");
        });
    }
    let refused = summarized_within(0);
    assert!(
        matches!(refused, Err(InvalidSettings::Zero { .. })),
        "{refused:?}"
    );
}

/// Whoever writes all that is asked for is not refused for the sake of what stands around it, and
/// the view is no larger than the budget says.
#[test]
fn a_ledger_fills_the_reserve_and_the_view_stays_within_the_budget() {
    block_on(async {
        for reserve in [200, 300, 400, 500] {
            let world = World::new().await;
            for turn in 0..40 {
                let text = format!("Never touch src/page_{turn}.rs, it belongs to team {turn}.");
                let asked = world.sessions.append(&world.id, Message::user(text));
                asked.await.unwrap();
                let answer = Message::assistant("Then it stays as it is. ".repeat(4));
                world.sessions.append(&world.id, answer).await.unwrap();
            }
            let window = Window::Tokens {
                budget: 1_500,
                reserve,
            };
            let compaction = Compaction::builder(window)
                .summarizer(Ledger::new(Characters))
                .build();
            let report = world.compact(&compaction.unwrap()).await;
            assert_eq!(report.outcome, Outcome::Compacted, "{report:?}");
            assert_eq!(report.warnings, []);
            assert!(report.after.tokens <= 1_500, "{report:?}");
            let summary = Message::assistant(report.summary.unwrap().text);
            assert!(world.sessions.tokens_of(&summary) > reserve / 2);
        }
    });
}

fn summarized_within(tokens: u64) -> Result<Compaction, InvalidSettings> {
    Compaction::builder(Window::Turns(1))
        .summarizer(Always("SUM"))
        .summary_tokens(tokens)
        .build()
}

/// Notes what it is told as a conversation.
#[derive(Clone, Debug, Default)]
struct Listener(Arc<Mutex<Vec<Vec<ChatLine>>>>);

#[async_trait::async_trait]
impl Summarizer for Listener {
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        self.0.lock().unwrap().push(brief.chat().lines);
        Ok(Some(Summary::new("SUM", "listener")?))
    }
}

/// A provider's cache knows what it was sent: the view. A brief told as a conversation begins as
/// the view does, from its first message to the last covered one.
#[test]
fn a_brief_told_as_a_conversation_is_the_beginning_of_the_view() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 c1 t1 a1 u2 a2").await;
        let listener = Listener::default();
        let compaction = Compaction::builder(Window::Turns(1))
            .summarizer(listener.clone())
            .shadow_prompt("What did we do?")
            .build()
            .unwrap();
        for names in ["u3 a3", "u4 a4"] {
            let view = world.sessions.view(&world.id).await.unwrap();
            let report = world.compact(&compaction).await;
            let told = listener.0.lock().unwrap().pop().unwrap();
            assert_eq!(told.len(), report.covered.len());
            let said = |message: &Message| match message.results().next() {
                Some(result) => result.parts[0].as_text().unwrap().to_owned(),
                None => message.text().into_owned(),
            };
            let sent: Vec<String> = view
                .messages()
                .take(told.len())
                .map(|message| said(&message))
                .collect();
            let told: Vec<String> = told
                .iter()
                .map(|line| match line {
                    ChatLine::User(text) | ChatLine::Assistant { text, .. } => text.clone(),
                    ChatLine::Results(results) => results[0].text.clone(),
                })
                .collect();
            assert_eq!(told, sent);
            world.append(names).await;
        }
    });
}

#[test]
fn no_model_is_asked_when_there_is_nothing_to_cut() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 a2").await;
        let scripted = Arc::new(Scripted::new(["never"]));
        world.compact(&summarized(scripted.clone())).await;
        assert_eq!(scripted.asked().len(), 0);
    });
}

/// Answers with status 200 that small models really gave to a conversation of thirty messages, each
/// useless in its own way. One more turns a decision round; nothing in its form tells, so it is not
/// among them.
#[test]
fn recorded_useless_answers_are_refused_by_name_and_history_stays_byte_for_byte() {
    let read = |text: &str| -> Vec<serde_json::Value> { serde_json::from_str(text).unwrap() };
    let talk = read(include_str!(
        "../../session-summarizer/tests/data/halyard.json"
    ));
    let answers = read(include_str!(
        "../../session-summarizer/tests/data/summaries.json"
    ));
    let bad = answers
        .iter()
        .filter(|it| it["name"].as_str().unwrap().starts_with("bad_summary"));
    let mut refused = Vec::new();
    for answer in bad {
        let word = |field: &str| answer[field].as_str().unwrap();
        for (finish, expected) in [
            (Finish::from_name(word("finish")), word("fault")),
            (Finish::Complete, word("fault_if_complete")),
        ] {
            block_on(async {
                let world = World::new().await;
                for message in &talk {
                    let text = message["content"].as_str().unwrap();
                    let message = match message["role"].as_str().unwrap() {
                        "user" => Message::user(text),
                        _ => Message::assistant(text),
                    };
                    world.sessions.append(&world.id, message).await.unwrap();
                }
                let store = world.sessions.store();
                let before = world.sessions.log(&world.id).await.unwrap();
                let bytes = format!("{:?}", store.session(&world.id).await.unwrap());
                let view = world.sessions.view(&world.id).await.unwrap();

                let summary = Summary::new(word("text"), "small").unwrap();
                let model = Scripted::new([Answer::Summary(summary.with_finish(finish))]);
                let report = world.compact(&summarized(model)).await;
                assert_eq!(report.outcome, Outcome::Declined);
                assert_eq!(report.reason(), Some(expected), "{}", word("name"));
                let after = world.sessions.log(&world.id).await.unwrap();
                let json = |log: &[Arc<session::Event>]| -> Vec<String> {
                    let record = |event: &Arc<session::Event>| {
                        session_log::wire::encode(&(**event).clone().into_new()).unwrap()
                    };
                    log.iter().map(record).collect()
                };
                assert_eq!(json(&after), json(&before));
                assert_eq!(world.sessions.view(&world.id).await.unwrap(), view);
                assert_eq!(
                    format!("{:?}", store.session(&world.id).await.unwrap()),
                    bytes
                );
            });
        }
        refused.push(word("name"));
    }
    assert_eq!(refused.len(), 4, "{refused:?}");
}

/// Who asked to be told of failures was told of a pass whose trigger did not fire: the report came
/// before its outcome was in it.
#[test]
fn the_report_of_a_failure_says_how_it_failed() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let told = |reports: &Arc<Mutex<Vec<Report>>>| {
        let reports = reports.clone();
        move |report: &Report| reports.lock().unwrap().push(report.clone())
    };
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        for limit in [u64::MAX, 1] {
            let compaction = Compaction::builder(Window::Turns(1))
                .summarizer(Scripted::new(["Error: connection refused"]))
                .fall_back_above(limit)
                .on_failure(told(&reports))
                .build();
            world.compact(&compaction.unwrap()).await;
        }
    });
    for report in reports.lock().unwrap().iter() {
        assert_eq!(report.outcome, Outcome::Declined);
        assert_eq!(report.reason(), Some("error_text"));
    }
    assert_eq!(reports.lock().unwrap().len(), 2);
}
