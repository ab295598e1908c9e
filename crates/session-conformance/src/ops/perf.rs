//! How cost grows with what is in a session.

use std::time::Duration;

use serde_json::json;
use session::{Expected, Message, Trigger, Window};
use session_log::{EventId, NewEvent};
use session_store::Scope;

use crate::case::{Case, PassSpec, Search, pass_of_sentence};
use crate::seen::Seen;
use crate::stopwatch::{Stopwatch, millis};
use crate::world::{Runs, Setting, World, wait};

/// How often each thing is measured; the fastest time counts.
const TIMES: u64 = 7;

/// Faster than this is not told apart.
const FLOOR: Duration = Duration::from_micros(200);

/// How many events are appended at once.
const BATCH: u64 = 1_000;

/// How often the time may be off before it counts: other programs run as well.
const ATTEMPTS: usize = 5;

/// What is measured.
enum Measure {
    View,
    Append,
    Open,
    Search(Search),
    Trigger(PassSpec),
    /// A pass; one that leaves half of the view where nothing is said.
    Compact(Option<PassSpec>),
}

pub(super) fn perf(
    case: &Case,
    setting: &Setting,
    covered: u64,
    active: u64,
    measure: &[String],
) -> Runs<Seen> {
    let measures: Vec<Measure> = measure
        .iter()
        .map(|name| Measure::parse(name))
        .collect::<Runs<_>>()?;
    let mut seen = Seen::default();
    let taken = Bench::new(case, setting, covered, active)?.all(&measures)?;
    let compacts = measures
        .iter()
        .any(|measure| matches!(measure, Measure::Compact(_)));
    if compacts && !taken.covers {
        return Err("no pass that is measured covers anything".into());
    }
    let slowest = taken.times.iter().copied().max().unwrap_or_default();
    seen.facts.insert("time_ms", json!(millis(slowest)));
    seen.facts.insert("rows_read_by_compact", json!(taken.rows));
    let bench = |covered, active| Bench::new(case, setting, covered, active)?.all(&measures);
    if case.expect.has("time_ratio_to_fresh_session_at_most") {
        let ratio = worst_ratio(|| bench(covered, active), || bench(0, active), 2.0)?;
        seen.facts
            .insert("time_ratio_to_fresh_session", json!(ratio));
    }
    if case.expect.has("growth") {
        let eighth = half(half(half(active)));
        let ratio = worst_ratio(|| bench(covered, active), || bench(covered, eighth), 16.0)?;
        // Eight times as much takes 64 times as long where the time grows with the square, and up
        // to twenty times where it does not, since less of it is in the cache.
        let growth = if ratio < 32.0 { "linear" } else { "faster" };
        seen.facts.insert("growth", json!(growth));
    }
    Ok(seen)
}

/// How many times as long the one takes as the other, at the measure where it is worst. Both are
/// taken in turn until the ratio is good enough, and of each time the fastest counts: other
/// programs run as well.
fn worst_ratio(
    one: impl Fn() -> Runs<Taken>,
    other: impl Fn() -> Runs<Taken>,
    good: f64,
) -> Runs<f64> {
    let (mut slow, mut fast) = (one()?.times, other()?.times);
    let fastest = |known: &mut Vec<Duration>, again: Vec<Duration>| {
        for (known, again) in known.iter_mut().zip(again) {
            *known = again.min(*known);
        }
    };
    let ratio = |slow: &[Duration], fast: &[Duration]| {
        let ratios = slow.iter().zip(fast);
        let ratios = ratios.map(|(slow, fast)| times_as_long(*slow, *fast));
        ratios.fold(0.0, f64::max)
    };
    for _ in 1..ATTEMPTS {
        if ratio(&slow, &fast) < good {
            break;
        }
        fastest(&mut slow, one()?.times);
        fastest(&mut fast, other()?.times);
    }
    Ok(ratio(&slow, &fast))
}

fn half(count: u64) -> u64 {
    count.checked_div(2).unwrap_or(0).max(1)
}

fn times_as_long(one: Duration, other: Duration) -> f64 {
    one.max(FLOOR).as_secs_f64() / other.max(FLOOR).as_secs_f64()
}

impl Measure {
    fn parse(name: &str) -> Runs<Self> {
        let (verb, rest) = name.split_once(' ').unwrap_or((name, ""));
        match (verb, rest) {
            ("view", "") => Ok(Self::View),
            ("append", "") => Ok(Self::Append),
            ("open" | "reopen", "") => Ok(Self::Open),
            ("search", words) if !words.is_empty() => Ok(Self::Search(Search::literal(words))),
            ("compact", "") => Ok(Self::Compact(None)),
            ("compact", rest) => pass_of_sentence(rest)
                .map(|spec| Self::Compact(Some(spec)))
                .map_err(|error| error.reason),
            ("trigger", what) => {
                let never_reached = u64::MAX / 4;
                let trigger = match what {
                    "tokens" => Trigger::TokenCount(never_reached),
                    "turns" => Trigger::TurnCount(never_reached),
                    "events" => Trigger::EventCount(never_reached),
                    other => return Err(format!("unknown trigger `{other}` to measure")),
                };
                Ok(Self::Trigger(PassSpec {
                    trigger: Some(trigger),
                    ..PassSpec::with_window(Window::Turns(1))
                }))
            }
            _ => Err(format!("`{name}` cannot be measured")),
        }
    }
}

/// A session with much behind it.
struct Bench {
    world: World,
    written: u64,
    active: u64,
    /// Whether a pass that was measured covered something.
    covers: bool,
    stopwatch: Stopwatch,
}

struct Taken {
    times: Vec<Duration>,
    rows: u64,
    covers: bool,
}

impl Bench {
    fn new(case: &Case, setting: &Setting, covered: u64, active: u64) -> Runs<Self> {
        let mut world = World::new(case, setting)?;
        world.estimator.warm_up();
        let session = world.session.clone();
        world.ensure(&session)?;
        let mut bench = Self {
            world,
            written: 0,
            active,
            covers: false,
            stopwatch: setting.stopwatch,
        };
        bench.append(covered.saturating_add(active))?;
        if covered > 0 {
            let keep = usize::try_from(active).unwrap_or(usize::MAX);
            bench.compact(&PassSpec::with_window(Window::Events(keep)))?;
        }
        Ok(bench)
    }

    /// Appends events: a question, an answer, and so on.
    fn append(&mut self, count: u64) -> Runs<()> {
        use session::Clock as _;

        let mut left = count;
        while left > 0 {
            let size = left.min(BATCH);
            let mut events = Vec::new();
            for _ in 0..size {
                self.written = self.written.saturating_add(1);
                let number = self.written;
                let message = match number % 2 {
                    1 => Message::user(format!("question {number}: what is the state of it?")),
                    _ => Message::assistant(format!("answer {number}: it is as it was.")),
                };
                let id = EventId::new(format!("e{number}")).map_err(|e| e.to_string())?;
                events.push(NewEvent::message(id, self.world.clock.now(), message));
            }
            let sessions = &self.world.sessions;
            let appended = sessions.append_events(&self.world.session, Expected::Any, events);
            wait(appended)
                .map(drop)
                .map_err(|error| error.to_string())?;
            left = left.saturating_sub(size);
        }
        Ok(())
    }

    fn compact(&mut self, spec: &PassSpec) -> Runs<bool> {
        let ready = self.world.ready(spec, None).map_err(|it| it.message)?;
        let sessions = &self.world.sessions;
        let report = wait(sessions.compact(&self.world.session, &ready.compaction));
        let report = report.map_err(|error| error.to_string())?;
        Ok(report.outcome == session::Outcome::Compacted)
    }

    fn all(&mut self, measures: &[Measure]) -> Runs<Taken> {
        let mut taken = Taken {
            times: Vec::new(),
            rows: 0,
            covers: false,
        };
        for measure in measures {
            let mut fastest = Duration::MAX;
            for _ in 0..TIMES {
                let (time, rows) = self.once(measure)?;
                fastest = fastest.min(time);
                if matches!(measure, Measure::Compact(_)) {
                    taken.rows = taken.rows.max(rows);
                }
            }
            taken.times.push(fastest);
        }
        taken.covers = self.covers;
        Ok(taken)
    }

    /// Does one thing once: how long it took, and how many rows were read for it.
    fn once(&mut self, measure: &Measure) -> Runs<(Duration, u64)> {
        self.fill()?;
        self.world.reads.take();
        let running = self.stopwatch.start();
        match measure {
            Measure::View => {
                let sessions = &self.world.sessions;
                let view = wait(sessions.view(&self.world.session));
                view.map_err(|error| error.to_string())?;
            }
            Measure::Append => self.append(1)?,
            Measure::Open => self.world.reopen()?,
            Measure::Search(search) => {
                let scope = Scope::Session(self.world.session.clone());
                self.world.find(search, &scope);
            }
            Measure::Trigger(spec) => {
                if self.compact(spec)? {
                    return Err("a trigger fired that cannot".into());
                }
            }
            Measure::Compact(spec) => {
                let half = usize::try_from(half(self.active)).unwrap_or(usize::MAX);
                let usual = PassSpec::with_window(Window::Events(half));
                self.covers |= self.compact(spec.as_ref().unwrap_or(&usual))?;
            }
        }
        let rows = self.world.reads.take();
        let took = running.stop(rows.read.saturating_add(rows.written));
        Ok((took, rows.read))
    }

    /// Brings the view to its size again.
    fn fill(&mut self) -> Runs<()> {
        let sessions = &self.world.sessions;
        let found = wait(sessions.find(&self.world.session)).map_err(|e| e.to_string())?;
        let counters = found.and_then(|session| session.head.counters);
        let events = counters.map_or(self.active, |counters| counters.events);
        self.append(self.active.saturating_sub(events))
    }
}
