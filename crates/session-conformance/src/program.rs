//! The program: arguments in, lines out.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use crate::case::entries;
use crate::ops::{WORKER, Worker, work};
use crate::run::{Options, Verdict, run};
use crate::store::{POSTGRES, StoreKind};

const USAGE: &str = "\
usage: session-conformance FILE.jsonl… [--store memory|sqlite|postgres] [--only ID] [--json]";

/// Runs the program with these arguments, the name of the program left out, and writes to `out`
/// and `err`. The code is 0 when nothing failed, 1 when a case did, 2 for wrong usage.
pub fn program(
    arguments: &[String],
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<ExitCode> {
    if let Some((WORKER, rest)) = arguments
        .split_first()
        .map(|(it, rest)| (it.as_str(), rest))
    {
        return worker(rest, err);
    }
    let asked = match Asked::parse(arguments) {
        Ok(asked) => asked,
        Err(reason) => {
            writeln!(err, "error: {reason}\n{USAGE}")?;
            return Ok(ExitCode::from(2));
        }
    };
    let mut tally = Tally::default();
    for file in &asked.files {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                writeln!(err, "error: {} cannot be read: {error}", file.display())?;
                return Ok(ExitCode::from(2));
            }
        };
        for entry in entries(&text) {
            if asked.only.as_ref().is_some_and(|only| *only != entry.id) {
                continue;
            }
            let verdict = run(&entry, &asked.options);
            tally.add(&verdict);
            line(&entry.id, &verdict, asked.is_json, out)?;
            out.flush()?;
        }
    }
    let Tally {
        passed,
        failed,
        skipped,
    } = tally;
    match asked.is_json {
        true => {
            let sum = json!({"passed": passed, "failed": failed, "skipped": skipped});
            writeln!(out, "{sum}")?;
        }
        false => writeln!(out, "{passed} passed, {failed} failed, {skipped} skipped")?,
    }
    if let Some(only) = &asked.only
        && passed + failed + skipped == 0
    {
        writeln!(err, "error: there is no case {only}")?;
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::from(u8::from(failed > 0)))
}

fn worker(arguments: &[String], err: &mut dyn Write) -> std::io::Result<ExitCode> {
    let done = match Worker::of(arguments) {
        Some(worker) => work(&worker),
        None => Err("no worker is described".into()),
    };
    match done {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(reason) => {
            writeln!(err, "{reason}")?;
            Ok(ExitCode::FAILURE)
        }
    }
}

fn line(id: &str, verdict: &Verdict, is_json: bool, out: &mut dyn Write) -> std::io::Result<()> {
    let (word, message) = match verdict {
        Verdict::Passed => ("ok", ""),
        Verdict::Failed(reason) => ("FAIL", reason.as_str()),
        Verdict::Skipped(reason) => ("skip", reason.as_str()),
    };
    if is_json {
        return writeln!(
            out,
            "{}",
            json!({"id": id, "verdict": word, "message": message})
        );
    }
    match message {
        "" => writeln!(out, "{word} {id}"),
        message => writeln!(out, "{word} {id}: {}", one_line(message)),
    }
}

/// The text with everything that would end the line written out.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_control() => line.extend(c.escape_default()),
            c => line.push(c),
        }
    }
    line
}

#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::Skipped(_) => self.skipped += 1,
        }
    }
}

struct Asked {
    files: Vec<PathBuf>,
    only: Option<String>,
    is_json: bool,
    options: Options,
}

impl Asked {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut asked = Self {
            files: Vec::new(),
            only: None,
            is_json: false,
            options: match std::env::current_exe() {
                Ok(program) => Options::default().with_program(program),
                Err(_) => Options::default(),
            },
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let (name, given) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (argument.as_str(), None),
            };
            let mut value = || {
                let value = given.clone().or_else(|| arguments.next().cloned());
                value.ok_or_else(|| format!("{name} needs a value"))
            };
            match name {
                "--store" => {
                    let store: StoreKind = value()?.parse().map_err(|e| format!("{e}"))?;
                    if !store.is_available() {
                        return Err(format!("{POSTGRES} names no server for a {store} store"));
                    }
                    asked.options.store = Some(store);
                }
                "--only" => asked.only = Some(value()?),
                "--json" => asked.is_json = true,
                option if option.starts_with("--") => {
                    return Err(format!("unknown option {option}"));
                }
                file => asked.files.push(file.into()),
            }
        }
        match asked.files.is_empty() {
            true => Err("no case file is given".into()),
            false => Ok(asked),
        }
    }
}
