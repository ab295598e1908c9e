//! Rollout files of Codex: the items of a session, the events of its screen beside them, and what
//! it rolled back or compacted on the way.

mod about;
mod boundary;
mod events;
mod line;
mod mirrors;
mod rollback;
mod speech;

use crate::format::Format;
use crate::formats::codex::line::What;
use crate::formats::{self, Head};
use crate::read::Context;
use crate::source::Scan;
use crate::transcript::Conversation;

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::Codex
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let is_line = |raw| line::is_rollout(raw);
        if head.values.iter().take(20).copied().any(is_line) {
            return Some("lines with a type and a payload".into());
        }
        let first = *head.values.first()?;
        line::is_old_head(first).then(|| "a session head with instructions".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let lines = line::lines(scan, context);
        let says_something = |what: &What<'_>| !matches!(what, What::Other(_));
        if !lines.iter().any(|line| says_something(&line.what)) {
            return Vec::new();
        }
        vec![events::conversation(&lines, context)]
    }

    fn can_write(&self) -> bool {
        false
    }
}
