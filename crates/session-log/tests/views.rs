//! What a view shows of a log, case by case. `fold.rs` has the laws for all logs.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::sync::Arc;

use session_log::{
    Boundary, Branch, Event, EventBody, EventId, EventType, Json, Message, NewEvent, Origin, Pin,
    Receipt, Revert, Seq, Timestamp, TokenCount, Version, View, ViewQuery, boundary_keeping,
    live_boundary,
};

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap()
}

fn seqs(numbers: &[u64]) -> Vec<Seq> {
    numbers.iter().copied().map(seq).collect()
}

fn receipt() -> Receipt {
    Receipt::new(Json::null(), Json::null(), "tens")
}

#[derive(Default)]
struct Log(Vec<Arc<Event>>);

impl Log {
    /// So many turns of a question and an answer.
    fn of_turns(turns: u64) -> Self {
        let mut log = Self::default();
        for _ in 0..turns {
            log.say(Message::user("u"));
            log.say(Message::assistant("a"));
        }
        log
    }

    fn push(&mut self, body: EventBody, change: impl FnOnce(NewEvent) -> NewEvent) -> Seq {
        let at = seq(self.0.len() as u64 + 1);
        let id = EventId::new(format!("e{at}")).unwrap();
        let event = change(NewEvent::new(id, Timestamp::from_millis(0), body));
        self.0.push(Arc::new(event.at(at)));
        at
    }

    fn say(&mut self, message: Message) -> Seq {
        self.push(EventBody::Message(message), |event| event)
    }

    fn bound(&mut self, kept_from: u64, change: impl FnOnce(&mut Boundary)) -> Seq {
        let mut boundary = Boundary::new(seq(kept_from), receipt());
        change(&mut boundary);
        self.push(EventBody::Compaction(Box::new(boundary)), |event| event)
    }

    fn revert(&mut self, of: u64) -> Seq {
        self.push(EventBody::Revert(Revert::new(seq(of))), |event| event)
    }

    fn view(&self) -> View {
        View::fold(self.0.iter().cloned())
    }

    #[track_caller]
    fn check(&self, shown: &[u64]) {
        assert_eq!(places(&self.view()), shown);
    }
}

fn places(view: &View) -> Vec<u64> {
    view.events().iter().map(|it| it.seq.as_u64()).collect()
}

#[test]
fn an_empty_log_has_an_empty_view() {
    let view = View::fold([]);
    assert_eq!(view, View::default());
    assert_eq!(view.version(), Version::EMPTY);
    assert_eq!(view.messages().count(), 0);
    assert_eq!(ViewQuery::of(None).from, Seq::FIRST);
}

#[test]
fn a_revert_takes_back_what_came_before_it_and_nothing_else() {
    let mut log = Log::of_turns(2);
    let boundary = log.bound(3, |_| {});
    log.check(&[3, 4]);
    // Its own place, and one that is not there yet.
    log.revert(6);
    log.revert(99);
    log.check(&[3, 4]);
    log.revert(boundary.as_u64());
    log.check(&[1, 2, 3, 4]);
    log.revert(8);
    log.check(&[3, 4]);
    assert_eq!(
        live_boundary(log.0.iter().map(Arc::as_ref)).map(|event| event.seq),
        Some(boundary)
    );
}

#[test]
fn an_older_boundary_counts_again_when_the_newer_one_is_taken_back() {
    let mut log = Log::of_turns(3);
    log.bound(3, |_| {});
    log.bound(5, |_| {});
    log.check(&[5, 6]);
    log.revert(8);
    log.check(&[3, 4, 5, 6]);
}

#[test]
fn the_view_names_what_it_did_not_get() {
    let mut log = Log::of_turns(3);
    let at = log.bound(5, |boundary| boundary.pinned = seqs(&[1, 3]));
    let boundary = log.0.last().cloned();
    let query = ViewQuery::of(boundary.as_deref());
    assert_eq!(query.seqs, seqs(&[1, 3]));
    assert_eq!(query.from, seq(5));
    let read: Vec<_> = log
        .0
        .iter()
        .filter(|event| event.seq > seq(1))
        .cloned()
        .collect();
    let view = View::assemble(Version::from(at), boundary, read);
    assert_eq!(view.missing(), seqs(&[1]));
    assert_eq!(places(&view), [3, 5, 6]);
    assert_eq!(view.lead(), 1);
}

#[test]
fn a_place_named_twice_is_shown_once() {
    let mut log = Log::of_turns(2);
    log.bound(3, |boundary| boundary.pinned = seqs(&[1, 3, 1]));
    log.check(&[1, 3, 4]);
}

#[test]
fn a_summary_is_shown_where_a_live_boundary_names_it() {
    let mut log = Log::of_turns(2);
    let id = EventId::new("e6").unwrap();
    let at = log.bound(3, |boundary| boundary.summary = vec![id]);
    let boundary = Some(EventId::new(format!("e{at}")).unwrap());
    log.push(EventBody::Message(Message::user("so far")), |event| {
        event.with_origin(Origin::Summary { boundary })
    });
    log.check(&[6, 3, 4]);
    log.revert(5);
    log.check(&[1, 2, 3, 4]);
}

#[test]
fn what_is_pinned_after_it_was_covered_comes_back_before_what_came_later() {
    let mut log = Log::of_turns(3);
    log.bound(5, |boundary| boundary.pinned = seqs(&[1, 4]));
    log.push(EventBody::Pin(Pin::hold(seq(2))), |event| event);
    log.check(&[1, 2, 4, 5, 6]);
    log.push(EventBody::Pin(Pin::release(seq(2))), |event| event);
    log.check(&[1, 4, 5, 6]);
}

#[test]
fn a_pin_leaves_when_it_is_released() {
    let mut log = Log::of_turns(3);
    log.bound(5, |boundary| {
        boundary.pinned = seqs(&[1, 2]);
        boundary.held = seqs(&[2]);
        boundary.pins = seqs(&[2]);
    });
    log.check(&[1, 2, 5, 6]);
    log.push(EventBody::Pin(Pin::release(seq(2))), |event| event);
    log.check(&[1, 5, 6]);
}

/// A system message kept its place in the older design, and what came back stood before or behind it
/// depending on whether a third event was pinned: a release moved what it had nothing to do with.
#[test]
fn a_release_moves_nothing_that_stays() {
    let mut log = Log::of_turns(1);
    log.say(Message::system("s"));
    log.say(Message::user("u"));
    log.bound(4, |boundary| {
        boundary.pinned = seqs(&[2, 3]);
        boundary.held = seqs(&[2]);
        boundary.pins = seqs(&[2]);
    });
    log.push(EventBody::Pin(Pin::hold(seq(1))), |event| event);
    log.check(&[1, 2, 3, 4]);
    log.push(EventBody::Pin(Pin::release(seq(2))), |event| event);
    log.check(&[1, 3, 4]);
}

#[test]
fn a_cleared_result_is_a_line_that_says_where_it_is() {
    let mut log = Log::default();
    log.say(Message::user("u"));
    log.push(
        EventBody::Message(Message::tool_result("k1", "a long answer")),
        |event| event.with_tokens(TokenCount::new("tens", 12)),
    );
    log.say(Message::tool_result("k2", "another"));
    log.say(Message::tool_result("k3", "kept"));
    log.bound(1, |boundary| boundary.cleared = seqs(&[1, 2, 3]));
    let view = log.view();
    assert!(view.is_cleared(seq(2)) && !view.is_cleared(seq(4)));
    let shown: Vec<String> = view
        .messages()
        .map(|message| {
            let result = message.results().next();
            result.map_or_else(
                || message.text().into_owned(),
                |result| {
                    let text = result.parts.first().and_then(|part| part.as_text());
                    format!("{} {}", result.call_id, text.unwrap_or_default())
                },
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "u",
            "k1 [cleared: event e2, 12 tokens]",
            "k2 [cleared: event e3]",
            "k3 kept"
        ]
    );
    let boundary = view.boundary().expect("a boundary").clone();
    assert!(
        view.shown(&boundary).is_none(),
        "no message, nothing to show"
    );
}

#[test]
fn a_sub_agent_sees_the_root_its_ancestors_and_itself() {
    let mut log = Log::default();
    for branch in [None, Some("root.a"), Some("root.a.b"), Some("root.c"), None] {
        log.push(
            EventBody::Message(Message::user("x")),
            |event| match branch {
                Some(path) => event.with_branch(Branch::new(path).unwrap()),
                None => event,
            },
        );
    }
    let seen = |log: &Log, path: &str| {
        let view = log.view().visible_to(&Branch::new(path).unwrap());
        (places(&view), view.lead())
    };
    assert_eq!(seen(&log, "root.a.b"), (vec![1, 2, 3, 5], 0));
    assert_eq!(seen(&log, "root.a"), (vec![1, 2, 5], 0));
    assert_eq!(seen(&log, "root.d"), (vec![1, 5], 0));
    log.bound(5, |boundary| boundary.pinned = seqs(&[2, 4]));
    assert_eq!(seen(&log, "root.a"), (vec![2, 5], 1));
}

#[test]
fn an_outline_takes_costs_in_view_order_and_nothing_costs_nothing() {
    let mut log = Log::of_turns(2);
    log.push(EventBody::Pin(Pin::hold(seq(2))), |event| event);
    let outline = log.view().outline_at(&[7, 5, 3]);
    assert_eq!(outline.tokens(), 15);
    assert_eq!(outline.conversation_tokens(2), 3);
    assert_eq!(outline.conversation_tokens(3), 0);
}

#[test]
fn a_boundary_that_keeps_changes_no_view() {
    let custom = EventBody::Custom {
        event_type: EventType::new("ACME.NOTE").unwrap(),
        payload: Json::null(),
    };
    let mut log = Log::of_turns(3);
    log.push(custom, |event| event);
    let keep = |log: &mut Log| {
        let before = log.view();
        let boundary = boundary_keeping(&before, receipt());
        log.push(EventBody::Compaction(Box::new(boundary.clone())), |event| {
            event
        });
        let after = log.view();
        assert_eq!(places(&after), places(&before));
        assert_eq!(after.held(), before.held());
        assert_eq!(boundary.receipt.covered.count, 0);
        boundary
    };
    assert_eq!(keep(&mut log).kept_from, Seq::FIRST);
    log.bound(3, |boundary| {
        boundary.pinned = seqs(&[1]);
        boundary.superseded = seqs(&[4]);
        boundary.cleared = seqs(&[6]);
    });
    log.check(&[1, 3, 5, 6]);
    let kept = keep(&mut log);
    assert_eq!(kept.superseded, seqs(&[4]));
    assert_eq!(kept.cleared, seqs(&[6]));
    assert_eq!(kept.pins, []);

    // Held later, and by its pin alone: it leaves when it is released, whatever came between.
    log.push(EventBody::Pin(Pin::hold(seq(2))), |event| event);
    log.check(&[1, 2, 3, 5, 6]);
    assert_eq!(keep(&mut log).pins, seqs(&[2]));
    assert_eq!(keep(&mut log).pins, seqs(&[2]));
    log.push(EventBody::Pin(Pin::release(seq(2))), |event| event);
    log.check(&[1, 3, 5, 6]);
}

#[test]
fn a_boundary_that_keeps_nothing_keeps_what_comes() {
    let mut log = Log::of_turns(1);
    log.bound(99, |_| {});
    log.check(&[]);
    let boundary = boundary_keeping(&log.view(), receipt());
    assert_eq!(boundary.kept_from, seq(4));
    log.push(EventBody::Compaction(Box::new(boundary)), |event| event);
    log.say(Message::user("u"));
    log.check(&[5]);
}
