//! Passes through the whole service: what they write, what they leave alone, what overtakes them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod common;

use common::{Always, World, block_on, id, names};
use session::{
    Compaction, OnConflict, Outcome, PassPlan, Prepared, Reason, Trigger, Version, Window,
};

fn turns(count: usize) -> Compaction {
    Compaction::builder(Window::Turns(count)).build().unwrap()
}

#[test]
fn a_pass_appends_one_boundary_and_changes_no_event() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 u1 a1 u2 a2 u3 a3").await;
        let before = world.sessions.log(&world.id).await.unwrap();

        let report = world.compact(&turns(1)).await;
        assert_eq!(report.outcome, Outcome::Compacted);
        assert_eq!(report.pinned, [id("s1")]);
        assert_eq!(report.covered, ["u1", "a1", "u2", "a2"].map(id));
        assert_eq!(report.preserved, ["u3", "a3"].map(id));
        assert_eq!(world.view().await, "s1 u3 a3");

        let after = world.sessions.log(&world.id).await.unwrap();
        assert_eq!(after.len(), before.len() + 1);
        assert_eq!(after[..before.len()], before);
        assert_eq!(report.version, Version::new(8));
    });
}

#[test]
fn a_second_pass_finds_that_all_fits_and_writes_nothing() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        world.compact(&turns(1)).await;
        let report = world.compact(&turns(1)).await;
        assert_eq!(report.outcome, Outcome::Unchanged(Reason::FitsWindow));
        assert_eq!(report.version, Version::new(5));
    });
}

#[test]
fn one_turn_alone_has_nowhere_to_cut_and_the_report_says_so() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 a2 a3").await;
        let events = Compaction::builder(Window::Events(2)).build().unwrap();
        let report = world.compact(&events).await;
        assert_eq!(report.outcome, Outcome::Unchanged(Reason::NoTurnToCut));
        assert_eq!(report.reason(), Some("no_turn_to_cut"));
    });
}

#[test]
fn a_trigger_that_does_not_fire_is_explained_with_the_numbers() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let compaction = Compaction::builder(Window::Turns(1))
            .when(Trigger::TurnCount(2))
            .build()
            .unwrap();
        let report = world.compact(&compaction).await;
        assert_eq!(report.outcome, Outcome::NotTriggered);
        assert_eq!(report.why, "2 turns are not more than 2 turns");
        world.append("u3").await;
        assert_eq!(world.compact(&compaction).await.outcome, Outcome::Compacted);
    });
}

#[test]
fn sizes_before_and_after_count_the_formatted_events() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 u1 a1 u2 a2").await;
        let report = world.compact(&turns(1)).await;
        assert_eq!(report.before.tokens, 10 + 8 + 13 + 8 + 13);
        assert_eq!(report.after.tokens, 10 + 8 + 13);
        assert_eq!((report.after.events, report.after.turns), (3, 1));
    });
}

#[test]
fn what_is_appended_between_plan_and_commit_stays_in_the_view() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let prepared = world.sessions.prepare(&world.id, &turns(1)).await.unwrap();
        let Prepared::Plan(plan) = prepared else {
            panic!("there are two turns");
        };
        world.append("u3 a3").await;
        let report = world
            .sessions
            .commit(&plan, OnConflict::Rebase)
            .await
            .unwrap();
        assert_eq!(report.outcome, Outcome::Compacted);
        assert_eq!(world.view().await, "u2 a2 u3 a3");

        let again = world
            .sessions
            .commit(&plan, OnConflict::Rebase)
            .await
            .unwrap();
        assert_eq!(
            again.outcome,
            Outcome::Compacted,
            "a repeated commit changes nothing"
        );
        assert_eq!(world.sessions.log(&world.id).await.unwrap().len(), 7);
    });
}

#[test]
fn a_plan_survives_being_stored() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 u1 a1 u2 a2").await;
        let Prepared::Plan(plan) = world.sessions.prepare(&world.id, &turns(1)).await.unwrap()
        else {
            panic!("there are two turns");
        };
        let stored = plan.to_json().unwrap();
        assert_eq!(PassPlan::from_json(&stored).unwrap(), *plan);

        for (damage, what) in [
            (stored.replacen("\"v\":1", "\"v\":2", 1), "version 2"),
            (stored[..stored.len() / 2].to_owned(), "EOF"),
            ("[]".to_owned(), "invalid"),
        ] {
            let error = PassPlan::from_json(&damage).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    });
}

/// A stored plan lost its summary on the way and was taken all the same. It would have landed, and
/// the next messages would have been shown in the summary's place.
#[test]
fn a_stored_plan_without_the_summary_it_names_is_refused() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let summarized = Compaction::builder(Window::Turns(1)).summarizer(Always("SUM"));
        let summarized = summarized.build().unwrap();
        let prepared = world.sessions.prepare(&world.id, &summarized).await;
        let Prepared::Plan(plan) = prepared.unwrap() else {
            panic!("there are two turns");
        };
        let mut stored: serde_json::Value = serde_json::from_str(&plan.to_json().unwrap()).unwrap();
        stored["events"].as_array_mut().unwrap().pop();
        let error = PassPlan::from_json(&stored.to_string()).unwrap_err();
        assert!(error.to_string().contains("not the summary"), "{error}");
    });
}

#[test]
fn the_older_rule_skips_a_plan_when_anything_was_appended() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let Prepared::Plan(plan) = world.sessions.prepare(&world.id, &turns(1)).await.unwrap()
        else {
            panic!("there are two turns");
        };
        world.append("u3").await;
        let report = world
            .sessions
            .commit(&plan, OnConflict::Skip)
            .await
            .unwrap();
        assert_eq!(report.outcome, Outcome::Stale);
        assert!(report.covered.is_empty());
        assert_eq!(world.view().await, "u1 a1 u2 a2 u3");
    });
}

#[test]
fn of_two_plans_of_one_view_only_one_lands() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2 u3 a3").await;
        let mut plans = Vec::new();
        for count in [1, 2] {
            match world
                .sessions
                .prepare(&world.id, &turns(count))
                .await
                .unwrap()
            {
                Prepared::Plan(plan) => plans.push(plan),
                Prepared::Nothing(report) => panic!("{report:?}"),
            }
        }
        let first = world
            .sessions
            .commit(&plans[0], OnConflict::Rebase)
            .await
            .unwrap();
        let second = world
            .sessions
            .commit(&plans[1], OnConflict::Rebase)
            .await
            .unwrap();
        assert_eq!(first.outcome, Outcome::Compacted);
        assert_eq!(second.outcome, Outcome::Stale);
        assert_eq!(world.view().await, "u3 a3");
    });
}

#[test]
fn undo_restores_the_view_exactly_and_redo_takes_that_back() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 u1 a1 u2 a2 u3 a3").await;
        let at_first = world.sessions.view(&world.id).await.unwrap();
        world.compact(&turns(2)).await;
        world.compact(&turns(1)).await;
        assert_eq!(world.view().await, "s1 u3 a3");

        world.sessions.undo(&world.id).await.unwrap().unwrap();
        assert_eq!(
            world.view().await,
            "s1 u2 a2 u3 a3",
            "the older boundary counts again"
        );
        world.sessions.undo(&world.id).await.unwrap().unwrap();
        let undone = world.sessions.view(&world.id).await.unwrap();
        assert_eq!(undone.events(), at_first.events());
        assert!(world.sessions.undo(&world.id).await.unwrap().is_none());

        world.sessions.redo(&world.id).await.unwrap().unwrap();
        assert_eq!(world.view().await, "s1 u2 a2 u3 a3");
        world.sessions.redo(&world.id).await.unwrap().unwrap();
        assert_eq!(world.view().await, "s1 u3 a3");
        assert!(world.sessions.redo(&world.id).await.unwrap().is_none());
    });
}

#[test]
fn an_earlier_version_shows_what_the_model_saw_then() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        world.compact(&turns(1)).await;
        world.append("u3").await;
        for (version, expected) in [
            (0, ""),
            (2, "u1 a1"),
            (4, "u1 a1 u2 a2"),
            (5, "u2 a2"),
            (6, "u2 a2 u3"),
            (99, "u2 a2 u3"),
        ] {
            let view = world
                .sessions
                .view_at(&world.id, Version::new(version))
                .await;
            assert_eq!(names(&view.unwrap()), expected, "at version {version}");
        }
    });
}

#[test]
fn a_pinned_call_stays_with_its_result_until_it_is_released() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 c1 t1 a1 u2 a2 u3 a3").await;
        world.sessions.pin(&world.id, &id("t1")).await.unwrap();
        let report = world.compact(&turns(1)).await;
        assert_eq!(report.covered, ["u1", "a1", "u2", "a2"].map(id));
        assert_eq!(world.view().await, "c1 t1 u3 a3");
        world.append("u4 a4").await;
        world.compact(&turns(1)).await;
        assert_eq!(world.view().await, "c1 t1 u4 a4");

        world.sessions.unpin(&world.id, &id("c1")).await.unwrap();
        assert_eq!(world.view().await, "u4 a4");
        world.sessions.pin(&world.id, &id("u1")).await.unwrap();
        assert_eq!(world.view().await, "u1 u4 a4", "a covered event comes back");
    });
}

#[test]
fn a_fork_goes_its_own_way() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        world.compact(&turns(1)).await;
        world.append("u3").await;
        let into = world.sessions.describe("fork".try_into().unwrap());
        let fork = world
            .sessions
            .fork(&world.id, Version::new(5), into)
            .await
            .unwrap();
        assert_eq!(fork.head.version, Version::new(5));
        let texts = |view: session::View| {
            let texts = view.messages().map(|message| message.text().into_owned());
            texts.collect::<Vec<_>>().join(" ")
        };
        let view = world.sessions.view(&fork.id).await.unwrap();
        assert_eq!(texts(view), "u2 a2");
        world.sessions.undo(&fork.id).await.unwrap();
        let view = world.sessions.view(&fork.id).await.unwrap();
        assert_eq!(texts(view), "u1 a1 u2 a2");
        assert_eq!(world.view().await, "u2 a2 u3", "the parent is as it was");
    });
}

#[test]
fn an_old_turn_that_is_pinned_again_is_not_taken_for_the_newest_one() {
    // The newest turn was cut inside, so the message that opens it leads the view. Then a turn
    // before it was pinned, and came back behind that message: for the next pass it was the last
    // turn to open, and what the person had said last was covered.
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 c1 t1 c2 t2 c3 t3 a2").await;
        let steps = Compaction::builder(Window::Events(3)).grain(session::Grain::Step);
        world.compact(&steps.build().unwrap()).await;
        assert_eq!(world.view().await, "u2 c3 t3 a2");

        world.sessions.pin(&world.id, &id("u1")).await.unwrap();
        assert_eq!(world.view().await, "u1 u2 c3 t3 a2");
        world.compact(&turns(1)).await;
        assert_eq!(world.view().await, "u1 u2 c3 t3 a2");
    });
}
