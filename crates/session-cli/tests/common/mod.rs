//! Runs the built command as a person would, in a folder of its own.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failing test says so by panicking, and each test file uses its part"
)]

pub(crate) mod html;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

/// A folder for one test, with a store of its own. It is gone afterwards.
pub(crate) struct Place {
    pub(crate) dir: PathBuf,
}

/// How a command ended.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cli-{}-{number}", std::process::id());
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&dir).unwrap();
        Self { dir }
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.dir.join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.join(name)).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_compaction"));
        command
            .args(args)
            .current_dir(&self.dir)
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env("TZ", "UTC")
            .env("XDG_DATA_HOME", self.dir.join("data"))
            .env("HOME", &self.dir)
            .env("COMPACTION_STORE", "sqlite:store.db");
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        self.run_with(args, "")
    }

    /// Runs with `input` on standard input.
    pub(crate) fn run_with<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        input: impl AsRef<[u8]>,
    ) -> Ran {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.as_ref().to_vec();
        // A command that reads no input closes the pipe, which is no fault of the test.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output.into()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// The command did its work.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.err);
        self
    }

    /// What was printed, as the one JSON document it must be.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

/// The examples that people are told to try.
pub(crate) fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|end| end == "json" || end == "jsonl")
        })
        .collect();
    files.sort();
    assert!(files.len() >= 4, "the examples are there");
    files
}

pub(crate) fn example(name: &str) -> String {
    let found = examples()
        .into_iter()
        .find(|path| path.file_name().unwrap() == name);
    found.expect(name).to_str().unwrap().to_owned()
}

/// A plain conversation of `turns` turns, each a question and an answer of some words.
pub(crate) fn talk(turns: usize) -> String {
    let mut messages = vec![r#"{"role":"system","content":"Be brief."}"#.to_owned()];
    for turn in 1..=turns {
        messages.push(format!(
            r#"{{"role":"user","content":"question {turn}: what is the number of room {turn}?"}}"#
        ));
        messages.push(format!(
            r#"{{"role":"assistant","content":"answer {turn}: it is {turn}00"}}"#
        ));
    }
    format!("[{}]", messages.join(","))
}

/// A conversation whose only turn has `steps` tool calls.
pub(crate) fn one_long_turn(steps: usize) -> String {
    let mut messages = vec![r#"{"role":"user","content":"count the files"}"#.to_owned()];
    for step in 1..=steps {
        let result = "one two three four five six seven eight nine ten ".repeat(8);
        messages.push(format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"k{step}","type":"function","function":{{"name":"ls","arguments":"{{}}"}}}}]}}"#
        ));
        messages.push(format!(
            r#"{{"role":"tool","tool_call_id":"k{step}","content":"{step}: {result}"}}"#
        ));
    }
    messages.push(r#"{"role":"assistant","content":"done"}"#.to_owned());
    format!("[{}]", messages.join(","))
}

/// The messages of a view in the shape of OpenAI chat, and which of them nobody said.
pub(crate) fn view(document: &Value) -> Vec<&Value> {
    document["view"].as_array().unwrap().iter().collect()
}

/// What a message says, whatever its shape.
pub(crate) fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}

/// The ids in the store, in the order of the listing.
pub(crate) fn ids(place: &Place) -> Vec<String> {
    let sessions = place.run(["sessions", "--json"]).done().json();
    let sessions = sessions.as_array().unwrap().iter();
    sessions
        .map(|it| it["session"].as_str().unwrap().to_owned())
        .collect()
}

/// A place with one session of so many turns, and its id.
pub(crate) fn with_talk(turns: usize) -> (Place, String) {
    let place = Place::new();
    place.file("talk.json", talk(turns));
    place.run(["import", "talk.json", "-q"]).done();
    let id = ids(&place).pop().unwrap();
    (place, id)
}

/// Every call among the chat messages of a view has its result behind it, and every result its call.
#[track_caller]
pub(crate) fn check_pairs(messages: &[Value], about: &str) {
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    for shown in messages {
        let message = &shown["message"];
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            *open
                .entry(call["id"].as_str().unwrap().to_owned())
                .or_default() += 1;
        }
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            let calls = open
                .get_mut(id)
                .unwrap_or_else(|| panic!("{about}: result {id} without its call"));
            *calls = calls
                .checked_sub(1)
                .unwrap_or_else(|| panic!("{about}: two results of {id}"));
        }
    }
    let open: Vec<_> = open.iter().filter(|(_, calls)| **calls > 0).collect();
    assert!(open.is_empty(), "{about}: calls without results: {open:?}");
}

/// A call, its exit code, and what standard error says.
pub(crate) type Case = (&'static [&'static str], i32, &'static [&'static str]);

/// Each call ends with its exit code, says what it should, and prints nothing.
#[track_caller]
pub(crate) fn check(place: &Place, cases: &[Case]) {
    for (args, code, said) in cases {
        let ran = place.run(*args);
        assert_eq!(ran.code, *code, "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{args:?}");
        for part in *said {
            assert!(
                ran.err.contains(part),
                "{args:?} does not say {part:?}:\n{}",
                ran.err
            );
        }
        assert!(!ran.err.contains("panicked"), "{args:?}: {}", ran.err);
        assert!(!ran.err.contains('\u{1b}'), "{args:?}: colours on a pipe");
    }
}

/// A view: the chat messages, and which of them nobody said.
pub(crate) fn view_of(place: &Place, file: &str) -> Vec<Value> {
    let ran = place
        .run([
            "compact",
            file,
            "--json",
            "--encoding",
            "bytes4",
            "--when",
            "turns>1000000",
        ])
        .done();
    view(&ran.json()).into_iter().cloned().collect()
}
