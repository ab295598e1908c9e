//! The worked cases of the upstream design on passes (SV), on the view (V) and on what is sent (AD),
//! as far as they are not with filters, recall and the harness.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{Always, World, block_on, id, names};
use session::{
    Compaction, EventType, Expected, Filter, Harness, Message, Outcome, Reason, SearchQuery,
    SessionId, Sessions, Timestamp, ToolCall, Trigger, Version, View, Window,
};
use session_log::{EventBody, Json};

async fn messages(sessions: &Sessions, id: &SessionId) -> Vec<String> {
    let events = sessions.events(id, &Filter::all()).await.unwrap();
    let texts = events.iter().filter_map(|event| event.as_message());
    texts.map(|message| message.text().into_owned()).collect()
}

#[test]
fn passes_count_what_leaves_and_the_log_has_everything() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 u2 u3 u4 u5").await;
        let two = Compaction::builder(Window::Events(2)).build().unwrap();
        let never = Compaction::builder(Window::Events(2)).when(Trigger::EventCount(9));
        let report = world.compact(&never.build().unwrap()).await;
        assert_eq!(
            (report.outcome, report.version),
            (Outcome::NotTriggered, Version::new(5)),
            "SV7"
        );
        let wide = Compaction::builder(Window::Events(9)).build().unwrap();
        let report = world.compact(&wide).await;
        assert_eq!(
            report.outcome,
            Outcome::Unchanged(Reason::FitsWindow),
            "SV8"
        );
        assert_eq!(report.version, Version::new(5), "SV8: nothing written");

        let report = world.compact(&two).await;
        assert_eq!(report.covered.len(), 3, "SV5");
        assert_eq!(world.view().await, "u4 u5", "SV5");
        assert_eq!(messages(&world.sessions, &world.id).await.len(), 5, "SV5");
        let found = world
            .sessions
            .search(&world.id, &SearchQuery::new(["u1"]))
            .await
            .unwrap();
        assert_eq!(found.items.len(), 1, "SV6: what is covered is found");
        let report = world.compact(&two).await;
        assert_eq!(
            report.outcome,
            Outcome::Unchanged(Reason::FitsWindow),
            "V10"
        );
    });
}

#[test]
fn a_view_is_what_the_newest_boundary_says_and_everything_after_it() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1").await;
        let audit = EventType::new("ACME.AUDIT").unwrap();
        let body = EventBody::Custom {
            event_type: audit,
            payload: Json::string("seen"),
        };
        let audit = session::NewEvent::new(id("x1"), Timestamp::from_millis(0), body);
        let appended = world
            .sessions
            .append_events(&world.id, Expected::Any, vec![audit])
            .await;
        assert!(appended.unwrap().done().is_some());
        assert_eq!(world.view().await, "u1 a1", "V1, V5");

        world.append("u2 a2 u3 a3").await;
        let before = world.sessions.log(&world.id).await.unwrap();
        let two = Compaction::builder(Window::Turns(2)).summarizer(Always("S"));
        let report = world.compact(&two.build().unwrap()).await;
        assert!(!report.covered.contains(&id("x1")), "V5");
        assert_eq!(world.view().await, "prompt summary u2 a2 u3 a3", "V2");
        let after = world.sessions.log(&world.id).await.unwrap();
        assert_eq!(
            after.len(),
            before.len() + 3,
            "V2: a boundary and its summary"
        );
        assert_eq!(after[..before.len()], before, "V2");

        let one = Compaction::builder(Window::Turns(1)).build().unwrap();
        world.compact(&one).await;
        assert_eq!(
            world.view().await,
            "prompt summary u3 a3",
            "V3: the newest counts, Σ is carried"
        );
        world.append("u4").await;
        assert_eq!(world.view().await, "prompt summary u3 a3 u4", "V4");
        let one = Compaction::builder(Window::Turns(1)).summarizer(Always("S2"));
        let report = world.compact(&one.build().unwrap()).await;
        assert_eq!(
            report.covered.len(),
            4,
            "V12: the carried summary is covered by the new one"
        );
        assert_eq!(world.view().await, "prompt summary u4", "V12");
    });
}

#[test]
fn a_system_message_stored_after_a_pass_is_pinned_by_the_next_that_cuts() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 u1 a1 u2 a2").await;
        let one = Compaction::builder(Window::Turns(1)).build().unwrap();
        world.compact(&one).await;
        assert_eq!(world.view().await, "s1 u2 a2");
        world.append("s2").await;
        let report = world.compact(&one).await;
        assert_eq!(
            report.outcome,
            Outcome::Unchanged(Reason::FitsWindow),
            "V9: without a cut"
        );
        assert_eq!(world.view().await, "s1 u2 a2 s2", "V7, V9");
        world.append("u3 a3").await;
        let report = world.compact(&one).await;
        assert_eq!(report.superseded, [id("s1")], "V8");
        assert_eq!(world.view().await, "s2 u3 a3", "V7");
    });
}

#[test]
fn calls_and_results_come_back_as_they_were_said() {
    block_on(async {
        let world = World::new().await;
        let call = Message::tool_calls([ToolCall::new("c1", "get_weather", r#"{"city":"Paris"}"#)]);
        let result = Message::tool_result("c1", "22C");
        for message in [&call, &result] {
            world
                .sessions
                .append(&world.id, message.clone())
                .await
                .unwrap();
        }
        let log = world.sessions.log(&world.id).await.unwrap();
        let read: Vec<_> = log.iter().filter_map(|event| event.as_message()).collect();
        assert_eq!(read, [&call, &result], "RP14");
    });
}

#[test]
fn a_call_and_its_results_are_sent_whole_or_not_at_all() {
    block_on(async {
        let two = ToolCall::new("c2", "tool", "{}");
        let one = ToolCall::new("c1", "tool", "{}");
        for (answered, sent) in [
            (vec!["c1", "c2"], "q call result result next"),
            (vec!["c1"], "q call result next"),
        ] {
            let world = World::new().await;
            let said = [
                Message::user("q"),
                Message::tool_calls([one.clone(), two.clone()]),
            ];
            let results = answered
                .iter()
                .map(|call| Message::tool_result(*call, "result"));
            for message in said.into_iter().chain(results) {
                world.sessions.append(&world.id, message).await.unwrap();
            }
            let harness = Harness::new(world.sessions.clone());
            let turn = harness
                .begin_turn(&world.id, "t", Message::user("next"))
                .await
                .unwrap();
            let request = turn.request();
            let kinds = request.messages.iter().map(|message| {
                match (message.calls().count(), message.results().count()) {
                    (0, 0) => message.text().into_owned(),
                    (0, _) => "result".to_owned(),
                    (calls, _) => {
                        assert_eq!(
                            calls,
                            answered.len(),
                            "AD30: a call without result is left out"
                        );
                        "call".to_owned()
                    }
                }
            });
            assert_eq!(kinds.collect::<Vec<_>>().join(" "), sent, "AD30");
            assert_eq!(request.warnings.is_empty(), answered.len() == 2, "AD30");
        }
    });
}

#[test]
fn a_stored_system_message_outlives_passes_and_windows() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 u1 a1 u2 a2 u3 a3").await;
        let one = Compaction::builder(Window::Turns(1)).build().unwrap();
        world.compact(&one).await;
        let harness = Harness::new(world.sessions.clone());
        let turn = harness
            .begin_turn(&world.id, "t", Message::user("q4"))
            .await
            .unwrap();
        let request = turn.request();
        let sent: Vec<_> = request
            .messages
            .iter()
            .map(|message| message.text())
            .collect();
        assert_eq!(sent, ["s1", "u3", "a3", "q4"], "AD9, AD33");
    });
}

#[test]
fn three_rounds_of_summaries_leave_the_newest_of_each() {
    block_on(async {
        let world = World::new().await;
        let four = Compaction::builder(Window::Events(4))
            .summarizer(Always("S"))
            .build()
            .unwrap();
        let rounds = [
            (
                "u1 s1 a1 u2 a2 u3 a3 u4 a4 u5 a5",
                "s1 prompt summary u4 a4 u5 a5",
            ),
            ("u6 a6 u7 a7", "s1 prompt summary u6 a6 u7 a7"),
            ("u8 s2 a8 u9 s3 a9", "s3 prompt summary u8 a8 u9 a9"),
        ];
        for (appended, expected) in rounds {
            world.append(appended).await;
            world.compact(&four).await;
            assert_eq!(world.view().await, expected, "RS26");
        }
        let log = world.sessions.log(&world.id).await.unwrap();
        let view = world.sessions.view(&world.id).await.unwrap();
        assert_eq!(names(&View::fold(log)), names(&view));
    });
}
