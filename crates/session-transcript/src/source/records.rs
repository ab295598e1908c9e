//! From text to records: one document, JSON values one a line, or what is left of either.

use std::borrow::Cow;
use std::ops::Range;

use crate::json::{self, Raw};
use crate::source::inside::array_of_messages;
use crate::source::value::first_value;
use crate::transcript::{Report, SkipReason, Skipped, Warning};

/// Readers of JSON commonly refuse what is nested deeper.
const COMMON_DEPTH: usize = 128;

/// How often, on the whole, broken elements of an array may be read to the end of the file to find
/// the one behind.
const READINGS: usize = 32;

/// How the records lie in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The whole file is one value.
    Document,
    /// Values one after the other, usually one a line.
    Lines,
    /// The elements of an array that does not end, or has broken elements.
    BrokenArray,
}

/// A record and where it lies.
#[derive(Clone, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) line: u64,
    pub(crate) bytes: Range<u64>,
    text: Cow<'a, str>,
    newlines: Vec<usize>,
}

impl Record<'_> {
    /// The value, which was found well formed.
    pub(crate) fn raw(&self) -> Raw<'_> {
        Raw::trusted(&self.text)
    }

    /// The line and the bytes of a value inside of this one.
    pub(crate) fn place_of(&self, inner: Raw<'_>) -> (u64, Range<u64>) {
        let offset = (inner.text().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let lines = self.newlines.partition_point(|newline| *newline < offset);
        let start = self.bytes.start + offset as u64;
        (
            self.line + lines as u64,
            start..start + inner.text().len() as u64,
        )
    }
}

/// The records of a file.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    pub(crate) form: Form,
    pub(crate) records: Vec<Record<'a>>,
}

/// Finds the records; what is no record is reported.
pub(crate) fn scan<'a>(text: &'a str, report: &mut Report) -> Scan<'a> {
    let mut scanner = Scanner {
        text,
        report,
        at: 0,
        line: 1,
        records: Vec::new(),
    };
    let form = scanner.run();
    Scan {
        form,
        records: scanner.records,
    }
}

struct Scanner<'a, 'r> {
    text: &'a str,
    report: &'r mut Report,
    at: usize,
    line: u64,
    records: Vec<Record<'a>>,
}

impl<'a> Scanner<'a, '_> {
    fn run(&mut self) -> Form {
        self.skip_leading();
        let rest = self.rest();
        let document = rest.trim_end_matches(|c: char| c == '\0' || c.is_whitespace());
        if Raw::parse(document).is_some() {
            self.push(self.at..self.at + document.len());
            return Form::Document;
        }
        let first_line = rest.lines().next().unwrap_or_default().trim();
        let is_whole_line = first_value(first_line).is_ok() || !rest.contains('\n');
        if !is_whole_line && let Some(form) = self.many_lines(document) {
            return form;
        }
        if first_line.starts_with('[') && first_value(first_line).is_err() {
            if self.mended_document(document) {
                return Form::Document;
            }
            self.elements(self.at + 1);
            return Form::BrokenArray;
        }
        self.lines();
        Form::Lines
    }

    /// A value that spans lines: a stream of them, or a broken document.
    fn many_lines(&mut self, document: &'a str) -> Option<Form> {
        if first_value(document).is_ok() {
            self.stream();
            return Some(Form::Lines);
        }
        if self.mended_document(document) {
            return Some(Form::Document);
        }
        if document.starts_with('[') {
            self.elements(self.at + 1);
            return Some(Form::BrokenArray);
        }
        let is_spread = document
            .lines()
            .next()
            .is_some_and(|line| line.trim() == "{");
        let inside = is_spread.then(|| array_of_messages(document)).flatten()?;
        self.report.warn(Warning::file(
            "the document is broken: what stands beside its messages was left out",
        ));
        self.elements(self.at + inside);
        Some(Form::BrokenArray)
    }

    fn mended_document(&mut self, document: &'a str) -> bool {
        let Some((mended, _)) = json::without_nan(document) else {
            return false;
        };
        if Raw::parse(&mended).is_none() {
            return false;
        }
        self.report.warn(Warning::file(NOT_A_NUMBER));
        let bytes = range(self.at..self.at + document.len());
        self.accept(self.line, bytes, Cow::Owned(mended));
        true
    }

    /// Values one after the other, each over any number of lines.
    fn stream(&mut self) {
        loop {
            self.skip_leading();
            if self.rest().is_empty() {
                return;
            }
            match first_value(self.rest()) {
                Ok(length) => {
                    self.push(self.at..self.at + length);
                    self.advance(self.at + length);
                }
                Err(fault) => return self.give_up(self.text.len(), fault.is_cut),
            }
        }
    }

    /// One record a line, or several glued together, or none.
    fn lines(&mut self) {
        while !self.rest().is_empty() {
            let end = self
                .rest()
                .find('\n')
                .map_or(self.text.len(), |length| self.at + length);
            let is_last = end == self.text.len();
            self.one_line(end, is_last);
            self.advance((end + 1).min(self.text.len()));
        }
    }

    fn one_line(&mut self, end: usize, is_last: bool) {
        let mut at = self.at;
        let mut glued = 0;
        loop {
            let rest = self.text.get(at..end).unwrap_or_default();
            let nul = rest.len() - rest.trim_start_matches('\0').len();
            if nul > 0 {
                self.skip(at..at + nul, SkipReason::Nul);
            }
            at += nul;
            let rest = self.text.get(at..end).unwrap_or_default();
            let blank = rest.len() - rest.trim_start().len();
            at += blank;
            let rest = self.text.get(at..end).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            if blank > 0 && rest.starts_with('\0') {
                continue;
            }
            if glued == 0 && (rest.starts_with("//") || rest.starts_with('#')) {
                return self.skip(at..end, SkipReason::Comment);
            }
            match first_value(rest) {
                Ok(length) => {
                    self.push(at..at + length);
                    at += length;
                    glued += 1;
                }
                Err(fault) => {
                    self.broken_line(at..end, is_last && fault.is_cut);
                    break;
                }
            }
        }
        if glued > 1 {
            self.report.warn(Warning::line(
                self.line,
                format!("{glued} records stand on one line"),
            ));
        }
    }

    fn broken_line(&mut self, bytes: Range<usize>, is_cut: bool) {
        let rest = self.text.get(bytes.clone()).unwrap_or_default().trim_end();
        if let Some((mended, _)) = json::without_nan(rest)
            && Raw::parse(&mended).is_some()
        {
            self.report.warn(Warning::line(self.line, NOT_A_NUMBER));
            return self.accept(self.line, range(bytes), Cow::Owned(mended));
        }
        self.skip(
            bytes,
            if is_cut {
                SkipReason::Cut
            } else {
                SkipReason::Broken
            },
        );
    }

    /// The elements of an array from `start` on, as far as they can be read.
    fn elements(&mut self, start: usize) {
        self.advance(start);
        let mut indent: Option<&'a str> = None;
        let mut left = self.text.len().saturating_mul(READINGS);
        loop {
            let before = self.at;
            self.skip_blanks();
            if self.rest().is_empty() {
                return self
                    .report
                    .warn(Warning::line(self.line, "the array does not end"));
            }
            if self.rest().starts_with(']') {
                return;
            }
            let space = self.text.get(before..self.at).unwrap_or_default();
            let indent =
                *indent.get_or_insert_with(|| space.rsplit('\n').next().unwrap_or_default());
            match first_value(self.rest()) {
                Ok(length) => {
                    self.push(self.at..self.at + length);
                    self.advance(self.at + length);
                }
                Err(fault) => {
                    left = left.saturating_sub(fault.read);
                    let next = format!("\n{indent}{{");
                    let found = self.rest().find(&next).filter(|_| left > 0);
                    let Some(found) = found else {
                        return self.give_up(self.text.len(), fault.is_cut);
                    };
                    // Where a bracket is missing it goes on to the end of the file.
                    self.give_up(self.at + found, false);
                }
            }
            self.skip_blanks();
            if self.rest().starts_with(',') {
                self.advance(self.at + 1);
            }
        }
    }

    fn give_up(&mut self, end: usize, is_cut: bool) {
        let reason = if is_cut {
            SkipReason::Cut
        } else {
            SkipReason::Broken
        };
        self.skip(self.at..end, reason);
        self.advance(end);
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn advance(&mut self, to: usize) {
        let passed = self.text.get(self.at..to).unwrap_or_default();
        self.line += passed.bytes().filter(|byte| *byte == b'\n').count() as u64;
        self.at = to;
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.advance(self.at + rest.len() - rest.trim_start().len());
    }

    /// Passes blank lines, and comment lines, which are counted.
    fn skip_leading(&mut self) {
        loop {
            self.skip_blanks();
            let rest = self.rest();
            if !rest.starts_with("//") && !rest.starts_with('#') {
                return;
            }
            let end = rest
                .find('\n')
                .map_or(self.text.len(), |length| self.at + length);
            self.skip(self.at..end, SkipReason::Comment);
            self.advance(end);
        }
    }

    fn skip(&mut self, bytes: Range<usize>, reason: SkipReason) {
        self.report.skip(Skipped {
            line: self.line,
            bytes: range(bytes),
            reason,
        });
    }

    fn push(&mut self, bytes: Range<usize>) {
        let text = self.text.get(bytes.clone()).unwrap_or_default();
        self.accept(self.line, range(bytes), Cow::Borrowed(text));
    }

    /// Takes a well-formed record, mended where it has to be.
    fn accept(&mut self, line: u64, bytes: Range<u64>, text: Cow<'a, str>) {
        let findings = json::inspect(&text);
        if findings.depth > COMMON_DEPTH {
            self.report.warn(Warning::line(line, format!(
                "nested {} levels deep: kept as it is, but many readers refuse more than {COMMON_DEPTH}",
                findings.depth,
            )));
        }
        if findings.huge_number {
            self.report.warn(Warning::line(
                line,
                "a number beyond a 64-bit float is kept as text",
            ));
        }
        let mut text = text;
        if findings.surrogates {
            let (mended, count) = json::without_lone_surrogates(&text);
            if count > 0 {
                self.report.warn(Warning::line(
                    line,
                    format!("{count} lone surrogate(s) became U+FFFD"),
                ));
                text = Cow::Owned(mended.into_owned());
            }
        }
        let newlines = findings.newlines;
        self.records.push(Record {
            line,
            bytes,
            text,
            newlines,
        });
    }
}

const NOT_A_NUMBER: &str = "NaN or Infinity, which JSON does not have, was read as null";

fn range(bytes: Range<usize>) -> Range<u64> {
    bytes.start as u64..bytes.end as u64
}
