//! Reading files into the session.

use session::Expected;
use session_log::{EventBody, EventId, NewEvent};
use session_transcript::{Conversation, ReadOptions, SkipReason, Skipped, Warning, read};

use super::{Runs, World, wait};
use crate::export;
use crate::failure::Failure;
use crate::seen::{FileSeen, Reported};

/// The field that carries a case's id through a file of another format.
pub(crate) const ID: &str = "_id";

impl World {
    /// Reads a file of `format`, or of the format it looks like, into the session. What was not
    /// taken over is kept, and so is an error of the whole file.
    pub(crate) fn import(&mut self, bytes: &[u8], format: Option<&str>) -> Runs<()> {
        let session = self.session.clone();
        self.ensure(&session)?;
        let mut options = ReadOptions::default();
        if let Some(name) = format {
            match export::by_name(name) {
                Ok(format) => options = options.with_format(format),
                Err(reason) => {
                    let kinds = ["unknown_format", "format"];
                    self.failures.push(Failure::new(&kinds, reason));
                    return Ok(());
                }
            }
        }
        let transcript = match read(bytes, &options) {
            Ok(transcript) => transcript,
            Err(error) => {
                let kinds = ["unreadable", "import"];
                self.failures.push(Failure::new(&kinds, error.to_string()));
                return Ok(());
            }
        };
        self.file = Some(FileSeen {
            reported: reported(&transcript.skipped, &transcript.warnings),
            warnings: transcript
                .warnings
                .iter()
                .map(ToString::to_string)
                .collect(),
        });
        let main = transcript
            .conversations
            .into_iter()
            .find(|conversation| conversation.parent.is_none());
        let events = main.map(|main| self.named_events(main)).unwrap_or_default();
        let appended = wait(self.sessions.append_events(&session, Expected::Any, events));
        if let Err(error) = appended {
            self.failures.push(Failure::of(&error));
        }
        Ok(())
    }

    /// The events of a conversation, under the ids the case gives them.
    fn named_events(&self, conversation: Conversation) -> Vec<NewEvent> {
        let mut events = conversation.events;
        for event in &mut events {
            let EventBody::Message(message) = &mut event.body else {
                continue;
            };
            let id = message
                .extra
                .remove(ID)
                .and_then(|json| json.to_value().ok());
            let id = id.and_then(|id| EventId::new(id.as_str()?).ok());
            if let Some(id) = id {
                event.tokens = self.estimator.cost_of(id.as_str());
                event.id = id;
            }
        }
        events
    }
}

fn reported(skipped: &[Skipped], warnings: &[Warning]) -> Vec<Reported> {
    let lost = skipped.iter().filter(|skipped| skipped.reason.is_loss());
    let lost = lost.map(|skipped| Reported {
        line: Some(skipped.line),
        event: None,
        why: why_skipped(&skipped.reason),
    });
    let mended = warnings.iter().filter_map(|warning| {
        Some(Reported {
            line: Some(warning.line?),
            event: None,
            why: why_warned(&warning.what),
        })
    });
    let mut reports: Vec<Reported> = Vec::new();
    for report in lost.chain(mended) {
        // A line that is reported twice is one line.
        match reports.iter_mut().find(|other| other.line == report.line) {
            Some(other) => other.why.extend(report.why),
            None => reports.push(report),
        }
    }
    reports.sort_by_key(|report| report.line);
    reports
}

fn why_skipped(reason: &SkipReason) -> Vec<String> {
    let words: &[&str] = match reason {
        SkipReason::Cut => &["torn", "cut", "truncated"],
        SkipReason::Nul => &["malformed", "nul"],
        SkipReason::Broken => &["malformed", "broken", "invalid_json"],
        _ => &["unknown_record", "malformed"],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The words that a case may use for a mended line.
fn why_warned(what: &str) -> Vec<String> {
    let lower = what.to_lowercase();
    let known = [
        ("surrogate", "surrogate"),
        ("utf-8", "utf8"),
        ("utf-8", "invalid_utf8"),
        ("nan", "nan"),
        ("one line", "glued"),
    ];
    let words = known.iter().filter(|(part, _)| lower.contains(part));
    let mut words: Vec<String> = words.map(|(_, word)| (*word).to_owned()).collect();
    words.push(lower);
    words
}
