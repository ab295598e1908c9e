use compaction_core::{SlidingWindow, Window};

use super::{WEATHER, pass, saved};

/// Row, log, window, what the older design makes of it, the tokens that saves, and what the
/// window design makes of it.
type Row<'a> = (&'a str, &'a str, usize, &'a str, u64, &'a str);

const SIX_TURNS: &str = "u1 a1 | u2 a2 | u3 a3 | u4 a4 | u5 a5 | u6 a6";

const ROWS: &[Row<'_>] = &[
    ("SW1", "m1 m2 m3", 5, "fits", 0, "fits"),
    ("SW2", "m1 m2 m3", 3, "fits", 0, "fits"),
    (
        "SW3",
        "m1 m2 m3 m4 m5",
        3,
        "- / m1 m2 / m3 m4 m5",
        16,
        "- / m1 m2 / m3 m4 m5",
    ),
    (
        "SW4",
        "m1 m2 m3 m4 m5 m6 m7",
        2,
        "- / m1 m2 m3 m4 m5 / m6 m7",
        40,
        "- / m1 m2 m3 m4 m5 / m6 m7",
    ),
    (
        "SW5",
        "Σ m1 m2 m3 m4",
        3,
        "Σ / m1 / m2 m3 m4",
        8,
        "Σ / m1 / m2 m3 m4",
    ),
    (
        "SW6",
        "u1 a1 u2 a2 u3 a3",
        3,
        "- / u1 a1 u2 a2 / u3 a3",
        42,
        "- / u1 a1 u2 a2 / u3 a3",
    ),
    (
        "SW7",
        "u1 a1 u2 a2a a2b u3 a3",
        3,
        "- / u1 a1 u2 a2a a2b / u3 a3",
        57,
        "- / u1 a1 u2 a2a a2b / u3 a3",
    ),
    (
        "SW8",
        "q1 r1 r1b q2 r2",
        2,
        "- / q1 r1 r1b / q2 r2",
        35,
        "- / q1 r1 r1b / q2 r2",
    ),
    (
        "SW9",
        "u1 a1 u2 a2 a3 a4",
        2,
        "- / u1 a1 / u2 a2 a3 a4",
        21,
        "- / u1 a1 / u2 a2 a3 a4",
    ),
    ("SW10", "u1 a1 a2 a3", 2, "uncut", 0, "uncut"),
    (
        "SW11",
        "s1 u1 a1 s2 u2 a2",
        20,
        "- / - / u1 a1 s2 u2 a2 / s1",
        10,
        "fits",
    ),
    (
        "SW12",
        "u1 s1 a1 u2 a2 u3 a3",
        2,
        "s1 / u1 a1 u2 a2 / u3 a3",
        42,
        "s1 / u1 a1 u2 a2 / u3 a3",
    ),
    (
        "SW13",
        "u1 a1 u2 s1 a2 u3 a3",
        3,
        "s1 / u1 a1 u2 a2 / u3 a3",
        42,
        "s1 / u1 a1 u2 a2 / u3 a3",
    ),
    (
        "SW14",
        "u1 a1 u2 s1 a2",
        2,
        "- / u1 a1 / u2 s1 a2",
        21,
        "s1 / u1 a1 / u2 a2",
    ),
    (
        "SW15",
        SIX_TURNS,
        4,
        "- / u1 a1 u2 a2 u3 a3 u4 a4 / u5 a5 u6 a6",
        84,
        "- / u1 a1 u2 a2 u3 a3 u4 a4 / u5 a5 u6 a6",
    ),
    (
        "SW16",
        "m1 m2 m3 m4 Σ",
        1,
        "- / m1 m2 m3 / m4 Σ",
        24,
        "Σ / m1 m2 m3 / m4",
    ),
    (
        "SW17",
        "p0 u1 a1 u2 a2",
        2,
        "- / p0 u1 a1 / u2 a2",
        34,
        "p0 / u1 a1 / u2 a2",
    ),
    ("SW18", "a1 a2 a3 a4 a5 a6", 4, "uncut", 0, "uncut"),
    (
        "SW19",
        WEATHER,
        2,
        "- / u1 c1 t1 / u2 a2",
        129,
        "- / u1 c1 t1 / u2 a2",
    ),
    ("SW20", "", 5, "uncut", 0, "uncut"),
    // The older design refused zero; here it keeps the newest turn.
    (
        "SW21",
        "u1 a1 u2 a2",
        0,
        "- / u1 a1 / u2 a2",
        21,
        "- / u1 a1 / u2 a2",
    ),
    // A preamble that fits stays, also where it counts.
    ("preamble fits", "p0 u1 a1", 3, "fits", 0, "fits"),
    (
        "preamble and prompt fit",
        "s1 p0 u1 a1",
        3,
        "fits",
        0,
        "fits",
    ),
    (
        "preamble exceeds",
        "p0 p1 u1 a1",
        3,
        "- / p0 p1 / u1 a1",
        26,
        "fits",
    ),
];

#[test]
fn rows_in_the_older_design() {
    for (row, log, max_events, expected, tokens, _) in ROWS {
        let pass = pass(SlidingWindow {
            max_events: *max_events,
        });
        assert_eq!(pass.describe(log), *expected, "{row}");
        assert_eq!(saved(&pass, log), *tokens, "{row}");
    }
}

#[test]
fn rows_in_the_window_design() {
    for (row, log, count, _, _, expected) in ROWS {
        assert_eq!(
            pass(Window::Events(*count)).describe(log),
            *expected,
            "{row}"
        );
    }
}

#[test]
fn twenty_events_are_kept_by_default() {
    assert_eq!(SlidingWindow::default().max_events, 20);
}
