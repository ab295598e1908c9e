//! The scanner: words of a text, sorted by their shape.

use super::commands::scan_commands;
use super::{Specific, SpecificKind};

/// The longest word that is looked at, in bytes. Longer ones are payloads.
const LONGEST: usize = 300;

/// Extensions by which a name without a slash is known to be a file.
const EXTENSIONS: &[&str] = &[
    "avif", "bat", "bib", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "cu", "dart",
    "db", "diff", "doc", "docx", "env", "ex", "exs", "gif", "go", "gradle", "graphql", "gz", "h",
    "hpp", "hs", "htm", "html", "ini", "ipynb", "java", "jpeg", "jpg", "js", "json", "jsonl",
    "jsx", "kt", "kts", "less", "lock", "log", "lua", "md", "mdx", "mjs", "ml", "mp3", "mp4",
    "nix", "parquet", "patch", "pdf", "php", "pl", "png", "proto", "ps1", "py", "pyi", "r", "rb",
    "rs", "rst", "scala", "scss", "sh", "sql", "sqlite", "svelte", "svg", "swift", "tar", "tex",
    "tf", "toml", "ts", "tsv", "tsx", "txt", "vue", "wasm", "webp", "xls", "xlsx", "xml", "yaml",
    "yml", "zig", "zip",
];

/// Names of files without an extension.
const FILES: &[&str] = &[
    ".dockerignore",
    ".editorconfig",
    ".env",
    ".gitignore",
    ".npmrc",
    "Dockerfile",
    "Justfile",
    "Makefile",
];

/// Folders by which `a/b` is known to be a path and not two words.
const FOLDERS: &[&str] = &[
    "app",
    "apps",
    "assets",
    "bin",
    "build",
    "cmd",
    "components",
    "config",
    "crates",
    "dist",
    "doc",
    "docs",
    "etc",
    "examples",
    "home",
    "include",
    "internal",
    "lib",
    "libs",
    "opt",
    "packages",
    "pages",
    "pkg",
    "public",
    "scripts",
    "server",
    "source",
    "src",
    "static",
    "test",
    "tests",
    "tmp",
    "tools",
    "usr",
    "utils",
    "var",
];

/// Units behind a number, by which a single digit counts.
const UNITS: &[&str] = &[
    "%", "b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "ns", "us", "µs", "ms", "s", "min", "h",
    "k", "m", "px", "km", "cm", "mm", "kg", "g", "x", "€", "$",
];

/// Appends what is found in `text`, in order, repeated or not.
pub(super) fn scan(text: &str, found: &mut Vec<Specific>) {
    for line in text.lines() {
        for word in without_numbering(line).split(is_separator) {
            word_of(word, found);
        }
    }
    scan_commands(text, found);
}

/// The line without the number of a list item in front: `12. `, `3) `, `[4] `.
fn without_numbering(line: &str) -> &str {
    let rest = line.trim_start().trim_start_matches('[');
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() < rest.len() && after.starts_with(['.', ')', ']']) {
        let mut chars = after.chars();
        chars.next();
        if chars.as_str().starts_with(char::is_whitespace) {
            return chars.as_str();
        }
    }
    line
}

fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\'' | '`' | '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}'
        )
        || matches!(
            c,
            '|' | ';' | '*' | '^' | '“' | '”' | '‘' | '’' | '«' | '»' | '…' | '→'
        )
        || is_unspaced(c)
}

/// Letters and marks of scripts that put no space between words.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{e7f}' | '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// One word between separators.
fn word_of(word: &str, found: &mut Vec<Specific>) {
    let word = word.trim_end_matches(['.', ',', ':', '!', '?', '-', '\\']);
    let word = word
        .trim_start_matches([',', ':', '!', '?', '#', '+', '\\', '$', '€'])
        .trim_start_matches("-");
    let word = match word.strip_prefix('~') {
        Some(rest) if !rest.starts_with('/') => rest,
        _ => word,
    };
    if word.len() > LONGEST || !word.contains(char::is_alphanumeric) {
        return;
    }
    if let Some((before, _)) = word.split_once("://") {
        let scheme = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
        let url = word.get(scheme.len()..).unwrap_or(word);
        return found.push(Specific::new(SpecificKind::Url, url));
    }
    if is_drive(word) {
        return found.push(Specific::new(SpecificKind::Path, word));
    }
    // Separators inside: each side is a word of its own.
    if let Some(number) = thousands(word) {
        return found.push(Specific::new(SpecificKind::Number, number));
    }
    if word.contains([',', '\\', '=']) {
        return word
            .split([',', '\\', '='])
            .for_each(|word| word_of(word, found));
    }
    if let Some((file, item)) = word.split_once("::") {
        if is_file(file) {
            word_of(file, found);
            return word_of(item, found);
        }
        return found.push(Specific::new(SpecificKind::Id, word));
    }
    if is_timestamp(word) {
        return found.push(Specific::new(SpecificKind::Number, word));
    }
    if word.contains(':') && !word.bytes().all(|b| b.is_ascii_digit() || b == b':') {
        return word.split(':').for_each(|word| word_of(word, found));
    }
    if let Some(kind) = shape(word) {
        found.push(Specific::new(kind, word));
    }
}

fn shape(word: &str) -> Option<SpecificKind> {
    if word.contains('/') {
        return slashed(word);
    }
    if is_file(word) {
        return Some(SpecificKind::Path);
    }
    if is_number(word) {
        return Some(SpecificKind::Number);
    }
    is_id(word).then_some(SpecificKind::Id)
}

/// A word with a slash: a path, a branch, a date, or just two words.
fn slashed(word: &str) -> Option<SpecificKind> {
    let segments: Vec<&str> = word.split('/').filter(|it| !it.is_empty()).collect();
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
        return None;
    };
    if segments
        .iter()
        .all(|it| it.bytes().all(|b| b.is_ascii_digit()))
    {
        let digits = segments.iter().map(|it| it.len()).sum::<usize>();
        return (digits >= 4).then_some(SpecificKind::Number);
    }
    let is_rooted = word.starts_with(['/', '.', '~']) && segments.len() >= 2;
    let is_folder = FOLDERS.contains(first) || (word.ends_with('/') && segments.len() == 1);
    if is_rooted || is_folder || has_extension(last) || segments.len() >= 3 {
        return Some(SpecificKind::Path);
    }
    let has_mark = |it: &&str| {
        it.bytes()
            .any(|b| b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.'))
    };
    segments.iter().any(has_mark).then_some(SpecificKind::Id)
}

fn is_drive(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
        && bytes.next() == Some(b':')
        && matches!(bytes.next(), Some(b'\\' | b'/'))
        && bytes.next().is_some()
}

fn has_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    !stem.is_empty()
        && (1..=5).contains(&extension.len())
        && extension.bytes().all(|b| b.is_ascii_alphanumeric())
        && extension.bytes().any(|b| b.is_ascii_alphabetic())
}

fn is_file(word: &str) -> bool {
    let Some((stem, extension)) = word.rsplit_once('.') else {
        return FILES.contains(&word);
    };
    let is_known = EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str());
    (is_known && stem.contains(char::is_alphanumeric)) || FILES.contains(&word)
}

/// `20,000`, with groups of three.
fn thousands(word: &str) -> Option<&str> {
    let mut groups = word.split(',');
    let first = groups.next()?;
    let is_digits = |it: &str| it.bytes().all(|b| b.is_ascii_digit());
    let mut count = 0;
    for group in groups {
        count += 1;
        let whole = group.split('.').next().unwrap_or(group);
        if whole.len() != 3 || !is_digits(whole) {
            return None;
        }
    }
    (count > 0 && (1..=3).contains(&first.len()) && is_digits(first)).then_some(word)
}

/// Digits, with the marks of fractions, dates, times and versions, and a unit of at most four
/// letters behind them. A single digit counts with a fraction or a known unit only.
fn is_number(word: &str) -> bool {
    let body = word.strip_prefix('v').unwrap_or(word);
    if !body.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let unit =
        body.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ':' | '-' | '_'));
    if unit.len() > 4 || !unit.chars().all(|c| c.is_ascii_alphabetic() || c == '%') {
        return false;
    }
    let digits = body.bytes().filter(u8::is_ascii_digit).count();
    let is_hash = digits >= 1 && unit.is_empty() && body.len() >= 40;
    let is_known = UNITS.contains(&unit.to_ascii_lowercase().as_str());
    !is_hash && (is_known || (digits >= 2 && (unit.is_empty() || unit.len() <= 2)))
}

/// A date with a time, as machines write it: `2031-02-03T00:12:00Z`.
fn is_timestamp(word: &str) -> bool {
    let Some((date, time)) = word.split_once(['T', 't']) else {
        return false;
    };
    let is_date = |b: u8| b.is_ascii_digit() || b == b'-';
    let is_time = |b: u8| b.is_ascii_digit() || b":.+-Zz".contains(&b);
    date.len() == 10
        && date.bytes().all(is_date)
        && time.len() >= 5
        && time.starts_with(|c: char| c.is_ascii_digit())
        && time.bytes().all(is_time)
}

/// A word that no language has: with a letter and a digit, with an underscore or a capital inside,
/// or of several dotted parts.
fn is_id(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    if !(3..=128).contains(&word.len())
        || !word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-.@$#+&~".contains(&b))
    {
        return false;
    }
    let has_digit = word.bytes().any(|b| b.is_ascii_digit());
    let has_letter = word.bytes().any(|b| b.is_ascii_alphabetic());
    let has_capital_inside = word
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    let end = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if ["st", "nd", "rd", "th"].contains(&end) {
        return false;
    }
    let dots = word.bytes().filter(|b| *b == b'.').count();
    (has_digit && has_letter)
        || word.contains('_')
        || (has_capital_inside && word.len() >= 4)
        || (dots >= 2 && has_letter)
        || (word.len() >= 40 && has_digit)
}
