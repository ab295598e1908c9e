//! Commands of the command line, each a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::json;

use super::Ran;
use crate::case::Case;
use crate::store::StoreKind;
use crate::world::{Runs, Setting, World};

/// Runs the commands over a store that holds the input.
pub(super) fn cli(case: &Case, setting: &Setting, commands: &[String]) -> Runs<Ran> {
    if !setting.store.is_durable() {
        return Ok(Ran::Skipped(format!(
            "a {} store is gone between two commands",
            setting.store
        )));
    }
    if setting.store != StoreKind::Sqlite {
        return Ok(Ran::Skipped(format!(
            "the command line keeps sessions in SQLite, not in {}",
            setting.store
        )));
    }
    let program = program(setting)?;
    let mut world = World::new(case, setting)?;
    world.append_input()?;
    let store = format!("sqlite:{}", world.home.file().display());
    let mut exit = 0;
    let mut said = String::new();
    for command in commands {
        let output = Command::new(&program)
            .args(arguments(command, world.session.as_str()))
            .env("COMPACTION_STORE", &store)
            .env("NO_COLOR", "1")
            .current_dir(world.home.folder())
            .output()
            .map_err(|error| format!("{} cannot be run: {error}", program.display()))?;
        // A program that was killed has no code.
        let code = output.status.code().unwrap_or(i32::MAX);
        let stderr = String::from_utf8_lossy(&output.stderr);
        if std::str::from_utf8(&output.stdout).is_err() {
            return Err(format!("`{command}` printed what is no UTF-8"));
        }
        if stderr.contains("panicked at") {
            return Err(format!("no_panic: `{command}` panicked: {}", stderr.trim()));
        }
        if code != 0 && exit == 0 {
            exit = code;
            said = format!("`{command}`: {}", stderr.trim());
        }
    }
    world.facts.insert("exit", json!(exit));
    world.facts.insert("exit_said", json!(said));
    world.seen().map(Ran::from)
}

/// The arguments of a command as a case writes it: short, and without the session.
fn arguments(command: &str, session: &str) -> Vec<String> {
    let mut words = words(command);
    let verb = words.first().cloned().unwrap_or_default();
    match verb.as_str() {
        "list" => {
            words.splice(..1, ["sessions".to_owned()]);
        }
        "show" | "compact" | "plan" | "export" | "undo" | "redo" | "stats" | "delete" => {
            let is_named = words.get(1).is_some_and(|word| !word.starts_with('-'));
            if !is_named {
                words.insert(1.min(words.len()), session.to_owned());
            }
        }
        _ => {}
    }
    words
}

/// The words of a line; quotes hold several together.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quote, mut has_word) = (String::new(), None, false);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                has_word = true;
            }
            (None, c) if c.is_whitespace() => {
                if has_word {
                    words.push(std::mem::take(&mut word));
                }
                has_word = false;
            }
            (None, c) => {
                word.push(c);
                has_word = true;
            }
        }
    }
    if has_word {
        words.push(word);
    }
    words
}

/// The program `compaction`, which stands beside the one of the runner. Where cargo runs this and
/// the program is missing or older than the sources, it is asked to build it first.
fn program(setting: &Setting) -> Runs<PathBuf> {
    static BUILT: OnceLock<Runs<()>> = OnceLock::new();

    let runner = setting.program.as_deref();
    let runner = runner.ok_or("another program is needed, and its place is not known")?;
    let folder = runner
        .parent()
        .ok_or("the program of the runner is nowhere")?;
    let program = folder.join(format!("compaction{}", std::env::consts::EXE_SUFFIX));
    if let Some(cargo) = std::env::var_os("CARGO") {
        let made = || match is_newer_than_sources(&program) {
            true => Ok(()),
            false => build(Path::new(&cargo), folder),
        };
        BUILT.get_or_init(made).clone()?;
    }
    match program.is_file() {
        true => Ok(program),
        false => Err(format!(
            "{} is not there: build it with `cargo build -p session-cli`",
            program.display()
        )),
    }
}

/// Whether the program was made after every source file of the workspace was written.
fn is_newer_than_sources(program: &Path) -> bool {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|it| it.modified()).ok();
    let Some(made) = changed(program) else {
        return false;
    };
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            let is_source = path
                .extension()
                .is_some_and(|it| it == "rs" || it == "toml");
            match path.is_dir() {
                true => folders.push(path),
                false if is_source && changed(&path).is_none_or(|it| it > made) => return false,
                false => {}
            }
        }
    }
    true
}

fn build(cargo: &Path, folder: &Path) -> Runs<()> {
    let mut command = Command::new(cargo);
    command
        .args(["build", "--quiet", "--package", "session-cli"])
        .args(["--bin", "compaction", "--target-dir"])
        .arg(folder.parent().unwrap_or(folder))
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    if folder.ends_with("release") {
        command.arg("--release");
    }
    let output = command.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "the command line cannot be built: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_command_gets_its_session() {
        for (command, expected) in [
            ("list", vec!["sessions"]),
            ("show --width 20", vec!["show", "s", "--width", "20"]),
            ("compact", vec!["compact", "s"]),
            (
                "compact other --tokens 5",
                vec!["compact", "other", "--tokens", "5"],
            ),
            ("search 'two words' x", vec!["search", "two words", "x"]),
            ("search \"\"", vec!["search", ""]),
        ] {
            assert_eq!(arguments(command, "s"), expected, "{command}");
        }
    }
}
