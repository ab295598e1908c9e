//! Step grain: the newest turn alone is too large and is cut inside.

use compaction_core::{Outcome, SummaryReply, Unchanged, Window};
use compaction_testkit::{Log, Note, Pass, Role};

fn events(count: usize) -> Pass<Window> {
    Pass::of(Window::Events(count)).at_steps()
}

fn tokens(budget: u64) -> Pass<Window> {
    let reserve = 0;
    Pass::of(Window::Tokens { budget, reserve }).at_steps()
}

const THREE_STEPS: &str = "u1 c1[k1] t1(k1) c2[k2] t2(k2) c3[k3] t3(k3)";

#[test]
fn the_message_that_opens_the_turn_is_pinned() {
    let rows = [
        (7, "fits"),
        // The message is pinned and uses no slot, so six hold the rest.
        (6, "uncut"),
        (5, "u1 / c1 t1 / c2 t2 c3 t3"),
        (4, "u1 / c1 t1 / c2 t2 c3 t3"),
        (3, "u1 / c1 t1 c2 t2 / c3 t3"),
        (2, "u1 / c1 t1 c2 t2 / c3 t3"),
        (1, "u1 / c1 t1 c2 t2 / c3 t3"),
        (0, "u1 / c1 t1 c2 t2 / c3 t3"),
    ];
    for (count, expected) in rows {
        assert_eq!(events(count).describe(THREE_STEPS), expected, "{count}");
    }
}

#[test]
fn a_turn_that_fits_is_not_cut() {
    events(7).check(
        "u0 a0 | u1 c1[k1] t1(k1) c2[k2] t2(k2) c3[k3] t3(k3)",
        "- / u0 a0 / u1 c1 t1 c2 t2 c3 t3",
    );
    // Without steps there is nothing to cut at.
    events(1).check("u0 a0 | u1 a1 a2 a3", "- / u0 a0 / u1 a1 a2 a3");
    Pass::of(Window::Turns(1))
        .at_steps()
        .check(THREE_STEPS, "fits");
    // At turn grain it stays, however large.
    Pass::of(Window::Events(1)).check(THREE_STEPS, "uncut");
}

#[test]
fn an_older_turn_is_not_cut_inside() {
    events(4).check(
        "u0 c0[k1] t0(k1) c1[k2] t1(k2) | u2 c2[k3] t2(k3)",
        "- / u0 c0 t0 c1 t1 / u2 c2 t2",
    );
}

#[test]
fn older_turns_leave_with_a_cut_inside() {
    events(2).check(
        "s1 p1 | u1 a1 | u2 c2[k2] t2(k2) c3[k3] t3(k3)",
        "s1 p1 u2 / u1 a1 c2 t2 / c3 t3",
    );
}

#[test]
fn a_budget_pays_for_what_is_held() {
    let log = "s1:10 u1:20 c1[k1]:5 t1(k1):30 c2[k2]:5 t2(k2):30";
    tokens(100).check(log, "fits");
    tokens(99).check(log, "s1 u1 / c1 t1 / c2 t2");
    tokens(65).check(log, "s1 u1 / c1 t1 / c2 t2");
    // The newest step stays, however large.
    tokens(64).check(log, "s1 u1 / c1 t1 / c2 t2");
    tokens(0).check(log, "s1 u1 / c1 t1 / c2 t2");
    // What waits is paid for too: 20 + 5 are held, 35 + 35 and 35 are the choices.
    let log = "u1:20 c0[k0]:5 c1[k1]:5 t1(k1):30 c2[k2]:5 t2(k2):30 c3[k3]:5 t3(k3):30";
    tokens(95).check(log, "u1 c0 / c1 t1 / c2 t2 c3 t3");
    tokens(94).check(log, "u1 c0 / c1 t1 c2 t2 / c3 t3");
}

#[test]
fn calls_stay_with_their_results() {
    let rows = [
        // Parallel calls are one step, in whichever order results come.
        (
            2,
            "u1 c1[k1,k2] t2(k2) t1(k1) c3[k3] t3(k3)",
            "u1 / c1 t2 t1 / c3 t3",
        ),
        // A result that comes late keeps all between its call and itself.
        (
            2,
            "u1 c1[k1] c2[k2] t2(k2) t1(k1) c3[k3] t3(k3)",
            "u1 / c1 c2 t2 t1 / c3 t3",
        ),
        (
            3,
            "u1 c1[k1] t1(k1) c2[k2] c3[k3] t3(k3) t2(k2)",
            "u1 / c1 t1 / c2 c3 t3 t2",
        ),
        // There is no place before the last result of all.
        (1, "u1 c1[k1] c2[k2] t2(k2) t1(k1)", "uncut"),
        // Ids are used again: a result belongs to the nearest earlier call that has none.
        (
            2,
            "u1 c1[k] t1(k) c2[k] t2(k) c3[k] t3(k)",
            "u1 / c1 t1 c2 t2 / c3 t3",
        ),
        (
            2,
            "u1 c1[k] c2[k] t2(k) t1(k) c3[k] t3(k)",
            "u1 / c1 c2 t2 t1 / c3 t3",
        ),
        // A result without a call parts nothing.
        (
            2,
            "u1 c1[k1] t1(k1) t9(k9) c2[k2] t2(k2)",
            "u1 / c1 t1 t9 / c2 t2",
        ),
        // Nor does one whose call is in an older turn.
        (
            2,
            "u0 c0[k0] | u1 c1[k1] t1(k1) c2[k2] t0(k0) t2(k2)",
            "u1 / u0 c0 c1 t1 / c2 t0 t2",
        ),
        // A result that comes with the next call.
        (
            2,
            "u1 c1[k1] c2[k2](k1) t2(k2) c3[k3] t3(k3)",
            "u1 / c1 c2 t2 / c3 t3",
        ),
        (
            3,
            "u1 c1[k1] t1(k1) c2[k2] c3[k3](k2) t3(k3)",
            "u1 / c1 t1 / c2 c3 t3",
        ),
        // Text between the steps goes with the step before.
        (
            3,
            "u1 c1[k1] t1(k1) a1 c2[k2] t2(k2) a2",
            "u1 / c1 t1 a1 / c2 t2 a2",
        ),
    ];
    for (count, log, expected) in rows {
        assert_eq!(events(count).describe(log), expected, "{log}");
    }
}

#[test]
fn steps_that_wait_stay() {
    let rows = [
        (
            "u1 c1[k1] c2[k2] t2(k2) c3[k3] t3(k3)",
            "u1 c1 / c2 t2 / c3 t3",
        ),
        // With the results they have.
        (
            "u1 c1[k1,k2] t1(k1) c2[k3] t2(k3) c3[k4] t3(k4)",
            "u1 c1 t1 / c2 t2 / c3 t3",
        ),
        // And with other calls these results answer.
        (
            "u1 c0[k0] c1[k1,k2] t1(k0,k1) c2[k3] t2(k3) c3[k4] t3(k4)",
            "u1 c0 c1 t1 / c2 t2 / c3 t3",
        ),
        // The newest step waits itself.
        ("u1 c1[k1] t1(k1) c2[k2]", "u1 / c1 t1 / c2"),
        // All wait: nothing can leave.
        ("u1 c1[k1] c2[k2] c3[k3]", "uncut"),
    ];
    for (log, expected) in rows {
        assert_eq!(events(2).describe(log), expected, "{log}");
    }
}

#[test]
fn pinned_notes_stay() {
    let rows = [
        (
            "u1 c1[k1] t1(k1) a1! c2[k2] t2(k2)",
            "u1 a1 / c1 t1 / c2 t2",
        ),
        // With the other end of their pair.
        (
            "u1 c1[k1] t1(k1)! c2[k2] t2(k2) c3[k3] t3(k3)",
            "u1 c1 t1 / c2 t2 / c3 t3",
        ),
        (
            "u1 c1[k1]! t1(k1) c2[k2] t2(k2) c3[k3] t3(k3)",
            "u1 c1 t1 / c2 t2 / c3 t3",
        ),
        ("u1! c1[k1] t1(k1) c2[k2] t2(k2)", "u1 / c1 t1 / c2 t2"),
    ];
    for (log, expected) in rows {
        assert_eq!(events(2).describe(log), expected, "{log}");
    }
}

/// A log whose results were never stored: every step waits. What is held was summed up anew for each
/// place to cut, which took minutes here.
#[test]
fn many_steps_that_wait_take_no_longer_than_many_entries() {
    let mut log = Log::new();
    log.push(Note::new("u0", Role::User));
    for step in 1..100_000 {
        let note = Note::new(format!("c{step}"), Role::Assistant);
        log.push(note.with_calls([format!("k{step}")]));
    }
    log.push(Note::new("a", Role::Assistant));
    let outcome = tokens(5).run(&log, SummaryReply::Provided);
    assert_eq!(outcome, Outcome::Unchanged(Unchanged::NoTurnToCut));
}

/// A cut at the first step covers nothing of the turn. The summary is of older turns alone then,
/// and once stood between the question and the step that came of it.
#[test]
fn a_summary_of_older_turns_goes_before_the_question() {
    let log = "u1 a1 | u2 c2[k2] t2(k2)";
    events(2)
        .summarizing(1)
        .check(log, "- / u1 a1 / Σ+ u2 c2 t2");
    events(0)
        .summarizing(1)
        .check(log, "- / u1 a1 / Σ+ u2 c2 t2");
    let log = "u1 a1 | u2 c2[k2] t2(k2) c3[k3] t3(k3)";
    events(2)
        .summarizing(1)
        .check(log, "u2 / u1 a1 c2 t2 / Σ+ c3 t3");
    events(2)
        .summarizing(1)
        .check_request(log, "- / u1 a1 c2 t2 / c3");
}

#[test]
fn a_turn_goes_on_after_a_cut_inside() -> Result<(), compaction_testkit::NotationError> {
    let pass = events(2).summarizing(0);
    let mut view: Log = "s1 u1 c1[k1] c2[k2] t2(k2) c3[k3] t3(k3)".parse()?;
    view = pass.next_view(&view, 1);
    assert_eq!(view.names(0..view.notes().len()), "s1 u1 c1 Σ1 c3 t3");
    // What waited is answered: it is still there, and now holds all up to its result.
    view.append("t1(k1) c4[k4] t4(k4)")?;
    view = pass.next_view(&view, 1);
    assert_eq!(view.names(0..view.notes().len()), "s1 u1 Σ2 c4 t4");
    // The next turn is cut at as ever.
    view.append("u2 a2")?;
    view = pass.next_view(&view, 1);
    assert_eq!(view.names(0..view.notes().len()), "s1 Σ3 u2 a2");
    Ok(())
}
