//! Any conversation and any window: the laws of a pass hold, and the plain oracle agrees.

#![no_main]

use compaction_core::{Grain, Outcome, Policy, Summarize, SummaryReply, Window};
use compaction_testkit::laws::{STRUCTURAL, Trial, budget};
use compaction_testkit::oracle::{Expected, Settings, expected};
use compaction_testkit::{Log, Note, Pass, Role};
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;

#[derive(Debug)]
struct Case {
    log: Log,
    window: Window,
    settings: Settings,
}

impl Arbitrary<'_> for Case {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let window = match bytes.int_in_range(0..=2)? {
            0 => Window::Events(bytes.int_in_range(0..=40)?),
            1 => Window::Turns(bytes.int_in_range(0..=12)?),
            _ => Window::Tokens {
                budget: bytes.arbitrary::<u16>()?.into(),
                reserve: bytes.arbitrary::<u8>()?.into(),
            },
        };
        let settings = Settings {
            policy: Policy::WINDOW,
            grain: *bytes.choose(&[Grain::Turn, Grain::Step])?,
            summarize: match bytes.arbitrary()? {
                true => Summarize::WithOverlap(bytes.int_in_range(0..=4)?),
                false => Summarize::No,
            },
        };
        let mut log = Log::new();
        while !bytes.is_empty() && log.notes().len() < 200 {
            log.push(note(bytes)?);
        }
        Ok(Self {
            log,
            window,
            settings,
        })
    }
}

fn note(bytes: &mut Unstructured<'_>) -> Result<Note> {
    let ids = |bytes: &mut Unstructured<'_>| -> Result<Vec<String>> {
        let count = bytes.int_in_range(1..=3)?;
        (0..count)
            .map(|_| Ok(format!("k{}", bytes.int_in_range(0..=4)?)))
            .collect()
    };
    let note = match bytes.int_in_range(0..=8)? {
        0 => Note::new("s", Role::System),
        1 => Note::new("y", Role::Summary),
        2 | 3 => Note::new("u", Role::User),
        4 | 5 => Note::new("a", Role::Assistant),
        6 => Note::new("c", Role::Assistant).with_calls(ids(bytes)?),
        7 => Note::new("t", Role::Tool).with_results(ids(bytes)?),
        _ => Note::new("c", Role::Assistant)
            .with_results(ids(bytes)?)
            .with_calls(ids(bytes)?),
    };
    Ok(note.with_tokens(bytes.arbitrary::<u8>()?.into()))
}

fuzz_target!(|case: Case| {
    let Case {
        log,
        window,
        settings,
    } = case;
    let pass = Pass::of(window)
        .with_grain(settings.grain)
        .with_summarize(settings.summarize);
    let actual = match pass.run(&log, SummaryReply::Provided) {
        Outcome::Compacted(plan) => Some(Expected::from(&plan)),
        Outcome::Unchanged(_) => None,
    };
    assert_eq!(actual, expected(&log, window, settings), "{log}");
    let trial = Trial::run(&log, &pass);
    for (number, name, law) in STRUCTURAL {
        assert_eq!(law(&trial), Ok(()), "law {number}, {name}");
    }
    if let Window::Tokens {
        budget: tokens,
        reserve,
    } = window
    {
        assert_eq!(budget(&trial, tokens, reserve), Ok(()), "law 10, budget");
    }
});
