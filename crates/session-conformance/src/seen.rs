//! What was seen while a case ran.

use std::collections::BTreeMap;
use std::sync::Arc;

use compaction_core::{Entry as _, EntryKind};
use serde_json::Value;
use session::{Report, View};
use session_log::{Event, EventBody, EventId, Origin};
use session_summarizer::Request;

use crate::case::Records;
use crate::failure::Failure;

/// What was seen of a case, or of one step of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The input, to compare with.
    pub(crate) records: Arc<Records>,
    /// The session before and after.
    pub(crate) before: Option<Arc<Snapshot>>,
    pub(crate) after: Option<Arc<Snapshot>>,
    /// Every state in between, in order, the last one included.
    pub(crate) states: Vec<Arc<Snapshot>>,
    /// The passes, in order.
    pub(crate) passes: Vec<PassSeen>,
    /// What went wrong.
    pub(crate) failures: Vec<Failure>,
    /// What was exported last.
    pub(crate) export: Option<Export>,
    /// What reading a file said.
    pub(crate) file: Option<FileSeen>,
    /// The token counts of the input.
    pub(crate) costs: Option<Vec<(String, u64)>>,
    /// The token counts with what is generated a part as long.
    pub(crate) shorter_costs: Option<Vec<(String, u64)>>,
    /// What only this operation sees, by the name of the key.
    pub(crate) facts: BTreeMap<&'static str, Value>,
    /// The actions of a row, or the rows of a table.
    pub(crate) steps: Vec<Seen>,
    /// How a driver that runs the last pass again and again ended.
    pub(crate) drive: Option<Drive>,
}

/// A session at one version.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) version: u64,
    pub(crate) log: Vec<Arc<Event>>,
    pub(crate) view: View,
    /// Events whose rows cannot be read, by place.
    pub(crate) damaged: Vec<u64>,
    names: BTreeMap<EventId, String>,
}

/// A pass as it went.
#[derive(Clone, Debug)]
pub(crate) struct PassSeen {
    /// What the service reports; `None` when it failed.
    pub(crate) report: Option<Report>,
    pub(crate) before: Arc<Snapshot>,
    pub(crate) after: Arc<Snapshot>,
    /// What the summarizer was asked.
    pub(crate) calls: Vec<CallSeen>,
    /// How often the failure callback was called.
    pub(crate) failure_callbacks: u64,
    /// Whether it was taken back later.
    pub(crate) is_undone: bool,
    /// Which turn had just ended, in a loop.
    pub(crate) turn: Option<u64>,
}

/// A question to the summarizer.
#[derive(Clone, Debug)]
pub(crate) struct CallSeen {
    pub(crate) prior: Vec<String>,
    pub(crate) covered: Vec<EventId>,
    pub(crate) request: Request,
    pub(crate) tokens: u64,
}

/// A view as a provider gets it, or a log as a file.
#[derive(Clone, Debug)]
pub(crate) struct Export {
    pub(crate) format: String,
    pub(crate) text: String,
    pub(crate) messages: Vec<Value>,
}

/// What reading a file said beside its events.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileSeen {
    pub(crate) reported: Vec<Reported>,
    pub(crate) warnings: Vec<String>,
}

/// A line or an event that was reported.
#[derive(Clone, Debug)]
pub(crate) struct Reported {
    pub(crate) line: Option<u64>,
    pub(crate) event: Option<String>,
    /// The words for it.
    pub(crate) why: Vec<String>,
}

/// How a driver loop ended.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    pub(crate) passes: Vec<PassSeen>,
    pub(crate) has_ended: bool,
}

impl Seen {
    /// The last pass.
    pub(crate) fn pass(&self) -> Option<&PassSeen> {
        self.passes.last()
    }

    /// What the summarizer was asked, over all passes.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &CallSeen> {
        self.passes.iter().flat_map(|pass| &pass.calls)
    }

    /// The event with this name, in the log at the end.
    pub(crate) fn event(&self, name: &str) -> Option<&Arc<Event>> {
        self.after.as_ref()?.event(name)
    }
}

impl Snapshot {
    pub(crate) fn new(version: u64, log: Vec<Arc<Event>>, view: View) -> Self {
        let names = names(&log);
        Self {
            version,
            log,
            view,
            damaged: Vec::new(),
            names,
        }
    }

    /// What a case calls the event: its id, or `S1.u` and `S1.a` for a summary turn.
    pub(crate) fn name(&self, id: &EventId) -> String {
        match self.names.get(id) {
            Some(name) => name.clone(),
            None => id.as_str().to_owned(),
        }
    }

    pub(crate) fn event(&self, name: &str) -> Option<&Arc<Event>> {
        self.log.iter().find(|event| self.name(&event.id) == name)
    }

    pub(crate) fn names_of<'a>(
        &self,
        events: impl IntoIterator<Item = &'a Arc<Event>>,
    ) -> Vec<String> {
        let events = events.into_iter();
        events.map(|event| self.name(&event.id)).collect()
    }

    pub(crate) fn view_names(&self) -> Vec<String> {
        self.names_of(self.view.events())
    }

    pub(crate) fn messages(&self) -> impl Iterator<Item = &Arc<Event>> {
        self.log.iter().filter(|event| event.as_message().is_some())
    }

    pub(crate) fn boundaries(&self) -> impl Iterator<Item = &Arc<Event>> {
        self.log
            .iter()
            .filter(|event| matches!(event.body, EventBody::Compaction(_)))
    }

    /// The turns of the view.
    pub(crate) fn turns(&self) -> usize {
        let opens = |event: &&Arc<Event>| event.kind() == EntryKind::TurnStart;
        self.view.events().iter().filter(opens).count()
    }

    /// The summary turns of the view: those of boundaries, and those that came with the input.
    pub(crate) fn summary_turns(&self) -> usize {
        let mut turns: Vec<Option<&EventId>> = Vec::new();
        let mut last = None;
        for (at, event) in self.view.events().iter().enumerate() {
            let Origin::Summary { boundary } = &event.origin else {
                continue;
            };
            let follows = last.and_then(|last: usize| last.checked_add(1)) == Some(at);
            let is_same = follows && turns.last() == Some(&boundary.as_ref());
            if !is_same {
                turns.push(boundary.as_ref());
            }
            last = Some(at);
        }
        turns.len()
    }
}

impl PassSeen {
    /// Whether a boundary was written.
    pub(crate) fn is_written(&self) -> bool {
        self.after.boundaries().count() > self.before.boundaries().count()
    }

    pub(crate) fn is_fired(&self) -> Option<bool> {
        self.report.as_ref().map(|report| report.fired)
    }

    /// What the summarizer was shown, the prior summary first, each only once: the events of the
    /// turn whose text was handed over as prior, then what was covered.
    pub(crate) fn input_names(&self) -> Vec<String> {
        let mut shown = Vec::new();
        let is_shown = |text: &str| {
            // Later calls of a fold have the summary so far as prior.
            let mut priors = self.calls.iter().take(1).flat_map(|call| &call.prior);
            priors.any(|prior| prior == text)
        };
        let summaries: Vec<&Arc<Event>> = self
            .before
            .view
            .events()
            .iter()
            .filter(|event| event.kind() == EntryKind::Summary)
            .collect();
        for turn in summaries.chunk_by(|a, b| a.origin == b.origin) {
            let texts = turn.iter().filter_map(|event| event.as_message());
            if texts
                .map(|message| message.text())
                .any(|text| is_shown(&text))
            {
                shown.extend(self.before.names_of(turn.iter().copied()));
            }
        }
        for id in self.calls.iter().flat_map(|call| &call.covered) {
            let name = self.before.name(id);
            if !shown.contains(&name) {
                shown.push(name);
            }
        }
        shown
    }
}

/// The names of summary turns: `S1` is that of the first pass that wrote one.
fn names(log: &[Arc<Event>]) -> BTreeMap<EventId, String> {
    let mut names = BTreeMap::new();
    let boundaries = log.iter().filter_map(|event| event.as_boundary());
    let turns = boundaries
        .map(|boundary| &boundary.summary)
        .filter(|summary| !summary.is_empty());
    for (index, summary) in turns.enumerate() {
        let number = index.saturating_add(1);
        for (id, half) in summary.iter().zip(["u", "a"]) {
            names.insert(id.clone(), format!("S{number}.{half}"));
        }
    }
    names
}
