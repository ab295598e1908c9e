//! What calibration learns, and from what it learns nothing.

use compaction_tokens::{Calibrated, InputUsage, Learned, ViewId};

const VIEW: ViewId = ViewId::new(0, 10);
const OTHER: ViewId = ViewId::new(7, 12);

/// Reports, each of a view of its own: what was estimated and what was reported.
fn learned(reports: impl IntoIterator<Item = (u64, u64)>) -> Calibrated {
    let mut calibrated = Calibrated::new();
    for (version, (estimated, tokens)) in (1..).zip(reports) {
        let view = ViewId::new(0, version);
        calibrated.sent(view, estimated);
        assert_eq!(
            calibrated.reported(view, InputUsage::new(tokens)),
            Learned::Used
        );
    }
    calibrated
}

#[test]
fn before_any_report_the_estimate_stands_and_the_bound_is_wide() {
    let tokens = Calibrated::new().tokens(VIEW, 1_000);
    assert_eq!((tokens.estimate, tokens.upper), (1_000, 1_500));
    assert_eq!(Calibrated::new().tokens(VIEW, 0).upper, 0);
}

#[test]
fn the_factor_is_that_of_all_reports_together() {
    let calibrated = learned([(1_000, 1_100), (3_000, 3_700)]);
    assert_eq!(calibrated.observations(), 2);
    assert_eq!(calibrated.tokens(OTHER, 1_000).estimate, 1_200);
}

#[test]
fn the_bound_comes_nearer_with_each_report_that_agrees() {
    let mut last = u64::MAX;
    for reports in 0..=32 {
        let tokens = learned((0..reports).map(|_| (1_000, 1_000))).tokens(OTHER, 10_000);
        assert!(
            tokens.upper < last,
            "{} after {reports} reports",
            tokens.upper
        );
        assert!(tokens.upper > tokens.estimate);
        last = tokens.upper;
    }
    assert!(last < 11_000, "{last}");
}

#[test]
fn the_bound_stays_wide_when_reports_disagree() {
    let steady = learned((0..30).map(|_| (1_000, 1_200))).tokens(OTHER, 1_000);
    let torn = learned((0..30).map(|n| (1_000, 900 + 600 * (n % 2)))).tokens(OTHER, 1_000);
    assert_eq!(steady.estimate, torn.estimate);
    assert!(
        torn.upper > steady.upper + 200,
        "{} and {}",
        torn.upper,
        steady.upper
    );
}

#[test]
fn the_measured_view_is_known_exactly_and_a_longer_one_but_for_its_end() {
    let calibrated = learned([(1_000, 1_200)]);
    let same = calibrated.tokens(ViewId::new(0, 1), 1_000);
    assert_eq!((same.estimate, same.upper), (1_200, 1_200));
    let longer = calibrated.tokens(ViewId::new(0, 5), 1_010);
    assert_eq!(longer.estimate, 1_212);
    assert!(longer.upper < 1_220, "{}", longer.upper);
}

#[test]
fn a_report_from_before_a_compaction_does_not_decide_over_the_view_after_it() {
    let calibrated = learned([(150_000, 190_000)]);
    let after = calibrated.tokens(ViewId::new(9, 11), 2_000);
    assert!(after.upper < 4_000, "{}", after.upper);
}

#[test]
fn an_earlier_version_or_a_view_that_lost_text_is_not_taken_from_the_report() {
    let mut calibrated = Calibrated::new();
    calibrated.sent(VIEW, 1_000);
    assert_eq!(
        calibrated.reported(VIEW, InputUsage::new(2_000)),
        Learned::Used
    );
    assert_eq!(calibrated.tokens(ViewId::new(0, 9), 500).estimate, 1_000);
    assert_eq!(calibrated.tokens(ViewId::new(0, 11), 500).estimate, 1_000);
}

#[test]
fn a_report_for_another_view_changes_nothing() {
    let mut calibrated = learned([(1_000, 1_200)]);
    let before = calibrated.clone();
    assert_eq!(
        calibrated.reported(VIEW, InputUsage::new(5_000)),
        Learned::OtherView
    );
    assert_eq!(calibrated, before);

    calibrated.sent(VIEW, 1_000);
    assert_eq!(
        calibrated.reported(OTHER, InputUsage::new(5_000)),
        Learned::OtherView
    );
    assert_eq!(calibrated.tokens(OTHER, 1_000), before.tokens(OTHER, 1_000));
    assert_eq!(
        calibrated.reported(VIEW, InputUsage::new(1_200)),
        Learned::Used
    );
}

#[test]
fn a_failed_request_changes_nothing() {
    let mut calibrated = learned([(1_000, 1_200)]);
    let before = calibrated.clone();
    calibrated.sent(VIEW, 9_000);
    calibrated.failed(VIEW);
    assert_eq!(calibrated, before);
    assert_eq!(
        calibrated.reported(VIEW, InputUsage::new(9_000)),
        Learned::OtherView
    );
    assert_eq!(calibrated, before);
}

#[test]
fn a_request_teaches_once() {
    let mut calibrated = Calibrated::new();
    calibrated.sent(VIEW, 1_000);
    assert_eq!(
        calibrated.reported(VIEW, InputUsage::new(1_100)),
        Learned::Used
    );
    assert_eq!(
        calibrated.reported(VIEW, InputUsage::new(1_100)),
        Learned::OtherView
    );
    assert_eq!(calibrated.observations(), 1);
}

#[test]
fn no_usage_and_absurd_usage_are_dropped() {
    for (estimated, tokens) in [
        (1_000, 0),
        (1_000, 99),
        (1_000, 10_001),
        (0, 0),
        (0, 5),
        (5, u64::MAX),
    ] {
        let mut calibrated = Calibrated::new();
        calibrated.sent(VIEW, estimated);
        assert_eq!(
            calibrated.reported(VIEW, InputUsage::new(tokens)),
            Learned::Implausible
        );
        assert_eq!(calibrated, Calibrated::new());
    }
}

#[test]
fn cached_input_counts() {
    let mut calibrated = Calibrated::new();
    calibrated.sent(VIEW, 1_000);
    let usage = InputUsage::new(50).with_cached(1_000).with_cached(150);
    assert_eq!(calibrated.reported(VIEW, usage), Learned::Used);
    assert_eq!(calibrated.tokens(OTHER, 1_000).estimate, 1_200);
}

#[test]
fn only_the_newest_reports_are_kept() {
    let old = (0..32).map(|_| (1_000, 5_000));
    let new = (0..32).map(|_| (1_000, 1_000));
    let calibrated = learned(old.chain(new));
    assert_eq!(calibrated.observations(), 32);
    assert_eq!(calibrated.tokens(OTHER, 1_000).estimate, 1_000);
}

#[test]
fn the_largest_numbers_overflow_nothing() {
    let calibrated = learned((0..40).map(|_| (u64::MAX, u64::MAX / 10 + 1)));
    let tokens = calibrated.tokens(ViewId::new(3, u64::MAX), u64::MAX);
    assert!(tokens.estimate <= tokens.upper);
    let calibrated = learned((0..40).map(|_| (u64::MAX / 10, u64::MAX / 10 * 10)));
    assert_eq!(calibrated.tokens(OTHER, u64::MAX).upper, u64::MAX);
}
