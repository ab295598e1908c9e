//! What the lines of a thread say about the conversation as a whole.

use std::collections::BTreeSet;

use session_log::Json;

use crate::envelope::Envelope;
use crate::format::Format;
use crate::formats::claude_code::line::Line;
use crate::formats::claude_code::path::Path;
use crate::formats::claude_code::threads::Thread;
use crate::ids::digest;

/// What is known of the whole conversation.
pub(super) struct About {
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) model: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) envelope: Envelope,
}

impl About {
    pub(super) fn of(lines: &[Line<'_>], thread: &Thread, path: &Path) -> Self {
        let all = || thread.members.iter().filter_map(|at| lines.get(*at));
        let live = || path.lines.iter().rev().filter_map(|at| lines.get(*at));
        let newest = |name: &str| {
            live()
                .find_map(|line| line.text(name))
                .or_else(|| all().rev().find_map(|line| line.text(name)))
        };
        let session = newest("sessionId");
        let is_side = all().any(|line| line.is_side);
        let agent = newest("agentId")
            .or_else(|| all().find_map(|line| line.uuid.clone()))
            .filter(|_| is_side);
        let whole = || format!("claude-code-{}", digest(all().map(|line| line.raw.text())));
        let id = match (&session, &agent) {
            (Some(session), Some(agent)) => format!("{session}/agent-{agent}"),
            (Some(session), None) => session.clone(),
            (None, Some(agent)) => format!("agent-{agent}"),
            (None, None) => whole(),
        };
        let model = live().find_map(|line| {
            let model = line.message.peek_str("model")?;
            (model != "<synthetic>").then(|| model.into_owned())
        });
        let mut envelope = Envelope::new(Format::ClaudeCode);
        let known = [
            ("sessionId", session.clone()),
            ("cwd", newest("cwd")),
            ("version", newest("version")),
            ("gitBranch", newest("gitBranch")),
            ("model", model.clone()),
            ("agentId", agent),
        ];
        for (name, value) in known {
            if let Some(value) = value {
                envelope.fields.insert(name.into(), Json::string(&value));
            }
        }
        Self {
            id,
            title: title(lines, thread),
            model,
            parent: session.filter(|_| is_side),
            envelope,
        }
    }
}

/// The title the person gave, else the one that was made for the conversation.
fn title(lines: &[Line<'_>], thread: &Thread) -> Option<String> {
    let all = || thread.members.iter().rev().filter_map(|at| lines.get(*at));
    let kind =
        |line: &&Line<'_>, name: &str| line.members.peek_str("type").as_deref() == Some(name);
    let field = |kind_name: &'static str, names: [&'static str; 2]| {
        all()
            .filter(move |line| kind(line, kind_name))
            .find_map(|line| names.iter().find_map(|name| line.text(name)))
    };
    let uuids: BTreeSet<&str> = all().filter_map(|line| line.uuid.as_deref()).collect();
    let is_here = |line: &&Line<'_>| {
        line.text("leafUuid")
            .is_some_and(|leaf| uuids.contains(leaf.as_str()))
    };
    field("custom-title", ["customTitle", "title"])
        .or_else(|| field("ai-title", ["aiTitle", "title"]))
        .or_else(|| {
            all()
                .filter(|line| kind(line, "summary"))
                .find(is_here)?
                .text("summary")
        })
}
