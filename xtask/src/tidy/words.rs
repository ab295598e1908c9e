//! Words that do not belong in a commit: left-over debugging in code, places of one machine in text.

use crate::source::code_of;

const MACROS: &[&str] = &["dbg!", "todo!", "unimplemented!"];

/// Split, so that this file does not find itself. A path counts where it starts: `/w` in `a/w` is none.
const PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/opt/wh", "eels"),
];
const HOSTS: &[&str] = &[
    concat!("arti", "factory"),
    concat!("jf", "rog"),
    concat!("sonatype", "-nexus"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("files.python", "hosted.org"),
];

pub(super) fn check(file: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let paths = PATHS.iter().filter(|path| starts_in(line, path));
        let lower = line.to_lowercase();
        let hosts = HOSTS.iter().filter(|host| lower.contains(**host));
        for word in paths.chain(hosts) {
            findings.push(format!("{file}:{} names a machine: {word}", index + 1));
        }
    }
    if file.ends_with(".rs") {
        findings.extend(macros(file, text));
    }
    findings
}

fn macros(file: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (index, line) in code_of(text).lines().enumerate() {
        for word in MACROS.iter().filter(|word| starts_in(line, word)) {
            findings.push(format!("{file}:{} has `{word}`", index + 1));
        }
    }
    findings
}

/// Whether `word` is in the line, not as the tail of a longer path or name.
fn starts_in(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || "_-./~".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_words(file: &str, text: &str, expected: usize) {
        let findings = check(file, text);
        assert_eq!(findings.len(), expected, "{findings:?}");
    }

    #[test]
    fn left_over_debugging_is_found_in_code_only() {
        check_words("a.rs", "dbg!(x);\ntodo!()", 2);
        check_words("a.rs", "// dbg!(x)\n\"todo!\"; my_dbg!()", 0);
        check_words("a.md", "todo!", 0);
    }

    #[test]
    fn a_place_of_one_machine_is_found_where_a_path_starts() {
        let path = PATHS.first().unwrap();
        check_words("a.md", &format!("see `{path}x` and {path}y"), 1);
        check_words("a.md", &format!("see home{path}x and ~{path}y"), 0);
    }

    #[test]
    fn a_registry_host_is_found_in_any_case() {
        let host = HOSTS.first().unwrap();
        check_words("a.toml", &format!("https://x.{}/y", host.to_uppercase()), 1);
    }
}
