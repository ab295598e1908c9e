//! Rust source with everything that is not code blanked out, for checks that look for words.
//!
//! No parser: a scanner that knows comments, strings and characters is enough to tell `todo!()` in
//! code from the word in a sentence.

/// The source with comments, strings and characters replaced by spaces; lines stay where they are.
pub(crate) fn code_of(source: &str) -> String {
    let characters: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut rest = characters.as_slice();
    let mut last = ' ';
    while let Some(&first) = rest.first() {
        let length = blank_length(rest, last).min(rest.len());
        let (blanked, after) = rest.split_at(length.max(1));
        if length == 0 {
            code.push(first);
        } else {
            code.extend(blanked.iter().map(|&c| if c == '\n' { c } else { ' ' }));
        }
        last = first;
        rest = after;
    }
    code
}

/// Lines of code outside of tests, with their numbers from 1. A test module is taken to be the last
/// thing in its file; any other item under `#[cfg(test)]` to be one line.
pub(crate) fn code_lines_outside_tests(source: &str) -> Vec<(usize, String)> {
    let code = code_of(source);
    let mut lines = code.lines().enumerate();
    let mut kept = Vec::new();
    while let Some((index, line)) = lines.next() {
        if !line.trim_start().starts_with("#[cfg(test)]") {
            kept.push((index + 1, line.to_owned()));
            continue;
        }
        let item = lines.find(|(_, line)| !line.trim_start().starts_with("#["));
        if item.is_some_and(|(_, line)| line.contains("mod ") && line.contains('{')) {
            break;
        }
    }
    kept
}

/// Whether a line has `word` as a whole word.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|found| found == word)
}

/// How many characters at the start of `rest` are no code; 0 where code starts.
fn blank_length(rest: &[char], last: char) -> usize {
    let starts_word = !last.is_alphanumeric() && last != '_';
    match rest {
        ['/', '/', ..] => line_length(rest),
        ['/', '*', ..] => block_length(rest),
        ['"', ..] => string_length(rest),
        ['r', '"' | '#', ..] if starts_word => raw_length(rest, 1),
        ['b' | 'c', 'r', '"' | '#', ..] if starts_word => raw_length(rest, 2),
        ['\'', '\\', _, after @ ..] => 3 + length_to(after, '\''),
        ['\'', _, '\'', ..] => 3,
        _ => 0,
    }
}

fn line_length(rest: &[char]) -> usize {
    rest.iter().take_while(|&&c| c != '\n').count()
}

fn length_to(rest: &[char], end: char) -> usize {
    rest.iter()
        .position(|&c| c == end)
        .map_or(rest.len(), |position| position + 1)
}

fn block_length(rest: &[char]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        match tail {
            ['/', '*', ..] => {
                depth += 1;
                at += 2;
            }
            ['*', '/', ..] => {
                depth = depth.saturating_sub(1);
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

fn string_length(rest: &[char]) -> usize {
    let mut escaped = false;
    for (index, &c) in rest.iter().enumerate().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return index + 1,
            _ => {}
        }
    }
    rest.len()
}

/// A raw string whose `#`s start after `prefix` characters; 0 if it is a raw identifier.
fn raw_length(rest: &[char], prefix: usize) -> usize {
    let Some(tail) = rest.get(prefix..) else {
        return 0;
    };
    let hashes = tail.iter().take_while(|&&c| c == '#').count();
    let Some(['"', body @ ..]) = tail.get(hashes..) else {
        return 0;
    };
    let mut end = vec!['"'];
    end.resize(hashes + 1, '#');
    let length = body
        .windows(end.len())
        .position(|window| window == end)
        .map_or(body.len(), |position| position + end.len());
    prefix + hashes + 1 + length
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blanks are written as `_` here, so that they can be seen.
    #[track_caller]
    fn check(source: &str, code: &str) {
        assert_eq!(code_of(source).replace(' ', "_"), code.replace(' ', "_"));
    }

    #[test]
    fn code_stays_and_the_rest_is_blank() {
        check("a // b", "a     ");
        check("a /* b /* c */ d */ e", "a                   e");
        check("f(\"todo!() \\\" x\") y", "f(              ) y");
        check("r#\"a\"b\"# c", "         c");
        check("br\"a\" c", "      c");
        check("r#type x", "r#type x");
        check("var\"x\"", "var   ");
        check("'a' 'b: '\\'' '\\u{1}' x", "    'b:              x");
        check("\"a\nb\" c", "  \n   c");
    }

    #[test]
    fn an_open_end_is_no_panic() {
        for source in ["\"", "/*", "r#\"", "'\\", "b", "r", "'", "\"\\"] {
            assert_eq!(code_of(source).chars().count(), source.chars().count());
        }
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("extern crate std;", "std"));
        assert!(!has_word("#![no_std]", "std"));
    }

    #[test]
    fn test_code_is_left_out() {
        let source = "a\n#[cfg(test)]\nextern crate std;\nb\n#[cfg(test)]\n#[x]\nmod t {\nc\n}\n";
        let lines: Vec<usize> = code_lines_outside_tests(source)
            .into_iter()
            .map(|(number, _)| number)
            .collect();
        assert_eq!(lines, [1, 4]);
    }
}
