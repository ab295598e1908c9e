//! Lines of the table, and what they are measured with.

use std::time::{Duration, Instant};

pub(crate) fn line(what: &str, took: Duration, count: u32) {
    let micros = took.as_secs_f64() * 1e6 / f64::from(count);
    println!("{what:<60} {micros:>12.1} µs");
}

pub(crate) fn count(what: &str, value: u64, unit: &str) {
    println!("{what:<60} {value:>12} {unit}");
}

/// A figure beside the most it should be.
pub(crate) fn target(what: &str, measured: f64, most: f64, unit: &str) {
    let verdict = if measured <= most { "met" } else { "MISSED" };
    println!(
        "{:<60} {measured:>12.2} {unit}, at most {most}: {verdict}",
        format!("target: {what}")
    );
}

/// The middle one: a busy machine makes some of them long.
pub(crate) fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

pub(crate) fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

/// The time all threads of this process have had a processor; nothing where the system does not
/// tell.
fn cpu() -> Duration {
    // The system books a thread's time when it is switched.
    std::thread::yield_now();
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanos = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

/// A stretch of time, on the wall and on the processors.
#[derive(Default)]
pub(crate) struct Spent {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

impl Spent {
    pub(crate) fn measure(&mut self, begin: (Instant, Duration)) {
        self.wall += begin.0.elapsed();
        self.cpu += cpu().saturating_sub(begin.1);
    }

    pub(crate) fn line(&self, what: &str, count: u32) {
        line(what, self.wall, count);
        line(&format!("{what}, on the processor"), self.cpu, count);
    }
}

pub(crate) fn now() -> (Instant, Duration) {
    (Instant::now(), cpu())
}

/// The most memory this process has held so far, in KiB; nothing where the system does not tell.
pub(crate) fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
