//! What no other tool looks at: the length of files, complete manifests, explained dependencies, and
//! words that do not belong in a commit.

mod dependencies;
mod manifests;
mod words;

use crate::failure::Failure;
use crate::workspace::Workspace;

/// Lines of a source file from which a person is told, and at which the check fails.
const LONG: usize = 400;
const TOO_LONG: usize = 800;

pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut findings = Vec::new();
    for file in workspace.files()? {
        let Ok(text) = workspace.read(&file) else {
            continue; // not text
        };
        findings.extend(words::check(&file, &text));
        findings.extend(length(&file, &text));
    }
    findings.extend(manifests::check(workspace)?);
    findings.extend(dependencies::check(workspace)?);
    Failure::unless_empty("the repository is not tidy", &findings)
}

fn length(file: &str, text: &str) -> Option<String> {
    if !file.ends_with(".rs") {
        return None;
    }
    let lines = text.lines().count();
    if lines > TOO_LONG {
        return Some(format!("{file} has {lines} lines, {TOO_LONG} is the limit"));
    }
    if lines > LONG {
        println!("note: {file} has {lines} lines; above {LONG} a split is worth a thought");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_above_the_limit_is_found() {
        assert_eq!(length("a.rs", &"x\n".repeat(TOO_LONG)), None);
        assert_eq!(
            length("a.rs", &"x\n".repeat(TOO_LONG + 1)).as_deref(),
            Some("a.rs has 801 lines, 800 is the limit")
        );
        assert_eq!(length("a.jsonl", &"x\n".repeat(TOO_LONG + 1)), None);
    }
}
