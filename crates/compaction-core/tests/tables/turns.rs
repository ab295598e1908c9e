use compaction_core::{TurnWindow, Window};

use super::{WEATHER, pass, saved};

/// Row, log, window, what the older design makes of it, the tokens that saves, and what the
/// window design makes of it.
type Row<'a> = (&'a str, &'a str, usize, &'a str, u64, &'a str);

const ROWS: &[Row<'_>] = &[
    ("TW1", "q1 a1 q2 a2 q3 a3", 5, "fits", 0, "fits"),
    ("TW2", "q1 a1 q2 a2 q3 a3", 3, "fits", 0, "fits"),
    (
        "TW3",
        "q1 a1 q2 a2 q3 a3 q4 a4",
        2,
        "- / q1 a1 q2 a2 / q3 a3 q4 a4",
        42,
        "- / q1 a1 q2 a2 / q3 a3 q4 a4",
    ),
    (
        "TW4",
        "Σ q1 a1 q2 a2 q3 a3 q4 a4",
        2,
        "Σ / q1 a1 q2 a2 / q3 a3 q4 a4",
        42,
        "Σ / q1 a1 q2 a2 / q3 a3 q4 a4",
    ),
    (
        "TW5",
        "Σ1 Σ2 q1 a1 q2 a2",
        1,
        "Σ1 Σ2 / q1 a1 / q2 a2",
        21,
        "Σ1 Σ2 / q1 a1 / q2 a2",
    ),
    (
        "TW6",
        "p0 q1 a1 q2 a2",
        1,
        "p0 / q1 a1 / q2 a2",
        21,
        "p0 / q1 a1 / q2 a2",
    ),
    (
        "TW7",
        "u1 a1a a1b u2 a2 u3 a3",
        2,
        "- / u1 a1a a1b / u2 a2 u3 a3",
        36,
        "- / u1 a1a a1b / u2 a2 u3 a3",
    ),
    ("TW8", "", 3, "uncut", 0, "uncut"),
    (
        "TW9",
        WEATHER,
        1,
        "- / u1 c1 t1 / u2 a2",
        129,
        "- / u1 c1 t1 / u2 a2",
    ),
    (
        "TW10",
        "u1 a1 u2 s1 a2",
        1,
        "- / u1 a1 / u2 s1 a2",
        21,
        "s1 / u1 a1 / u2 a2",
    ),
    (
        "TW11",
        "q1 a1 q2 a2 q3 a3 q4 a4 q5 a5",
        2,
        "- / q1 a1 q2 a2 q3 a3 / q4 a4 q5 a5",
        63,
        "- / q1 a1 q2 a2 q3 a3 / q4 a4 q5 a5",
    ),
    // The older design refused zero; here it keeps the newest turn.
    (
        "TW12",
        "q1 a1 q2 a2",
        0,
        "- / q1 a1 / q2 a2",
        21,
        "- / q1 a1 / q2 a2",
    ),
];

#[test]
fn rows_in_the_older_design() {
    for (row, log, max_turns, expected, tokens, _) in ROWS {
        let pass = pass(TurnWindow {
            max_turns: *max_turns,
        });
        assert_eq!(pass.describe(log), *expected, "{row}");
        assert_eq!(saved(&pass, log), *tokens, "{row}");
    }
}

#[test]
fn rows_in_the_window_design() {
    for (row, log, count, _, _, expected) in ROWS {
        assert_eq!(
            pass(Window::Turns(*count)).describe(log),
            *expected,
            "{row}"
        );
    }
}

#[test]
fn ten_turns_are_kept_by_default() {
    assert_eq!(TurnWindow::default().max_turns, 10);
}
