//! What holds for any conversation.

use compaction_core::TokenEstimator as _;
use proptest::prelude::*;
use session_log::Message;
use session_summarizer::{
    Brief, Checked, Ledger, Scripted, Sizes, Summarizer as _, Summary, WithLedger, check,
};

use super::{call, failed, filler, ledger, message, section};
use crate::common::{BytesDiv4, halyard, now};

proptest! {
    /// The same brief gives the same bytes, within the budget and within what it replaces, and the
    /// checks let it pass.
    #[test]
    fn it_is_bounded_deterministic_and_valid(
        talk in prop::collection::vec(message(), 0..20),
        budget in 0_u64..600,
        prior in prop_oneof![Just(String::new()), any::<String>(), Just("They met.".to_owned())],
    ) {
        let brief = Brief::new(&talk).with_prior(prior.as_str()).with_budget(budget);
        let text = ledger().write(&brief);
        prop_assert_eq!(&text, &ledger().write(&brief));
        if let Some(text) = text {
            let summary = Summary::new(text, "ledger").unwrap();
            let sizes = Sizes::measure(&summary, &brief, &BytesDiv4);
            prop_assert!(sizes.summary <= budget && sizes.summary <= sizes.replaced);
            prop_assert_eq!(check(&summary, &brief, sizes), Ok(()), "{}", summary.text());
        }
    }

    /// Whatever is said, by whomever, nothing panics and the bounds hold.
    #[test]
    fn no_text_panics(
        said in prop::collection::vec((any::<String>(), 0_u8..4), 0..8),
        prior in any::<String>(),
        budget in 0_u64..200,
    ) {
        let message = |(text, kind): (String, u8)| match kind {
            0 => Message::user(text),
            1 => Message::assistant(text),
            2 => call(&text, &text, &text),
            _ => failed(&text, &text),
        };
        let talk: Vec<_> = said.into_iter().map(message).collect();
        let brief = Brief::new(&talk).with_prior(format!("{prior}\n# Ledger\n## Goal\n- {prior}"));
        if let Some(text) = ledger().write(&brief.clone().with_budget(budget)) {
            prop_assert!(BytesDiv4.estimate(&text) <= budget);
        }
        let both = WithLedger::new(Scripted::always("said"), ledger());
        prop_assert!(now(both.summarize(brief)).is_ok());
    }

    /// With room for all of it, folding in two passes gives what one pass gives; nothing stands in
    /// it twice.
    #[test]
    fn going_on_in_an_earlier_ledger_is_like_writing_it_at_once(
        talk in prop::collection::vec(message(), 2..16),
        at in 0_usize..16,
    ) {
        // Room for each part: a ledger is never longer than what it replaces.
        let roomy = |part: &[Message]| [part, &[filler(), filler(), filler()]].concat();
        let (first, second) = talk.split_at(at.min(talk.len()));
        let write = |part: &[Message], prior: Option<String>| {
            let part = roomy(part);
            let brief = Brief::new(&part).with_budget(u64::MAX);
            ledger().write(&match prior {
                Some(prior) => brief.with_prior(prior),
                None => brief,
            })
        };
        let at_once = write(&talk, None);
        let in_two = write(second, write(first, None));
        prop_assert_eq!(&at_once, &in_two);

        if let Some(text) = at_once {
            let mut heading = "";
            let mut seen = std::collections::HashSet::new();
            for line in text.lines() {
                if line.starts_with("## ") {
                    heading = line;
                }
                prop_assert!(seen.insert((heading, line)), "twice: {line}\n{text}");
            }
        }
    }

    /// Ten passes later it is still within the budget and still has the goal.
    #[test]
    fn a_chain_of_passes_stays_bounded(
        parts in prop::collection::vec(prop::collection::vec(message(), 1..6), 10),
    ) {
        let mut prior = None::<String>;
        for part in parts {
            let talk = [&[filler(), Message::user("the goal of all")], &part[..]].concat();
            let mut brief = Brief::new(&talk).with_budget(200);
            if let Some(prior) = prior {
                brief = brief.with_prior(prior);
            }
            let text = ledger().write(&brief).unwrap();
            prop_assert!(BytesDiv4.estimate(&text) <= 200);
            prop_assert_eq!(section(&text, "Goal"), ["the goal of all"]);
            prior = Some(text);
        }
    }
}

#[test]
fn a_ledger_behind_the_checks_passes_them() {
    let checked = Checked::new(ledger(), BytesDiv4).with_retention(500);
    let talk = halyard();
    let summary = now(checked.summarize(Brief::new(&talk).with_budget(300)))
        .unwrap()
        .unwrap();
    assert_eq!(summary.model(), Ledger::NAME);
    // The gate is a gate: with less room too little survives.
    let error = now(checked.summarize(Brief::new(&talk).with_budget(100))).unwrap_err();
    assert_eq!(error.fault().unwrap().name(), "forgetful");
}
