//! The whole command on a long transcript: time, memory, and the targets for both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::failure::Failure;
use crate::process::{cargo, run as run_command};
use crate::workspace::Workspace;

/// A session of Claude Code, of about a megabyte.
const EXAMPLE: &str = "docs/examples/agentic-session.claude-code.jsonl";

const BYTES: usize = 60_000_000;
const RUNS: usize = 5;

/// In which Gemini CLI resumes a session of that size, the only published figure of a peer.
const TARGET: Duration = Duration::from_millis(4_200);
const AIM: Duration = Duration::from_millis(1_500);

/// What the command may use beside the records it holds.
const ROOM: usize = 200_000_000;

/// Where a record says which it is, and which it belongs to.
const IDS: &[&str] = &["uuid", "parentUuid", "id", "tool_use_id", "requestId"];

pub(super) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let example = workspace.read(EXAMPLE)?;
    let (transcript, largest) = repeated(&example, BYTES)?;
    let folder = workspace.target().join("bench");
    let cannot = |error| Failure::because(&format!("cannot write to {}", folder.display()), error);
    fs::create_dir_all(&folder).map_err(cannot)?;
    let file = folder.join("claude-code.jsonl");
    fs::write(&file, &transcript).map_err(cannot)?;
    run_command(&mut cargo(
        workspace,
        ["build", "--release", "--package", "session-cli"],
    ))?;
    let program = workspace.target().join("release").join("compaction");
    let mut times = Vec::new();
    let mut memory = None;
    for _ in 0..RUNS {
        let measured = measure(&program, &file, &folder)?;
        times.push(measured.time);
        memory = memory.max(measured.bytes);
    }
    println!(
        "`compaction compact` on {} MB, {} records, the largest of {} kB",
        transcript.len() / 1_000_000,
        transcript.lines().count(),
        largest / 1_000
    );
    println!("| what | measured | target | |\n|---|---:|---:|---|");
    print_time(&mut times);
    print_memory(memory, 4 * largest + ROOM);
    Ok(())
}

fn print_time(times: &mut [Duration]) {
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let ends = (times.first(), times.last());
    let (Some(first), Some(last)) = ends else {
        return;
    };
    println!(
        "| time, the middle of {} | {:.2} s ({:.2} to {:.2}) | {:.1} s, aim {:.1} s | {}, aim {} |",
        times.len(),
        median.as_secs_f64(),
        first.as_secs_f64(),
        last.as_secs_f64(),
        TARGET.as_secs_f64(),
        AIM.as_secs_f64(),
        word(median <= TARGET),
        word(median <= AIM),
    );
}

fn print_memory(bytes: Option<usize>, target: usize) {
    let target_mb = target / 1_000_000;
    match bytes {
        Some(bytes) => println!(
            "| memory, the most | {} MB | {target_mb} MB | {} |",
            bytes / 1_000_000,
            word(bytes <= target)
        ),
        None => {
            println!("| memory, the most | not measured, there is no `time` | {target_mb} MB | |");
        }
    }
}

fn word(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}

struct Measured {
    time: Duration,
    /// The most memory it had at once.
    bytes: Option<usize>,
}

/// Runs the command once, under the program `time` where there is one, which asks the system for
/// the most memory that was used.
fn measure(program: &Path, file: &Path, folder: &Path) -> Result<Measured, Failure> {
    let memory = folder.join("memory");
    let time = PathBuf::from("/usr/bin/time");
    let mut command = if time.is_file() {
        let mut command = Command::new(time);
        command.args(["-f", "%M", "-o"]).arg(&memory).arg(program);
        command
    } else {
        Command::new(program)
    };
    command
        .arg("compact")
        .arg(file)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let start = Instant::now();
    let output = crate::process::capture(&mut command)?;
    let time = start.elapsed();
    if !output.status.success() {
        return Err(Failure::new(format!(
            "the command failed ({})\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )));
    }
    let kilobytes = fs::read_to_string(&memory).ok();
    let kilobytes = kilobytes.and_then(|text| text.trim().parse::<usize>().ok());
    Ok(Measured {
        time,
        bytes: kilobytes.map(|it| it * 1024),
    })
}

/// The transcript over and over, as one session: fresh ids each time, and each time the first
/// record follows the last of the time before. Also the length of the largest record.
fn repeated(example: &str, bytes: usize) -> Result<(String, usize), Failure> {
    let mut records = Vec::new();
    for line in example.lines() {
        let record: Value = serde_json::from_str(line)
            .map_err(|error| Failure::because(&format!("{EXAMPLE} is no transcript"), error))?;
        records.push(record);
    }
    let mut transcript = String::new();
    let mut largest = 0;
    let mut last = Value::Null;
    let mut time = 0_usize;
    while transcript.len() < bytes && !records.is_empty() {
        for record in &records {
            let mut record = record.clone();
            renew(&mut record, time);
            if let Some(parent) = record.get_mut("parentUuid").filter(|it| it.is_null()) {
                *parent = last.clone();
            }
            if let Some(id) = record.get("uuid") {
                last = id.clone();
            }
            let line = record.to_string();
            largest = largest.max(line.len());
            transcript.push_str(&line);
            transcript.push('\n');
        }
        time += 1;
    }
    Ok((transcript, largest))
}

/// Makes the ids in a record those of the given time.
fn renew(value: &mut Value, time: usize) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(id) if IDS.contains(&name.as_str()) => {
                        id.push_str(&format!("-{time}"));
                    }
                    field => renew(field, time),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| renew(item, time)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_transcript_is_one_session_with_fresh_ids() {
        let example = concat!(
            "{\"uuid\":\"a\",\"parentUuid\":null,\"message\":{\"content\":[{\"id\":\"k\"}]}}\n",
            "{\"uuid\":\"b\",\"parentUuid\":\"a\",\"text\":\"id\"}\n",
        );
        let (transcript, largest) = repeated(example, example.len() + 20).unwrap();
        let lines: Vec<_> = transcript.lines().collect();
        let [first, second, third, fourth] = lines.as_slice() else {
            panic!("{transcript}");
        };
        assert_eq!(largest, third.len());
        let parsed = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        assert_eq!(
            parsed(first).pointer("/message/content/0/id"),
            Some(&"k-0".into())
        );
        assert_eq!(parsed(first).get("parentUuid"), Some(&Value::Null));
        assert_eq!(parsed(second).get("parentUuid"), Some(&"a-0".into()));
        assert_eq!(parsed(second).get("text"), Some(&"id".into()));
        assert_eq!(parsed(third).get("parentUuid"), Some(&"b-0".into()));
        assert_eq!(parsed(fourth).get("parentUuid"), Some(&"a-1".into()));
    }
}
