//! A value of a file and where it lies.

use std::ops::Range;

use crate::json::Raw;
use crate::source::records::{Form, Record, Scan};

/// A value and where it lies.
#[derive(Clone, Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) raw: Raw<'a>,
    pub(crate) line: u64,
    pub(crate) bytes: Range<u64>,
    record: &'a Record<'a>,
}

impl<'a> Placed<'a> {
    /// A whole record.
    pub(crate) fn of(record: &'a Record<'a>) -> Self {
        Self {
            raw: record.raw(),
            line: record.line,
            bytes: record.bytes.clone(),
            record,
        }
    }

    /// The records of a file; of a document that is an array, its elements.
    pub(crate) fn all(scan: &'a Scan<'a>) -> Vec<Self> {
        let mut values = Vec::new();
        for whole in scan.records.iter().map(Self::of) {
            match whole.raw.items().filter(|_| scan.form == Form::Document) {
                Some(items) => values.extend(items.into_iter().map(|raw| whole.inner(raw))),
                None => values.push(whole),
            }
        }
        values
    }

    /// A value inside of this one.
    pub(crate) fn inner(&self, raw: Raw<'a>) -> Self {
        let (line, bytes) = self.record.place_of(raw);
        Self {
            raw,
            line,
            bytes,
            record: self.record,
        }
    }
}
