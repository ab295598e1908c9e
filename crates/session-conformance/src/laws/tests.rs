//! Every law holds for what a sound service shows, and is broken by each fault it is about.

use std::sync::Arc;

use serde_json::{Value, json};
use session::{EventId, Message, NewEvent, Outcome, Seq, Timestamp, View};
use session_log::{Boundary, Event, EventBody, Json, Origin, Receipt, Role, Version};

use super::Law;
use crate::case::Case;
use crate::ops::{Ran, run};
use crate::seen::{Drive, Export, PassSeen, Seen, Snapshot};
use crate::stopwatch::Stopwatch;
use crate::store::StoreKind;
use crate::world::Setting;

/// What a sound service shows of a case with a summary over a covered turn with a tool call.
fn sound() -> Seen {
    let case = json!({"id": "sound", "input": [
        {"_id": "u1", "role": "user", "content": "which rooms are free on Friday?"},
        {"_id": "c1", "role": "assistant", "content": null, "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "rooms", "arguments": "{}"}}]},
        {"_id": "t1", "role": "tool", "tool_call_id": "k1", "content": "two rooms are free"},
        {"_id": "a1", "role": "assistant", "content": "Room 4 and room 9."},
        {"_id": "u2", "role": "user", "content": "Book room 9."}],
        "settings": {"op": "compact", "window": {"last_turns": 1}, "summarizer": {"returns": "SUM"}},
        "expect": {"invariants": ["progress"]}});
    let case = Case::of(&case).unwrap();
    let setting = Setting {
        store: StoreKind::Memory,
        program: None,
        stopwatch: Stopwatch::Rows,
    };
    match run(&case, &setting).unwrap() {
        Ran::Seen(seen) => *seen,
        Ran::Skipped(reason) => panic!("{reason}"),
    }
}

#[track_caller]
fn check_broken(law: Law, seen: &Seen, reason: &str) {
    let broken = law.check(seen).unwrap_err();
    assert!(broken.starts_with(law.name()), "{broken}");
    assert!(broken.contains(reason), "{broken}");
}

/// The same with another last state.
fn with_last(seen: &Seen, log: Vec<Arc<Event>>, view: View) -> Seen {
    let version = log.last().map_or(0, |event| event.seq.as_u64());
    let state = Arc::new(Snapshot::new(version, log, view));
    let mut seen = seen.clone();
    seen.states.pop();
    seen.states.push(Arc::clone(&state));
    seen.after = Some(state);
    seen
}

fn log_of(seen: &Seen) -> Vec<Arc<Event>> {
    seen.after.clone().unwrap().log.clone()
}

fn message(id: &str, seq: u64, message: Message) -> Arc<Event> {
    let id = EventId::new(id).unwrap();
    let event = NewEvent::message(id, Timestamp::from_millis(0), message);
    Arc::new(event.at(Seq::new(seq).unwrap()))
}

/// The view behind a boundary made up for the test, over the events of `log`.
fn view_behind(log: &[Arc<Event>], kept_from: u64, pinned: &[u64]) -> View {
    let receipt = Receipt::new(Json::null(), Json::null(), "none");
    let seq = |number: &u64| Seq::new(*number).unwrap();
    let mut boundary = Boundary::new(seq(&kept_from), receipt);
    boundary.pinned = pinned.iter().map(seq).collect();
    let id = EventId::new("made-up").unwrap();
    let body = EventBody::Compaction(Box::new(boundary));
    let event = NewEvent::new(id, Timestamp::from_millis(0), body);
    let boundary = Arc::new(event.at(Seq::new(999).unwrap()));
    View::assemble(Version::new(999), Some(boundary), log.iter().cloned())
}

#[test]
fn every_law_holds_for_a_sound_service() {
    let seen = sound();
    for law in Law::ALL {
        law.check(&seen).unwrap();
        assert_eq!(Law::parse(law.name()).unwrap(), law);
    }
    Law::parse("gravity").unwrap_err();
}

#[test]
fn a_law_over_nothing_is_broken() {
    for law in Law::ALL {
        // Whether stores are equal and whether something panicked the runner sees itself.
        if !matches!(law, Law::AllStoragesEqual | Law::NoPanic) {
            law.check(&Seen::default()).unwrap_err();
        }
    }
}

#[test]
fn a_log_that_loses_changes_or_reorders_events_is_not_append_only() {
    let seen = sound();
    let log = log_of(&seen);
    let view = seen.after.clone().unwrap().view.clone();

    let mut shorter = log.clone();
    shorter.truncate(3);
    let shorter = with_last(&seen, shorter, view.clone());
    check_broken(Law::LogAppendOnly, &shorter, "not in the log any more");

    let mut changed = log.clone();
    changed[1] = message("c1", 2, Message::assistant("something else"));
    let changed = with_last(&seen, changed, view.clone());
    check_broken(Law::LogAppendOnly, &changed, "differs");

    let mut reordered = log.clone();
    reordered.swap(0, 1);
    let reordered = with_last(&seen, reordered, view.clone());
    check_broken(Law::LogAppendOnly, &reordered, "differs");

    let mut gap = log;
    gap.push(message("u3", 99, Message::user("later")));
    let gap = with_last(&seen, gap, view);
    check_broken(Law::LogAppendOnly, &gap, "is missing");
}

#[test]
fn an_event_in_neither_both_or_twice_breaks_coverage() {
    let seen = sound();
    let log = log_of(&seen);

    let everything = with_last(&seen, log.clone(), view_behind(&log, 1, &[]));
    check_broken(
        Law::CoveredPlusViewIsLog,
        &everything,
        "u1 was covered and is in the view",
    );

    let nothing = with_last(&seen, log.clone(), view_behind(&log, 50, &[]));
    check_broken(Law::CoveredPlusViewIsLog, &nothing, "was not covered");

    let mut twice = seen.clone();
    twice.passes.push(twice.passes[0].clone());
    check_broken(Law::CoveredPlusViewIsLog, &twice, "u1 was covered 2 times");

    let mut lost = log;
    lost.remove(0);
    let view = seen.after.clone().unwrap().view.clone();
    let lost = with_last(&seen, lost, view);
    check_broken(Law::CoveredPlusViewIsLog, &lost, "is not in the log");
}

#[test]
fn an_event_that_is_shown_twice_is_found() {
    let seen = sound();
    let mut log = log_of(&seen);
    // The same id at two places, as a view that repeats an event would have it.
    log.push(message("u2", 9, Message::user("Book room 9.")));
    let view = View::fold(log.clone());
    check_broken(
        Law::ViewIdsUnique,
        &with_last(&seen, log, view),
        "u2 is in the view twice",
    );
}

#[test]
fn an_event_that_nobody_sent_is_found() {
    let seen = sound();
    let mut log = log_of(&seen);
    log.push(message(
        "ghost",
        9,
        Message::tool_result("k1", "[result missing]"),
    ));
    let view = View::fold(log.clone());
    let ghost = with_last(&seen, log.clone(), view.clone());
    check_broken(
        Law::NoInventedEvents,
        &ghost,
        "nobody put ghost into the log",
    );

    log.pop();
    let hidden = with_last(&seen, log, view);
    check_broken(
        Law::NoInventedEvents,
        &hidden,
        "in the view and not in the log",
    );
}

#[test]
fn a_view_without_the_newest_question_is_found() {
    let seen = sound();
    let log = log_of(&seen);
    let stale = with_last(&seen, log.clone(), view_behind(&log, 50, &[1]));
    check_broken(
        Law::NewestUserLastTurn,
        &stale,
        "u2 is the newest user message",
    );
    let empty = with_last(&seen, log.clone(), view_behind(&log, 50, &[]));
    check_broken(Law::NewestUserLastTurn, &empty, "nothing opens");
}

#[test]
fn a_result_without_its_call_is_found_in_an_export() {
    let mut seen = sound();
    let messages: Vec<Value> = vec![json!({"role": "tool", "tool_call_id": "k1"})];
    seen.export = Some(Export {
        format: "openai-chat".into(),
        text: String::new(),
        messages,
    });
    check_broken(Law::ExportValid, &seen, "answers k1");
    // In a step it counts as well.
    let mut whole = sound();
    whole.steps.push(seen);
    check_broken(Law::ExportValid, &whole, "answers k1");
}

#[test]
fn a_pass_that_works_for_nothing_is_found() {
    let pass = |change: &dyn Fn(&mut PassSeen)| {
        let mut seen = sound();
        change(&mut seen.passes[0]);
        seen.drive = None;
        seen
    };
    let asks = pass(&|pass| {
        pass.before = Arc::clone(&pass.after);
        let report = pass.report.as_mut().unwrap();
        report.outcome = Outcome::NotTriggered;
    });
    check_broken(Law::Progress, &asks, "asked the summarizer 1 times");

    let moves = pass(&|pass| {
        let mut later = (*pass.after).clone();
        later.version += 1;
        pass.before = Arc::clone(&pass.after);
        pass.after = Arc::new(later);
        pass.calls.clear();
    });
    check_broken(Law::Progress, &moves, "moved the version");

    let same = pass(&|pass| {
        let before = Snapshot::new(
            pass.before.version,
            pass.before.log.clone(),
            pass.after.view.clone(),
        );
        let after = Snapshot::new(
            pass.after.version,
            pass.after.log.clone(),
            pass.after.view.clone(),
        );
        // Names of summary turns come from the log, so both have the later one.
        let mut earlier = after.clone();
        earlier.log = before.log;
        pass.before = Arc::new(earlier);
        pass.after = Arc::new(after);
    });
    check_broken(Law::Progress, &same, "changes nothing");
}

#[test]
fn a_driver_that_never_ends_is_found() {
    let mut seen = sound();
    seen.drive = Some(Drive {
        passes: seen.passes.clone(),
        has_ended: false,
    });
    check_broken(Law::Terminates, &seen, "still something to do");
    seen.drive = None;
    check_broken(Law::Terminates, &seen, "no driver");
}

/// What the tests are made of is what they say it is.
#[test]
fn the_sound_case_has_a_call_a_result_and_a_summary() {
    let seen = sound();
    let roles: Vec<Role> = log_of(&seen)
        .iter()
        .filter_map(|event| event.as_message().map(|message| message.role.clone()))
        .collect();
    assert!(roles.contains(&Role::Tool));
    let summaries = log_of(&seen);
    let summaries = summaries
        .iter()
        .filter(|event| matches!(event.origin, Origin::Summary { .. }));
    assert_eq!(summaries.count(), 2);
}
