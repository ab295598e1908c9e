//! A thousand passes through a summarizer that fails in every way there is, by a seeded generator.
//! Whatever happens, the log stays whole and no failure gets into a view.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use common::{Characters, World, block_on};
use session::{
    Compaction, Error, Event, Message, Outcome, Report, Retrying, Summarizer, Timer, View, Window,
};
use session_summarizer::{Brief, Checked, Finish, SummarizerError, Summary};

/// What no view may ever hold.
const POISON: [&str; 6] = [
    "502 Bad Gateway",
    "I'm sorry",
    "half a sentence and th",
    "filtered to here",
    "round and round",
    "=== CONVERSATION",
];

/// Splitmix64.
#[derive(Clone, Debug)]
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % sides
    }
}

/// The weather: how often of ten a call fails.
#[derive(Clone, Debug)]
struct Stormy(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    dice: Dice,
    failures_of_ten: u64,
    calls: u64,
    /// What was done, by name.
    done: BTreeMap<&'static str, u64>,
}

impl Stormy {
    fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            dice: Dice(seed),
            failures_of_ten: 0,
            calls: 0,
            done: BTreeMap::new(),
        })))
    }

    fn set(&self, failures_of_ten: u64) {
        self.0.lock().unwrap().failures_of_ten = failures_of_ten;
    }

    fn calls(&self) -> u64 {
        self.0.lock().unwrap().calls
    }

    /// What to do now, and after how many polls.
    fn next(&self) -> (&'static str, u64) {
        const WAYS: [&str; 12] = [
            "unavailable",
            "rejected",
            "unauthorized",
            "too_long",
            "blank",
            "error_text",
            "refusal",
            "cut_off",
            "filtered",
            "loop",
            "echo",
            "hang",
        ];
        let mut state = self.0.lock().unwrap();
        state.calls += 1;
        let fails = state.dice.roll(10) < state.failures_of_ten;
        let way = match fails {
            true => WAYS[usize::try_from(state.dice.roll(12)).unwrap()],
            false => "good",
        };
        *state.done.entry(way).or_default() += 1;
        (way, state.dice.roll(4))
    }
}

#[async_trait::async_trait]
impl Summarizer for Stormy {
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        let (way, polls) = self.next();
        yields(polls).await;
        let text = match way {
            "unavailable" => return Err(SummarizerError::unavailable(None)),
            "rejected" => return Err(SummarizerError::rejected("no such model")),
            "unauthorized" => return Err(SummarizerError::unauthorized()),
            "too_long" => return Err(SummarizerError::InputTooLong { limit: None }),
            "hang" => return std::future::pending().await,
            "blank" => " \n\u{200b}".to_owned(),
            "error_text" => "502 Bad Gateway".to_owned(),
            "refusal" => "I'm sorry, but I can't help with that.".to_owned(),
            "cut_off" => "They spoke of doors, half a sentence and th".to_owned(),
            "filtered" => "They spoke of doors, filtered to here".to_owned(),
            "loop" => "It goes round and round. ".repeat(12),
            "echo" => brief.request().user,
            _ => format!("Doors up to {} were opened.", brief.covered().len()),
        };
        let finish = match way {
            "cut_off" => Finish::CutOff,
            "filtered" => Finish::Filtered,
            _ => Finish::Complete,
        };
        Ok(Some(Summary::new(text, "stormy")?.with_finish(finish)))
    }
}

/// Time that passes as often as it is asked for: a long wait is over after forty polls, a short
/// one sooner.
#[derive(Clone, Debug, Default)]
struct Polls(Arc<Mutex<Duration>>);

#[async_trait::async_trait]
impl Timer for Polls {
    fn now(&self) -> Duration {
        *self.0.lock().unwrap()
    }

    async fn sleep(&self, duration: Duration) {
        yields(duration.as_secs().min(40)).await;
        *self.0.lock().unwrap() += duration;
    }
}

/// Gives way so many times.
async fn yields(mut times: u64) {
    poll_fn(|context| {
        if times == 0 {
            return Poll::Ready(());
        }
        times -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// The output of `work`, unless it is dropped after so many polls.
fn drive<F: Future>(work: F, drop_after: Option<u64>) -> Option<F::Output> {
    let mut work = pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    for polls in 0..2_000 {
        if drop_after.is_some_and(|most| polls >= most) {
            return None;
        }
        if let Poll::Ready(output) = work.as_mut().poll(&mut context) {
            return Some(output);
        }
    }
    panic!("the pass does not end");
}

fn compaction(stormy: &Stormy, fall_back_above: Option<u64>) -> Compaction {
    let checked = Checked::new(stormy.clone(), Characters);
    let retrying = Retrying::new(checked, Polls::default());
    let builder = Compaction::builder(Window::Turns(3)).summarizer(retrying);
    let builder = match fall_back_above {
        Some(tokens) => builder.fall_back_above(tokens),
        None => builder,
    };
    builder.build().unwrap()
}

async fn append_turn(world: &World, number: u64, dice: &mut Dice) {
    let say = |message| world.sessions.append(&world.id, message);
    let door = format!("Please open door {number}, which is the one behind the last.");
    say(Message::user(door)).await.unwrap();
    if dice.roll(3) == 0 {
        world.append(&format!("c{number} t{number}")).await;
    }
    let text = format!("Door {number} is open now, and the light behind it is on.");
    say(Message::assistant(text)).await.unwrap();
}

/// How the passes ended, by word.
type Endings = BTreeMap<String, u64>;

fn storm(seed: u64, fall_back_above: Option<u64>) -> (Endings, BTreeMap<&'static str, u64>) {
    block_on(async {
        let world = World::new().await;
        let stormy = Stormy::new(seed);
        let compaction = compaction(&stormy, fall_back_above);
        let mut dice = Dice(seed ^ 0xd1ce);
        let mut endings = Endings::new();
        for pass in 1..=1_000_u64 {
            // Fair weather, changing weather, a storm, and fair weather again.
            stormy.set([0, 5, 10, 8, 0][usize::try_from(pass / 40 % 5).unwrap()]);
            append_turn(&world, pass, &mut dice).await;
            let before = world.sessions.log(&world.id).await.unwrap();
            let calls = stormy.calls();
            let drop_after = (dice.roll(10) == 0).then(|| dice.roll(5));
            let work = world.sessions.compact(&world.id, &compaction);
            let passed = drive(work, drop_after);
            let after = world.sessions.log(&world.id).await.unwrap();
            let view = world.sessions.view(&world.id).await.unwrap();

            assert_eq!(after[..before.len()], before[..], "the log only grows");
            assert_eq!(View::fold(after.iter().cloned()), view);
            assert!(stormy.calls() - calls <= 3, "no more than it was told to");
            no_poison(&view);
            shown_once(&view);
            if drop_after.is_none()
                && let Some(limit) = fall_back_above
            {
                let tokens: u64 = view
                    .events()
                    .iter()
                    .map(|it| it.tokens.as_ref().unwrap().tokens)
                    .sum();
                assert!(tokens <= limit, "{tokens}");
            }
            let ending = ending(passed, &after[before.len()..]);
            *endings.entry(ending).or_default() += 1;
        }
        // The weather is fair; after the longest rest there is a summary again.
        stormy.set(0);
        let mut is_closed = false;
        for pass in 1_001..=1_040 {
            append_turn(&world, pass, &mut dice).await;
            let report = world.compact(&compaction).await;
            is_closed |= report.summary.is_some();
            assert!(!is_closed || report.summary.is_some(), "it stays closed");
        }
        assert!(is_closed);
        let done = stormy.0.lock().unwrap().done.clone();
        (endings, done)
    })
}

fn no_poison(view: &View) {
    for message in view.messages() {
        let text = message.text();
        assert!(!message.is_empty());
        for poison in POISON {
            assert!(!text.contains(poison), "{text}");
        }
    }
}

fn shown_once(view: &View) {
    let ids: BTreeSet<_> = view.events().iter().map(|event| &event.id).collect();
    assert_eq!(ids.len(), view.events().len());
}

/// How a pass ended, and that it wrote what it says and nothing else.
fn ending(passed: Option<Result<Report, Error>>, appended: &[Arc<Event>]) -> String {
    let Some(passed) = passed else {
        assert!(matches!(appended.len(), 0 | 3), "whole or not at all");
        return "dropped".into();
    };
    match passed {
        Ok(report) if report.outcome == Outcome::Compacted => match report.summary {
            Some(summary) => {
                assert_eq!(appended.len(), 3);
                assert!(summary.text.starts_with("Doors up to "));
                "summarized".into()
            }
            None => {
                assert_eq!(appended.len(), 1);
                "fell back".into()
            }
        },
        Ok(report) => {
            assert!(appended.is_empty());
            report.reason().unwrap().into()
        }
        Err(Error::Summarizer(error)) => {
            assert!(appended.is_empty());
            error.name().into()
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_thousand_passes_in_a_storm_leave_the_log_whole() {
    let (endings, done) = storm(2026, None);
    assert_eq!(done.len(), 13, "each way of failing came up: {done:?}");
    for word in [
        "summarized",
        "resting",
        "dropped",
        "fits_window",
        "timeout",
        "rejected",
        "unauthorized",
        "input_too_long",
        "refusal",
        "filtered",
    ] {
        assert!(endings.contains_key(word), "{word}: {endings:?}");
    }
    assert!(!endings.contains_key("fell back"), "{endings:?}");
    assert_eq!(endings.values().sum::<u64>(), 1_000);
    assert!(endings["summarized"] > 300, "{endings:?}");
}

#[test]
fn with_a_plain_window_to_fall_back_on_the_view_stays_small_in_a_storm() {
    let (endings, _) = storm(7, Some(1_000));
    assert!(endings["fell back"] > 10, "{endings:?}");
    assert!(endings["summarized"] > 300, "{endings:?}");
}
