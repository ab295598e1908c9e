//! Laws 16 and 17: reading.

use std::sync::Arc;

use compaction_core::EntryKind;
use session_log::{Branch, Event, EventType, Message, NewEvent, Origin, Role, SessionId, ToolCall};
use session_store::{
    Branches, Direction, EventQuery, SessionStore, SessionStoreExt as _, Synthetic,
};

use crate::lab::Lab;
use crate::make::{assistant, at, boundary, custom, eid, pin, revert, said, seq, user};

/// Law 16: a read gives what matches, in log order, each once.
///
/// # Panics
///
/// When the law does not hold, as all functions of this module.
pub async fn law_16_filters<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    lab.append(&id, varied_events()).await;
    let other = lab.create("s2").await;
    lab.append(&other, vec![user("other", "not mine")]).await;
    let log = lab.log(&id).await;
    for query in queries().into_iter().chain(long_queries()) {
        for direction in [Direction::Forward, Direction::Backward] {
            let query = query.clone().with_direction(direction);
            let expected = oracle(&log, &query);
            let page = lab.store.read(&id, &query).await.unwrap();
            assert_eq!(seqs(&page.items), seqs(&expected), "{query:?}");
            assert_eq!(page.items, expected);
            assert_eq!(page.next, None, "a page without limit is the last");
        }
        let newest = lab.store.read_newest(&id, query.clone(), 3).await.unwrap();
        let all = oracle(&log, &query);
        assert_eq!(newest, all[all.len().saturating_sub(3)..], "{query:?}");
    }
}

/// Law 17: pages put together are the whole, also while the log grows.
pub async fn law_17_pages<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    lab.append(&id, varied_events()).await;
    let log = lab.log(&id).await;
    for query in queries() {
        for direction in [Direction::Forward, Direction::Backward] {
            let query = query.clone().with_direction(direction);
            let expected = oracle(&log, &query);
            for limit in [1, 2, 5, 1000] {
                let paged = query.clone().with_limit(limit);
                let pages = all_pages(&lab, &id, paged, limit).await;
                assert_eq!(seqs(&pages), seqs(&expected), "{query:?} by {limit}");
            }
        }
    }

    // A cursor that stands on no matching event, or behind the end.
    let late = EventQuery::all().with_after(seq(999)).with_limit(2);
    assert!(lab.read(&id, late).await.is_empty());
    let early = EventQuery::all().newest(2).with_after(seq(999));
    let page = lab.store.read(&id, &early).await.unwrap();
    assert_eq!(page.items.len(), 2);

    // Between two pages the log grows: nothing is missed and nothing comes twice.
    let first = EventQuery::all().with_limit(3);
    let page = lab.store.read(&id, &first).await.unwrap();
    lab.append(&id, vec![user("late", "late")]).await;
    let rest = first.with_after(page.next.unwrap());
    let together = [page.items, lab.read(&id, rest).await].concat();
    assert_eq!(together, lab.log(&id).await);

    // Read from its end, what comes later is before the first page.
    let mut log = lab.log(&id).await;
    log.reverse();
    let first = EventQuery::all().newest(3);
    let page = lab.store.read(&id, &first).await.unwrap();
    lab.append(&id, vec![user("later", "later")]).await;
    let rest = first.with_after(page.next.unwrap());
    assert_eq!([page.items, lab.read(&id, rest).await].concat(), log);
}

async fn all_pages<S: SessionStore>(
    lab: &Lab<S>,
    id: &SessionId,
    mut query: EventQuery,
    limit: usize,
) -> Vec<Arc<Event>> {
    let mut events = Vec::new();
    loop {
        let page = lab.store.read(id, &query).await.unwrap();
        assert!(page.items.len() <= limit);
        assert!(page.next.is_none() || page.next != query.after, "{query:?}");
        events.extend(page.items);
        match page.next {
            Some(mark) => query.after = Some(mark),
            None => return events,
        }
    }
}

fn oracle(log: &[Arc<Event>], query: &EventQuery) -> Vec<Arc<Event>> {
    let matching = log.iter().filter(|event| query.matches(event));
    let mut events: Vec<_> = matching.cloned().collect();
    if query.direction == Direction::Backward {
        events.reverse();
    }
    events
}

fn seqs(events: &[Arc<Event>]) -> Vec<u64> {
    events.iter().map(|event| event.seq.as_u64()).collect()
}

/// Events that differ in everything a query asks for.
fn varied_events() -> Vec<NewEvent> {
    let branch = |path: &str| Branch::new(path).unwrap();
    let summary = Origin::Summary {
        boundary: Some(eid("b1")),
    };
    let mut events = vec![
        said("s1", Message::system("Be brief.")),
        said("d1", Message::new(Role::Developer, Vec::new())),
        user("u1", "one"),
        said(
            "c1",
            Message::tool_calls([ToolCall::new("k1", "rooms", "{}")]),
        ),
        said("t1", Message::tool_result("k1", "2 rooms")),
        assistant("a1", "two rooms"),
        user("u2", "two").with_origin(Origin::Injected),
        assistant("g1", "first").with_branch(branch("root.agent_1")),
        assistant("g10", "tenth").with_branch(branch("root.agent_10")),
        assistant("gr", "plan").with_branch(branch("root")),
        user("gs", "below").with_branch(branch("root.agent_1.search")),
        custom("x1", "ACME.AUDIT", "1"),
        custom("x2", "ACME.AUDIT_X", "1"),
        said("o1", Message::new(Role::Other("critic".into()), Vec::new())),
        said("o2", Message::new(Role::Other("user".into()), Vec::new())),
        boundary("b1", 3, &[1]),
        user("b1/u", "Summarize").with_origin(summary.clone()),
        assistant("b1/a", "Rooms.").with_origin(summary),
        revert("r1", 16),
        pin("p1", 3),
    ];
    for number in 0..20 {
        events.push(user(&format!("v{number}"), "more"));
        events.push(assistant(&format!("w{number}"), "more"));
    }
    for (event, millis) in events.iter_mut().zip([5, 3, 9, 1, 7].into_iter().cycle()) {
        event.timestamp = at(millis);
    }
    events
}

fn queries() -> Vec<EventQuery> {
    let all = EventQuery::all;
    let branch = |path: &str| Branches::VisibleTo(Branch::new(path).unwrap());
    let own = EventType::new("ACME.AUDIT").unwrap();
    let narrow = all()
        .with_from(seq(50))
        .with_also([seq(16), seq(1), seq(1)]);
    vec![
        all(),
        all().with_from(seq(5)),
        all().with_to(seq(5)),
        all().with_from(seq(5)).with_to(seq(5)),
        all().with_from(seq(60)),
        all().with_from(seq(61)),
        all().with_from(seq(u64::MAX)),
        all().with_to(seq(u64::MAX)),
        narrow.clone(),
        all()
            .with_from(seq(999))
            .with_also([seq(7), seq(3), seq(998)]),
        all().with_to(seq(4)).with_also([seq(2), seq(40)]),
        all()
            .with_from(seq(10))
            .with_to(seq(12))
            .with_also((1..=60).rev().map(seq)),
        narrow.with_roles([Role::System]),
        all().with_types([EventType::MESSAGE]),
        all().with_types([EventType::COMPACTION, EventType::REVERT]),
        all().with_types([EventType::PIN]),
        all().with_types([own.clone()]),
        all().with_types([own]).with_roles([Role::User]),
        all().with_roles([Role::User]),
        all().with_roles([Role::System]),
        all().with_roles([Role::Developer]),
        all().with_roles([Role::Tool, Role::Assistant]),
        all().with_roles([Role::Other("critic".into())]),
        all().with_roles([Role::Other("user".into())]),
        all().with_roles([Role::Other("USER".into())]),
        all().with_kinds([EntryKind::TurnStart]),
        all().with_kinds([EntryKind::System, EntryKind::StepStart]),
        all().with_kinds([EntryKind::Continuation]),
        all().with_kinds([EntryKind::Summary]),
        all().with_since(at(5)),
        all().with_until(at(5)),
        all().with_since(at(3)).with_until(at(7)),
        all().with_since(at(9)).with_until(at(9)),
        all().with_since(at(10)),
        all().with_until(at(0)),
        all().with_since(at(i64::MIN)).with_until(at(i64::MAX)),
        all().with_since(at(i64::MAX)),
        all().with_until(at(i64::MIN)),
        all().with_synthetic(Synthetic::Without),
        all().with_synthetic(Synthetic::Only),
        all().with_branches(Branches::Root),
        all().with_branches(branch("root")),
        all().with_branches(branch("root.agent_1")),
        all().with_branches(branch("root.agent_10")),
        all().with_branches(branch("root.agent_1.search.deep")),
        all().with_branches(branch("elsewhere")),
        all().with_ids([eid("a1"), eid("u1"), eid("other"), eid("nobody")]),
        all().with_ids([eid("a1"), eid("w3")]).with_from(seq(20)),
        all()
            .with_ids([eid("a1"), eid("w3")])
            .with_to(seq(2))
            .with_also([seq(6)]),
        all().with_ids([eid("u1")]).with_roles([Role::Assistant]),
        all()
            .with_from(seq(3))
            .with_to(seq(40))
            .with_types([EventType::MESSAGE])
            .with_roles([Role::User])
            .with_kinds([EntryKind::TurnStart])
            .with_since(at(2))
            .with_until(at(8))
            .with_synthetic(Synthetic::Without)
            .with_branches(Branches::Root),
    ]
}

/// Queries with more in them than a database takes in one statement.
fn long_queries() -> Vec<EventQuery> {
    let all = EventQuery::all;
    let many = || 0..40_000;
    let role = |number| Role::Other(format!("r{number}"));
    vec![
        all().with_limit(usize::MAX),
        all()
            .with_from(seq(u64::MAX))
            .with_also((1..5_000).map(seq)),
        all().with_ids((0..5_000).map(|number| eid(&format!("v{number}")))),
        all().with_roles(many().map(role)),
        all().with_roles(many().map(role).chain([Role::User])),
        all().with_types(many().map(|_| EventType::PIN)),
        all().with_kinds(many().map(|_| EntryKind::TurnStart)),
    ]
}
