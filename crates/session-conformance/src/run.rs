//! Running cases and judging them.

use std::any::Any;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::case::{Case, Entry, Expect};
use crate::compare;
use crate::keys::Checked;
use crate::laws::Law;
use crate::ops::{self, Ran};
use crate::seen::Seen;
use crate::stopwatch::{Stopwatch, millis};
use crate::store::{Scratch, StoreKind};
use crate::world::Setting;

/// How cases are run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The only store to run on; without one each case runs on every store it names and this
    /// build can open, or on all of them.
    pub store: Option<StoreKind>,
    /// The program of the runner, for cases that need processes of their own.
    pub program: Option<PathBuf>,
    stopwatch: Stopwatch,
}

impl Options {
    /// The same options for one store.
    #[must_use]
    pub fn on(mut self, store: StoreKind) -> Self {
        self.store = Some(store);
        self
    }

    /// The same options with costs measured in rows that a store reads and writes and not in time:
    /// for tests that may not depend on a clock.
    #[must_use]
    pub fn counting_rows(mut self) -> Self {
        self.stopwatch = Stopwatch::Rows;
        self
    }

    /// The same options with the program of the runner.
    #[must_use]
    pub fn with_program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }
}

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a case passes, fails, or is about something that is not there"
)]
pub enum Verdict {
    /// Everything was as expected.
    Passed,
    /// Something was not: what was expected, and what came.
    Failed(String),
    /// It is about something that is not offered, for this reason.
    Skipped(String),
}

/// Runs a line of a case file.
///
/// ```
/// use session_conformance::{Options, StoreKind, Verdict, entries, run};
///
/// let file = r#"{"id": "one", "input": [{"_id": "u1", "role": "user", "content": "Hi"}],
///     "settings": {"op": "view"}, "expect": {"view": ["u2"]}}"#.replace('\n', " ");
/// let entry = &entries(&file)[0];
/// let options = Options::default().on(StoreKind::Memory);
/// let verdict = run(entry, &options);
/// assert_eq!(verdict, Verdict::Failed(r#"view: expected ["u2"], came ["u1"]"#.into()));
/// ```
#[must_use]
pub fn run(entry: &Entry, options: &Options) -> Verdict {
    match &entry.case {
        Ok(case) => run_case(case, options),
        Err(error) => Verdict::Failed(format!("the case is not valid: {error}")),
    }
}

/// Runs a case on each of its stores. It passes when it passes on all that do not skip it.
#[must_use]
pub fn run_case(case: &Case, options: &Options) -> Verdict {
    if !is_environment(case) {
        return in_environment(case, options);
    }
    let stores = stores(case, options);
    let wants_equal = case.expect.laws.contains(&Law::AllStoragesEqual);
    let mut failures = Vec::new();
    let mut skips = Vec::new();
    let mut digests: Vec<(StoreKind, serde_json::Value)> = Vec::new();
    for store in &stores {
        let setting = Setting {
            store: *store,
            program: options.program.clone(),
            stopwatch: options.stopwatch,
        };
        let is_named = options.store.is_none_or(|only| only == *store);
        let label = match stores.len() {
            1 => String::new(),
            _ => format!("[{store}] "),
        };
        match timed(case, &setting) {
            Err(reason) => failures.push(format!("{label}{reason}")),
            Ok(Ran::Skipped(reason)) => skips.push(reason),
            Ok(Ran::Seen(seen)) => {
                if is_named && let Err(reason) = judge(&case.expect, &seen) {
                    failures.push(format!("{label}{reason}"));
                }
                digests.push((*store, compare::digest(&seen)));
            }
        }
    }
    // Where all others were skipped there is nothing to compare, and nobody to blame.
    let is_alone = digests.len() == 1 && !skips.is_empty();
    if wants_equal
        && !is_alone
        && let Err(reason) = all_equal(&digests)
    {
        failures.push(reason);
    }
    match (failures.is_empty(), digests.is_empty(), skips.first()) {
        (false, _, _) => Verdict::Failed(failures.join("; ")),
        (true, true, Some(reason)) => Verdict::Skipped(reason.clone()),
        (true, true, None) => Verdict::Failed("no store to run on".into()),
        _ => Verdict::Passed,
    }
}

/// The stores to run a case on. A law over all stores needs all of them, whichever is asked for.
fn stores(case: &Case, options: &Options) -> Vec<StoreKind> {
    let named = &case.settings.stores;
    let is_named = |store: &&StoreKind| named.is_empty() || named.contains(&store.in_case());
    let available = StoreKind::available();
    match options.store {
        Some(only) if case.expect.laws.contains(&Law::AllStoragesEqual) => {
            let others = available.iter().filter(|store| **store != only);
            let named: Vec<_> = others.clone().filter(is_named).copied().collect();
            let others = match named.is_empty() {
                true => others.copied().collect(),
                false => named,
            };
            std::iter::once(only).chain(others).collect()
        }
        Some(only) => vec![only],
        None if available.iter().any(|store| is_named(&store)) => {
            available.iter().filter(is_named).copied().collect()
        }
        None => available,
    }
}

/// Runs the case within its time.
fn timed(case: &Case, setting: &Setting) -> Result<Ran, String> {
    let running = setting.stopwatch.start();
    let ran = guarded(|| ops::run(case, setting))?;
    if let Ran::Seen(seen) = &ran {
        in_time(case, seen, running.stop(0))?;
    }
    Ok(ran)
}

/// Does something and catches a panic.
fn guarded(run: impl FnOnce() -> Result<Ran, String>) -> Result<Ran, String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(ran) => ran,
        Err(panic) => Err(format!("{}: {}", Law::NoPanic, said(&*panic))),
    }
}

/// Whether what is measured was done within the time limit of the case; the whole case, where
/// nothing is.
fn in_time(case: &Case, seen: &Seen, whole: Duration) -> Checked {
    let measured = seen
        .facts
        .get("time_ms")
        .and_then(serde_json::Value::as_u64);
    let came = measured.unwrap_or_else(|| millis(whole));
    match case.settings.time_limit_ms {
        Some(limit) if came > limit => Err(format!(
            "time_limit_ms: expected at most {limit}, came {came}"
        )),
        _ => Ok(()),
    }
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("it panicked: {}", text.unwrap_or("without a word"))
}

fn all_equal(digests: &[(StoreKind, serde_json::Value)]) -> Checked {
    let [(first, one), others @ ..] = digests else {
        return Err(format!("{}: no store was run", Law::AllStoragesEqual));
    };
    if others.is_empty() {
        return Err(format!(
            "{}: only {first} was run, there is nothing to compare with",
            Law::AllStoragesEqual
        ));
    }
    for (store, other) in others {
        if let Some(place) = compare::difference(one, other) {
            return Err(format!(
                "{}: {first} and {store} differ at {place}",
                Law::AllStoragesEqual
            ));
        }
    }
    Ok(())
}

/// Whether what was seen is as expected; else everything that is not.
pub(crate) fn judge(expect: &Expect, seen: &Seen) -> Checked {
    let mut wrong = Vec::new();
    judge_into(expect, seen, &mut wrong);
    surprises(expect, seen, &mut wrong);
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("; ")),
    }
}

fn judge_into(expect: &Expect, seen: &Seen, wrong: &mut Vec<String>) {
    for claim in &expect.claims {
        wrong.extend(claim.key.check(seen, &claim.expected).err());
    }
    for law in &expect.laws {
        wrong.extend(law.check(seen).err());
    }
    for (number, step) in &expect.per_step {
        let Some(seen) = seen.steps.get(*number) else {
            wrong.push(format!("there is no step {number}"));
            continue;
        };
        let mut of_step = Vec::new();
        judge_into(step, seen, &mut of_step);
        wrong.extend(of_step.into_iter().map(|it| format!("step {number}: {it}")));
    }
    if let Some(rows) = expect.row_count
        && rows != seen.steps.len()
    {
        wrong.push(format!(
            "{rows} rows are expected, there are {}",
            seen.steps.len()
        ));
    }
    for (claim, row) in &expect.rows {
        if let Some(seen) = seen.steps.get(*row)
            && let Err(came) = claim.key.check(seen, &claim.expected)
        {
            wrong.push(format!("row {row}: {came}"));
        }
    }
    if let Some(at_end) = &expect.at_end {
        judge_into(at_end, seen, wrong);
    }
    if !expect.any_of.is_empty() {
        any_of(&expect.any_of, seen, wrong);
    }
}

fn any_of(alternatives: &[Expect], seen: &Seen, wrong: &mut Vec<String>) {
    let mut reasons = String::new();
    for (number, alternative) in alternatives.iter().enumerate() {
        let mut of_this = Vec::new();
        judge_into(alternative, seen, &mut of_this);
        if !alternative.speaks_of_errors() {
            surprises(alternative, seen, &mut of_this);
        }
        if of_this.is_empty() {
            return;
        }
        let _ = write!(reasons, " ({number}) {}", of_this.join(", "));
    }
    wrong.push(format!("none of the alternatives:{reasons}"));
}

/// Errors that came and that nothing was said about.
fn surprises(expect: &Expect, seen: &Seen, wrong: &mut Vec<String>) {
    if expect.speaks_of_errors() {
        return;
    }
    let spoken_of = |step: usize| {
        let said = expect.per_step.get(&step);
        said.is_some_and(Expect::speaks_of_errors)
    };
    let mut expected = Vec::new();
    for (number, step) in seen.steps.iter().enumerate() {
        if spoken_of(number) {
            expected.extend(&step.failures);
        }
    }
    for failure in seen.failures.iter().filter(|failure| !failure.is_wanted) {
        if !expected.contains(&failure) {
            wrong.push(format!("an error came: {}", failure.message));
        }
    }
}

/// Whether this process runs in the environment the case wants.
fn is_environment(case: &Case) -> bool {
    let env = case.settings.env.iter();
    env.into_iter()
        .all(|(name, value)| std::env::var(name).is_ok_and(|it| it == *value))
}

/// Runs the case in another process with the environment it wants.
fn in_environment(case: &Case, options: &Options) -> Verdict {
    match child(case, options) {
        Ok(verdict) => verdict,
        Err(reason) => Verdict::Failed(reason),
    }
}

fn child(case: &Case, options: &Options) -> Result<Verdict, String> {
    let program = options.program.as_ref();
    let program = program.ok_or("another process is needed, and the program is not known")?;
    let folder = Scratch::new()?;
    let file = folder.path().join("case.jsonl");
    std::fs::write(&file, format!("{}\n", case.source)).map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg(&file).arg("--json").envs(&case.settings.env);
    if let Some(store) = options.store {
        command.arg("--store").arg(store.name());
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    let line = said.lines().next().unwrap_or_default();
    let value: serde_json::Value =
        serde_json::from_str(line).map_err(|_| format!("the other process says {line:?}"))?;
    let message = value.get("message").and_then(serde_json::Value::as_str);
    let message = message.unwrap_or_default().to_owned();
    match value.get("verdict").and_then(serde_json::Value::as_str) {
        Some("ok") => Ok(Verdict::Passed),
        Some("FAIL") => Ok(Verdict::Failed(message)),
        Some("skip") => Ok(Verdict::Skipped(message)),
        _ => Err(format!("the other process says {line:?}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_panic_breaks_a_law() {
        let reason = guarded(|| panic!("index {} of 3", 7)).unwrap_err();
        assert_eq!(reason, "no_panic: it panicked: index 7 of 3");
    }

    #[test]
    fn stores_that_show_something_else_break_a_law() {
        let one = json!({"session": {"view": ["u1"]}});
        let other = json!({"session": {"view": ["u2"]}});
        let sqlite = (StoreKind::Sqlite, one.clone());
        all_equal(&[(StoreKind::Memory, one.clone()), sqlite.clone()]).unwrap();
        let reason = all_equal(&[(StoreKind::Memory, other), sqlite]).unwrap_err();
        assert!(reason.starts_with("all_storages_equal: memory and sqlite differ at session.view"));
        all_equal(&[]).unwrap_err();
        // One store alone is nothing to compare.
        all_equal(&[(StoreKind::Memory, one)]).unwrap_err();
    }

    #[test]
    fn what_takes_longer_than_its_limit_fails() {
        let case = r#"{"id": "x", "input": [], "settings": {"op": "view", "time_limit_ms": 5},
            "expect": {}}"#;
        let case = Case::parse(case).unwrap();
        let mut seen = Seen::default();
        in_time(&case, &seen, Duration::from_millis(5)).unwrap();
        in_time(&case, &seen, Duration::from_millis(6)).unwrap_err();
        // What is measured counts, not what is around it.
        seen.facts.insert("time_ms", json!(4));
        in_time(&case, &seen, Duration::from_secs(6)).unwrap();
    }
}
