//! Filters, as tables: the log, the filter, and what is shown.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]

mod common;

use common::{World, block_on, event};
use session::{
    Branch, Compaction, Error, EventType, Expected, Filter, InvalidSettings, NewEvent, Role,
    Source, Synthetic, Timestamp, Window,
};
use session_log::{EventBody, Origin};

/// Appends events by name, each a millisecond after the one before. A name that begins with `y` is
/// a synthetic message; one that ends in `@path` is of that branch.
async fn world(names: &str) -> World {
    let world = World::new().await;
    for (at, name) in names.split_whitespace().enumerate() {
        let (name, branch) = match name.split_once('@') {
            Some((name, branch)) => (name, Some(Branch::new(branch).unwrap())),
            None => (name, None),
        };
        let mut new = event(&name.replacen('y', "u", 1));
        if name.starts_with('y') {
            new.id = common::id(name);
            new.origin = Origin::Injected;
        }
        new.branch = branch;
        new.timestamp = Timestamp::from_millis(i64::try_from(at).unwrap());
        append(&world, new).await;
    }
    world
}

async fn append(world: &World, event: NewEvent) {
    let appended = world
        .sessions
        .append_events(&world.id, Expected::Any, vec![event])
        .await
        .unwrap();
    assert!(appended.done().is_some());
}

async fn shown(world: &World, filter: &Filter) -> String {
    let events = world.sessions.events(&world.id, filter).await.unwrap();
    let names = events
        .iter()
        .map(|event| match event.id.as_str().rsplit_once('/') {
            Some((_, half)) => half,
            None => event.id.as_str(),
        });
    names.collect::<Vec<_>>().join(" ")
}

fn check(log: &str, cases: &[(Filter, &str)]) {
    block_on(async {
        let world = world(log).await;
        for (filter, expected) in cases {
            assert_eq!(
                shown(&world, filter).await,
                *expected,
                "{filter:?} of {log}"
            );
            // Without a boundary the view is the log, and every filter shows the same of it.
            let mut of_view = filter.clone();
            of_view.source = Source::View;
            if filter.types.is_empty() {
                assert_eq!(
                    shown(&world, &of_view).await,
                    *expected,
                    "{of_view:?} of {log}"
                );
            }
        }
    });
}

#[test]
fn the_last_events_begin_where_their_turn_begins() {
    check(
        "u1 a1 u2 c2 t2 a3",
        &[
            (Filter::last(1), "u2 c2 t2 a3"),
            (Filter::last(2), "u2 c2 t2 a3"),
            (Filter::last(4), "u2 c2 t2 a3"),
            (Filter::last(5), "u1 a1 u2 c2 t2 a3"),
            (Filter::last(6), "u1 a1 u2 c2 t2 a3"),
            (Filter::last(usize::MAX), "u1 a1 u2 c2 t2 a3"),
            // A filter that hides who opens turns has nothing to begin at.
            (Filter::last(2).with_roles([Role::Assistant]), "c2 a3"),
            (
                Filter::last(2).with_roles([Role::User, Role::Assistant]),
                "u2 c2 a3",
            ),
            (Filter::last(1).with_roles([Role::User]), "u2"),
        ],
    );
    // Before the first turn there is no turn to begin.
    check("a1 a2 a3", &[(Filter::last(2), "a2 a3")]);
    check("a1 a2 u1 a3", &[(Filter::last(3), "a2 u1 a3")]);
}

#[test]
fn a_summary_turn_is_not_entered_in_the_middle() {
    block_on(async {
        let world = world("u1 a1 u2 a2").await;
        let compaction = Compaction::builder(Window::Turns(1))
            .summarizer(common::Always("S"))
            .build()
            .unwrap();
        world.compact(&compaction).await;
        let active = |count| {
            let mut filter = Filter::last(count);
            filter.source = Source::View;
            filter
        };
        assert_eq!(shown(&world, &active(3)).await, "prompt summary u2 a2");
        assert_eq!(shown(&world, &active(2)).await, "u2 a2");
        assert_eq!(shown(&world, &Filter::last(1)).await, "prompt summary");
        assert_eq!(
            shown(&world, &Filter::active()).await,
            "prompt summary u2 a2"
        );
        assert_eq!(
            shown(&world, &Filter::real_only().with_roles([Role::User])).await,
            "u1 u2"
        );
    });
}

#[test]
fn pages_of_events_go_from_the_oldest_on() {
    let page = |page, size| Filter::all().page_of_events(page, size);
    check(
        "u1 a1 u2 a2 u3 a3 u4",
        &[
            (page(0, 3), "u1 a1 u2"),
            (page(1, 3), "a2 u3 a3"),
            (page(2, 3), "u4"),
            (page(3, 3), ""),
            (page(usize::MAX, 3), ""),
            (page(0, usize::MAX), "u1 a1 u2 a2 u3 a3 u4"),
            (page(1, 2).with_roles([Role::Assistant]), "a3"),
        ],
    );
}

#[test]
fn pages_of_turns_are_whole_and_the_preamble_is_on_the_first() {
    let page = |page, size| Filter::all().page_of_turns(page, size);
    check(
        "a0 u1 a1 u2 c2 t2 a3 u4 a4",
        &[
            (page(0, 1), "a0 u1 a1"),
            (page(1, 1), "u2 c2 t2 a3"),
            (page(2, 1), "u4 a4"),
            (page(3, 1), ""),
            (page(0, 2), "a0 u1 a1 u2 c2 t2 a3"),
            (page(1, 2), "u4 a4"),
            (page(0, 3), "a0 u1 a1 u2 c2 t2 a3 u4 a4"),
            (page(0, usize::MAX), "a0 u1 a1 u2 c2 t2 a3 u4 a4"),
            (page(usize::MAX, usize::MAX), ""),
        ],
    );
    check("a1 a2", &[(page(0, 1), "a1 a2"), (page(1, 1), "")]);
    check("", &[(page(0, 1), ""), (Filter::last(3), "")]);
}

#[test]
fn what_nobody_said_can_be_left_out_or_asked_for() {
    let mut only = Filter::all();
    only.synthetic = Synthetic::Only;
    check(
        "u1 y2 a1",
        &[
            (Filter::all(), "u1 y2 a1"),
            (Filter::real_only(), "u1 a1"),
            (only, "y2"),
        ],
    );
}

#[test]
fn both_ends_of_a_time_are_part_of_it() {
    let at = Timestamp::from_millis;
    check(
        "u1 a1 u2 a2",
        &[
            (Filter::all().with_since(at(1)), "a1 u2 a2"),
            (Filter::all().with_until(at(1)), "u1 a1"),
            (Filter::all().with_since(at(1)).with_until(at(2)), "a1 u2"),
            (Filter::all().with_since(at(9)), ""),
        ],
    );
}

#[test]
fn a_branch_sees_the_root_its_ancestors_and_itself() {
    let branch = |path| Filter::all().with_branch(Branch::new(path).unwrap());
    let log = "u1 a1@orch a2@orch.researcher a3@orch.writer a4@orch.researcher.summarizer a5@orchestra a6";
    check(
        log,
        &[
            (branch("orch.researcher"), "u1 a1 a2 a6"),
            (branch("orchestra.researcher"), "u1 a5 a6"),
            (branch("orch"), "u1 a1 a6"),
        ],
    );
    block_on(async {
        let world = world(log).await;
        let branch = Branch::new("orch.researcher").unwrap();
        let view = world.sessions.view_for(&world.id, &branch).await.unwrap();
        assert_eq!(common::names(&view), "u1 a1 a2 a6");
    });
}

#[test]
fn custom_events_are_in_the_log_and_not_in_the_view() {
    block_on(async {
        let world = world("u1 a1").await;
        let audit = EventType::new("ACME.AUDIT").unwrap();
        let body = EventBody::Custom {
            event_type: audit.clone(),
            payload: session_log::Json::string("seen"),
        };
        append(
            &world,
            NewEvent::new(common::id("x1"), Timestamp::from_millis(9), body),
        )
        .await;
        assert_eq!(shown(&world, &Filter::all()).await, "u1 a1 x1");
        assert_eq!(shown(&world, &Filter::active()).await, "u1 a1");
        let audits = Filter::last(5).with_types([audit]);
        assert_eq!(shown(&world, &audits).await, "x1");
    });
}

#[test]
fn parts_of_nothing_are_refused_by_name() {
    block_on(async {
        let world = world("u1").await;
        for filter in [
            Filter::last(0),
            Filter::all().page_of_events(0, 0),
            Filter::active().page_of_turns(3, 0),
        ] {
            let refused = world.sessions.events(&world.id, &filter).await.unwrap_err();
            let is_zero = matches!(refused, Error::Settings(InvalidSettings::Zero { .. }));
            assert!(is_zero, "{refused}");
        }
        let unknown = session::SessionId::new("nobody").unwrap();
        let refused = world.sessions.events(&unknown, &Filter::all()).await;
        assert!(matches!(refused, Err(Error::UnknownSession { .. })));
    });
}

/// A time that ends before it begins was refused where the log was asked for, and gave nothing where
/// the view was.
#[test]
fn a_time_that_ends_before_it_begins_is_refused_of_log_and_view() {
    block_on(async {
        let world = world("u1").await;
        for filter in [Filter::all(), Filter::active()] {
            let filter = filter
                .with_since(Timestamp::from_millis(2))
                .with_until(Timestamp::from_millis(1));
            let refused = world.sessions.events(&world.id, &filter).await;
            assert!(refused.is_err(), "{filter:?}");
        }
    });
}
