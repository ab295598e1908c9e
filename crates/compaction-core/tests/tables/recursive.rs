use compaction_core::{RecursiveSummarization, Window};
use compaction_testkit::{Log, Pass};

use super::{WEATHER, pass};

/// Row, log, events to keep, overlap, what both designs make of it, and what is asked as prior
/// summary, conversation and overlap.
type Row<'a> = (&'a str, &'a str, usize, usize, &'a str, &'a str);

const ROWS: &[Row<'_>] = &[
    ("RS1", "m1 m2 m3 m4 m5", 10, 0, "fits", "nothing"),
    ("RS2", "m1 m2 m3 m4 m5", 5, 0, "fits", "nothing"),
    (
        "RS3",
        "m1 m2 m3 m4 m5 m6",
        3,
        0,
        "- / m1 m2 m3 / Σ+ m4 m5 m6",
        "- / m1 m2 m3 / -",
    ),
    (
        "RS4",
        "m1 m2 m3 m4 m5",
        2,
        0,
        "- / m1 m2 m3 / Σ+ m4 m5",
        "- / m1 m2 m3 / -",
    ),
    (
        "RS5",
        "Σold m1 m2 m3 m4",
        2,
        0,
        "- / Σold m1 m2 / Σ+ m3 m4",
        "Σold / m1 m2 / -",
    ),
    (
        "RS8",
        "u1 a1 u2 a2a a2b u3 a3",
        3,
        0,
        "- / u1 a1 u2 a2a a2b / Σ+ u3 a3",
        "- / u1 a1 u2 a2a a2b / -",
    ),
    (
        "RS9",
        "u1 a1 u2 a2 a3 a4",
        2,
        1,
        "- / u1 a1 / Σ+ u2 a2 a3 a4",
        "- / u1 a1 / u2",
    ),
    ("RS10", "u1 a1 a2 a3", 2, 1, "uncut", "nothing"),
    (
        "RS11",
        "a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12",
        4,
        0,
        "uncut",
        "nothing",
    ),
    (
        "RS12",
        "s1 u1 a1 s2 u2 a2",
        2,
        1,
        "s2 / u1 a1 / Σ+ u2 a2 / s1",
        "- / u1 a1 / u2",
    ),
    (
        "RS13",
        "u1 s1 a1 u2 a2",
        2,
        1,
        "s1 / u1 a1 / Σ+ u2 a2",
        "- / u1 a1 / u2",
    ),
    (
        "RS14",
        "Σold u1 a1 u2 a2 u3 a3",
        2,
        1,
        "- / Σold u1 a1 u2 a2 / Σ+ u3 a3",
        "Σold / u1 a1 u2 a2 / u3",
    ),
    // The older design refused an overlap above what is kept; here it ends with what is kept.
    (
        "RS20",
        "m1 m2 m3 m4",
        2,
        2,
        "- / m1 m2 / Σ+ m3 m4",
        "- / m1 m2 / m3 m4",
    ),
    (
        "RS20, more",
        "m1 m2 m3 m4",
        2,
        9,
        "- / m1 m2 / Σ+ m3 m4",
        "- / m1 m2 / m3 m4",
    ),
    (
        "RS21",
        "m1 m2 m3 m4 m5 m6",
        5,
        4,
        "- / m1 / Σ+ m2 m3 m4 m5 m6",
        "- / m1 / m2 m3 m4 m5",
    ),
    (
        "RS22",
        WEATHER,
        2,
        0,
        "- / u1 c1 t1 / Σ+ u2 a2",
        "- / u1 c1 t1 / -",
    ),
    // A summary is covered wherever it stands.
    (
        "summary behind",
        "m1 m2 m3 Σ",
        1,
        1,
        "- / m1 m2 Σ / Σ+ m3",
        "Σ / m1 m2 / m3",
    ),
];

fn older(max_events_to_keep: usize, overlap_size: usize) -> Pass<RecursiveSummarization> {
    let strategy = RecursiveSummarization {
        max_events_to_keep,
        overlap_size,
    };
    pass(strategy).with_summarize(strategy.summarize())
}

fn newer(count: usize, overlap: usize) -> Pass<Window> {
    pass(Window::Events(count)).summarizing(overlap)
}

#[test]
fn rows_in_the_older_design() {
    for (row, log, keep, overlap, expected, asked) in ROWS {
        let pass = older(*keep, *overlap);
        assert_eq!(pass.describe(log), *expected, "{row}");
        assert_eq!(pass.describe_request(log), *asked, "{row}");
    }
}

#[test]
fn rows_in_the_window_design() {
    for (row, log, keep, overlap, expected, asked) in ROWS {
        let pass = newer(*keep, *overlap);
        assert_eq!(pass.describe(log), *expected, "{row}");
        assert_eq!(pass.describe_request(log), *asked, "{row}");
    }
}

#[test]
fn where_the_designs_differ() {
    older(2, 0).check("u1 a1 u2 s1 a2", "- / u1 a1 / Σ+ u2 s1 a2");
    newer(2, 0).check("u1 a1 u2 s1 a2", "s1 / u1 a1 / Σ+ u2 a2");
    older(2, 0).check("p0 u1 a1 u2 a2", "- / p0 u1 a1 / Σ+ u2 a2");
    newer(2, 0).check("p0 u1 a1 u2 a2", "p0 / u1 a1 / Σ+ u2 a2");
    older(9, 0).check("s1 u1 s2 a1", "- / - / u1 s2 a1 / s1");
    newer(9, 0).check("s1 u1 s2 a1", "fits");
}

#[test]
fn a_prompt_among_the_kept_events_is_not_shown() {
    older(2, 2).check_request("u1 a1 u2 s1 a2", "- / u1 a1 / u2 a2");
    newer(2, 2).check_request("u1 a1 u2 s1 a2", "- / u1 a1 / u2 a2");
}

#[test]
fn a_summarizer_that_declines() {
    let rows = [
        ("RS15, RS16", "m1 m2 m3 m4 m5", "declined", "declined"),
        (
            "RS17",
            "s1 u1 a1 u2 s2 a2 u3 a3",
            "- / - / u1 a1 u2 s2 a2 u3 a3 / s1",
            "declined",
        ),
        ("nothing to ask", "m1 m2", "fits", "fits"),
    ];
    for (row, log, in_older, in_newer) in rows {
        assert_eq!(older(2, 0).describe_declined(log), in_older, "{row}");
        assert_eq!(newer(2, 0).describe_declined(log), in_newer, "{row}");
    }
}

/// RS26: three passes with messages and system prompts between them.
#[test]
fn three_passes_in_a_row() {
    let appended = [
        "u1 s1 a1 u2 a2 u3 a3 u4 a4 u5 a5",
        "u6 a6 u7 a7",
        "u8 s2 a8 u9 s3 a9",
    ];
    let in_older = [
        "s1 Σ1 u4 a4 u5 a5",
        "s1 Σ2 u6 a6 u7 a7",
        "Σ3 u8 a8 u9 s3 a9",
    ];
    let in_newer = [
        "s1 Σ1 u4 a4 u5 a5",
        "s1 Σ2 u6 a6 u7 a7",
        "s3 Σ3 u8 a8 u9 a9",
    ];
    let mut views = (Log::new(), Log::new());
    for ((appended, older_view), newer_view) in appended.iter().zip(in_older).zip(in_newer) {
        views.0.append(appended).unwrap();
        views.1.append(appended).unwrap();
        views.0 = older(4, 2).next_view(&views.0, 1);
        views.1 = newer(4, 2).next_view(&views.1, 1);
        assert_eq!(views.0.names(0..views.0.notes().len()), older_view);
        assert_eq!(views.1.names(0..views.1.notes().len()), newer_view);
    }
}

#[test]
fn ten_events_are_kept_and_two_shown_by_default() {
    let default = RecursiveSummarization::default();
    assert_eq!((default.max_events_to_keep, default.overlap_size), (10, 2));
}
