//! Command lines: in blocks of shell code, behind a prompt, in backticks, in calls of tools.

use session_log::ToolCall;

use super::{Specific, SpecificKind};

/// The longest command line that is kept, in characters.
const LONGEST: usize = 200;

/// Programs by whose name an inline piece of code is known to be a command. Any program is known
/// in a block of shell code, behind `$ ` and in a call.
const PROGRAMS: &[&str] = &[
    "ansible",
    "apt",
    "apt-get",
    "awk",
    "bash",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "cat",
    "cd",
    "chmod",
    "clang",
    "cmake",
    "composer",
    "cp",
    "curl",
    "deno",
    "dnf",
    "docker",
    "dotnet",
    "find",
    "gcc",
    "gh",
    "git",
    "go",
    "gradle",
    "grep",
    "helm",
    "java",
    "javac",
    "journalctl",
    "kubectl",
    "ls",
    "make",
    "mkdir",
    "mv",
    "mvn",
    "mysql",
    "node",
    "npm",
    "npx",
    "php",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "psql",
    "pytest",
    "python",
    "python3",
    "rails",
    "redis-cli",
    "rg",
    "rm",
    "rsync",
    "ruby",
    "ruff",
    "rustc",
    "rustup",
    "scp",
    "sed",
    "sh",
    "sqlite3",
    "ssh",
    "sudo",
    "systemctl",
    "tar",
    "terraform",
    "tox",
    "uv",
    "wget",
    "yarn",
];

/// The command lines of a text.
pub(super) fn scan_commands(text: &str, found: &mut Vec<Specific>) {
    let mut is_shell = false;
    let mut is_block = false;
    for line in text.lines() {
        let line = line.trim();
        if let Some(info) = line.strip_prefix("```") {
            is_block = !is_block;
            let info = info.trim().to_lowercase();
            is_shell =
                is_block && ["sh", "bash", "shell", "console", "zsh"].contains(&info.as_str());
            continue;
        }
        if let Some(command) = line.strip_prefix("$ ") {
            push(command, found);
        } else if is_shell && !line.starts_with('#') {
            push(line, found);
        } else if !is_block {
            inline(line, found);
        }
    }
}

fn inline(line: &str, found: &mut Vec<Specific>) {
    for code in line.split('`').skip(1).step_by(2) {
        let mut words = code.split_whitespace();
        let is_program = words.next().is_some_and(|word| PROGRAMS.contains(&word));
        if is_program && words.next().is_some() {
            push(code, found);
        }
    }
}

fn push(command: &str, found: &mut Vec<Specific>) {
    let command: String = command.trim().chars().take(LONGEST).collect();
    if !command.is_empty() {
        found.push(Specific::new(SpecificKind::Command, command));
    }
}

/// The command that a call runs: the first line of its argument `command` or `cmd`, which may be
/// a list of words.
pub(crate) fn command_of_call(call: &ToolCall) -> Option<String> {
    let arguments: serde_json::Value = serde_json::from_str(call.arguments.as_str()).ok()?;
    let command = arguments.get("command").or_else(|| arguments.get("cmd"))?;
    let text = match command {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(words) => {
            let words: Vec<_> = words.iter().filter_map(|word| word.as_str()).collect();
            match words.as_slice() {
                // A shell that is handed a line: the line is the command.
                [_, flag, line] if flag.starts_with('-') && flag.ends_with('c') => (*line).into(),
                words => words.join(" "),
            }
        }
        _ => return None,
    };
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(LONGEST).collect())
}
