//! The chat history of aider, which is Markdown: put into records, so that it is read like
//! everything else. Each record says where it stood in the file.

use std::ops::Range;

use crate::json::{Object, quote};

/// How a run begins.
const RUN: &str = "# aider chat started at ";

/// How far into a file its first run may begin.
const ENOUGH: usize = 200;

/// The records of a history, one a line; `None` when the text is none.
pub(crate) fn records(text: &str) -> Option<String> {
    let mut first = text.lines().take(ENOUGH);
    if !first.any(|line| line.starts_with(RUN)) {
        return None;
    }
    let mut writer = Writer::default();
    let (mut at, mut number) = (0, 0);
    for whole in text.split_inclusive('\n') {
        number += 1;
        let bytes = at..at + whole.len();
        at = bytes.end;
        let line = whole.trim_end_matches(['\n', '\r']);
        writer.line(line, number, &bytes);
    }
    writer.flush();
    Some(writer.records)
}

/// Whose words they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Speaker {
    /// What stands in front of the first run.
    #[default]
    Nobody,
    Run,
    User,
    Console,
    Assistant,
}

impl Speaker {
    fn name(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::Run => "run",
            Self::User => "user",
            Self::Console => "console",
            Self::Assistant => "assistant",
        }
    }
}

#[derive(Debug, Default)]
struct Writer {
    records: String,
    speaker: Speaker,
    has_run: bool,
    text: String,
    line: u64,
    bytes: Range<usize>,
}

impl Writer {
    fn line(&mut self, line: &str, number: u64, bytes: &Range<usize>) {
        let (speaker, text) = if let Some(moment) = line.strip_prefix(RUN) {
            self.has_run = true;
            (Speaker::Run, moment)
        } else if !self.has_run {
            (Speaker::Nobody, line)
        } else if let Some(said) = line.strip_prefix("####") {
            (
                Speaker::User,
                said.strip_prefix(' ').unwrap_or(said).trim_end(),
            )
        } else if let Some(shown) = line.strip_prefix('>') {
            (
                Speaker::Console,
                shown.strip_prefix(' ').unwrap_or(shown).trim_end(),
            )
        } else if line.trim().is_empty() && self.speaker != Speaker::Assistant {
            // A blank line ends what is no reply.
            return self.flush();
        } else {
            (Speaker::Assistant, line)
        };
        if speaker != self.speaker || speaker == Speaker::Run || self.text.is_empty() {
            self.flush();
            self.speaker = speaker;
            self.line = number;
            self.bytes = bytes.clone();
        } else {
            self.text.push('\n');
        }
        self.bytes.end = bytes.end;
        self.text.push_str(text);
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let said = text.trim();
        if !said.is_empty() {
            let mut object = Object::new();
            object
                .str("aider", self.speaker.name())
                .raw("text", &quote(said))
                .raw("line", &self.line.to_string())
                .raw(
                    "bytes",
                    &format!("[{},{}]", self.bytes.start, self.bytes.end),
                );
            self.records.push_str(&object.finish());
            self.records.push('\n');
        }
        self.speaker = match self.has_run {
            true => Speaker::Run,
            false => Speaker::Nobody,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_and_say_where_they_stood() {
        let text = "x\n\n# aider chat started at 2026\n\n#### a\n#### b  \n\nc\n\nd\n> e\n";
        let records = records(text).unwrap();
        let lines: Vec<&str> = records.lines().collect();
        assert_eq!(
            lines,
            [
                r#"{"aider":"nobody","text":"x","line":1,"bytes":[0,3]}"#,
                r#"{"aider":"run","text":"2026","line":3,"bytes":[3,32]}"#,
                r#"{"aider":"user","text":"a\nb","line":5,"bytes":[33,49]}"#,
                r#"{"aider":"assistant","text":"c\n\nd","line":8,"bytes":[50,55]}"#,
                r#"{"aider":"console","text":"e","line":11,"bytes":[55,59]}"#,
            ]
        );
        assert_eq!(super::records("# a heading\n"), None);
    }
}
