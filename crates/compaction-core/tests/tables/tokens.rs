use compaction_core::{TokenCount, Window};

use super::{WEATHER, pass, saved};

/// Row, log, budget, what both designs make of it, and the tokens that saves.
type Row<'a> = (&'a str, &'a str, u64, &'a str, u64);

const PROMPT_AND_TWO_TURNS: &str = "s1:11 u1 a1 u2 a2";

const ROWS: &[Row<'_>] = &[
    ("TB1", "u1 a1:16", 100, "fits", 0),
    ("TB2", "u1 a1 u2 a2", 25, "- / u1 a1 / u2 a2", 21),
    ("TB3", "u1 a1 u2 a2", 42, "fits", 0),
    ("TB3, one less", "u1 a1 u2 a2", 41, "- / u1 a1 / u2 a2", 21),
    ("TB4", "u1 a1:34 u2", 10, "- / u1 a1 / u2", 42),
    (
        "TB5",
        "u1 a1 u2_longtxt a2",
        4,
        "- / u1 a1 / u2_longtxt a2",
        21,
    ),
    (
        "TB6",
        "u1:10 a1:15 u2:10 a2:15 u3:10 a3:15",
        6,
        "- / u1 a1 u2 a2 / u3 a3",
        50,
    ),
    ("TB7", "Σ u1:11 a1:16", 1, "uncut", 0),
    ("TB8", PROMPT_AND_TWO_TURNS, 45, "s1 / u1 a1 / u2 a2", 21),
    ("TB8, no prompt", "u1 a1 u2 a2", 45, "fits", 0),
    ("TB9", "s1:14 u1 a1 u2 a2", 10, "s1 / u1 a1 / u2 a2", 21),
    ("TB10", WEATHER, 40, "- / u1 c1 t1 / u2 a2", 129),
    ("TB11, little", "a1 a2 a3", 1, "uncut", 0),
    ("TB11, much", "a1 a2 a3", 100, "uncut", 0),
    ("TB12", "", 100, "uncut", 0),
    // The older design refused zero; here it keeps the newest turn.
    ("TB13", "u1 a1 u2 a2", 0, "- / u1 a1 / u2 a2", 21),
    // Short messages of six tokens each.
    (
        "TB14",
        "m1:6 m2:6 m3:6 m4:6 m5:6 m6:6 m7:6 m8:6 m9:6 m10:6",
        20,
        "- / m1 m2 m3 m4 m5 m6 m7 / m8 m9 m10",
        42,
    ),
    // Entries are not skipped: what is behind the first that does not fit leaves, small or not.
    ("no skipping", "u1:1 u2:50 u3:1", 10, "- / u1 u2 / u3", 51),
    (
        "a summary is paid for",
        "Σ:20 u1 a1 u2 a2",
        61,
        "Σ / u1 a1 / u2 a2",
        21,
    ),
    ("a summary fits", "Σ:20 u1 a1 u2 a2", 62, "fits", 0),
];

#[test]
fn rows_in_the_older_design() {
    for (row, log, max_tokens, expected, tokens) in ROWS {
        let pass = pass(TokenCount {
            max_tokens: *max_tokens,
        });
        assert_eq!(pass.describe(log), *expected, "{row}");
        assert_eq!(saved(&pass, log), *tokens, "{row}");
    }
}

#[test]
fn rows_in_the_window_design() {
    for (row, log, budget, expected, _) in ROWS {
        let window = Window::Tokens {
            budget: *budget,
            reserve: 0,
        };
        assert_eq!(pass(window).describe(log), *expected, "{row}");
    }
}

#[test]
fn where_the_designs_differ() {
    let rows = [
        // The preamble counts in the one and is pinned in the other, where it is paid for first.
        (
            "p1 u1 a1 u2 a2",
            34,
            "- / p1 u1 a1 / u2 a2",
            "p1 / u1 a1 / u2 a2",
        ),
        (
            "p1 u1 a1 u2 a2",
            42,
            "- / p1 / u1 a1 u2 a2",
            "p1 / u1 a1 / u2 a2",
        ),
        ("p1 u1 a1", 34, "fits", "fits"),
        // A superseded prompt is not paid for; it leaves in the one even so.
        ("s1 u1 s2 a1", 31, "- / - / u1 s2 a1 / s1", "fits"),
    ];
    for (log, tokens, older, newer) in rows {
        let max_tokens = tokens;
        assert_eq!(
            pass(TokenCount { max_tokens }).describe(log),
            older,
            "{log}"
        );
        let window = Window::Tokens {
            budget: tokens,
            reserve: 0,
        };
        assert_eq!(pass(window).describe(log), newer, "{log}");
    }
}

#[test]
fn a_summary_is_paid_for_by_who_carries_it() {
    // 42 of conversation and 20 of a prior summary.
    let log = "Σ1:20 u1 a1 u2 a2";
    let budget = |budget| Window::Tokens { budget, reserve: 0 };
    pass(budget(42)).check(log, "Σ1 / u1 a1 / u2 a2");
    // It is replaced, so its tokens are free again.
    pass(budget(42)).summarizing(0).check(log, "fits");
    // In the older design they are not.
    let max_tokens = 42;
    let older = pass(TokenCount { max_tokens }).summarizing(0);
    older.check(log, "- / Σ1 u1 a1 / Σ+ u2 a2");
}

#[test]
fn a_reserve_is_kept_free_by_a_pass_and_starts_none() {
    let window = |budget, reserve| pass(Window::Tokens { budget, reserve });
    let log = "u1 a1 u2 a2 u3 a3";
    window(63, 30).check(log, "fits");
    window(62, 0).check(log, "- / u1 a1 / u2 a2 u3 a3");
    window(62, 20).check(log, "- / u1 a1 / u2 a2 u3 a3");
    window(62, 21).check(log, "- / u1 a1 u2 a2 / u3 a3");
    window(62, 63).check(log, "- / u1 a1 u2 a2 / u3 a3");
}

#[test]
fn four_thousand_tokens_are_kept_by_default() {
    assert_eq!(TokenCount::default().max_tokens, 4000);
}
