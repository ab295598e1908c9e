//! Plans and waiting passes can be stored and read again.
#![cfg(feature = "serde")]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what broke by panicking"
)]

use compaction_core::{Outcome, Pending, Plan, Progress, SummaryReply, Window};
use compaction_testkit::{Log, Pass, for_each_short_log};

fn again<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_stored_pass_goes_on_as_if_it_had_not_been() {
    for_each_short_log("s u c[k] t(k) a u!", 4, |log| {
        for pass in [
            Pass::of(Window::Events(1)),
            Pass::of(Window::Events(1)).at_steps(),
        ] {
            let Progress::NeedsSummary(pending) = pass.summarizing(1).start(log) else {
                continue;
            };
            let stored: Pending = again(&*pending);
            assert_eq!(stored, *pending);
            for reply in [SummaryReply::Provided, SummaryReply::Declined] {
                assert_eq!(stored.clone().resume(reply), pending.clone().resume(reply));
            }
        }
    })
    .unwrap();
}

#[test]
fn a_stored_plan_is_the_same_plan() {
    let log: Log = "s1 p1 Σ1 u1 a1! | s2 u2 a2".parse().unwrap();
    let outcome = Pass::of(Window::Turns(1)).run(&log, SummaryReply::Provided);
    let Outcome::Compacted(plan) = &outcome else {
        panic!("there are two turns");
    };
    assert_eq!(again::<Plan>(plan), *plan);
    assert_eq!(again(&outcome), outcome);
}

#[test]
fn settings_read_as_people_write_them() {
    let window: Window = serde_json::from_str(r#"{"tokens":{"budget":100,"reserve":20}}"#).unwrap();
    let expected = Window::Tokens {
        budget: 100,
        reserve: 20,
    };
    assert_eq!(window, expected);
    assert_eq!(
        serde_json::to_string(&Window::Turns(3)).unwrap(),
        r#"{"turns":3}"#
    );
}

/// What is stored may be damaged: it is read as something, and asked without a panic.
#[test]
fn damaged_positions_do_no_harm() {
    let all = format!(r#"{{"start":0,"end":{}}}"#, usize::MAX);
    let text = format!("[{all},{all}]");
    let spans: compaction_core::Spans = serde_json::from_str(&text).unwrap();
    assert_eq!(spans.len(), usize::MAX);
    let spans: compaction_core::Spans =
        serde_json::from_str(r#"[{"start":9,"end":2},{"start":0,"end":1}]"#).unwrap();
    assert_eq!(spans.len(), 1);
    assert!(!spans.contains(5));
}
