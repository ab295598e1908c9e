//! Adding up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;
use session::{Entry as _, EntryKind, Event, Message, SessionId, Sessions, TokenEstimator};
use session_log::{Part, Reasoning, ToolResult, media_tokens};
use session_transcript::SOURCE;

/// A kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Text,
    Reasoning,
    ToolCall,
    ToolResult,
    Media,
    Other,
    Framing,
}

/// A message with what was counted of it.
#[derive(Debug)]
pub(super) struct Line {
    session: SessionId,
    event: Arc<Event>,
    message: Message,
    turn: Option<u64>,
    tokens: u64,
    parts: Vec<(Kind, u64)>,
}

impl Line {
    pub(super) fn new(
        session: &SessionId,
        event: &Arc<Event>,
        message: Message,
        turn: Option<u64>,
    ) -> Self {
        Self {
            session: session.clone(),
            event: Arc::clone(event),
            message,
            turn,
            tokens: 0,
            parts: Vec::new(),
        }
    }

    /// Counts the message and each of its parts.
    pub(super) fn count(&mut self, sessions: &Sessions, estimator: &dyn TokenEstimator) {
        self.tokens = sessions.tokens_of(&self.message);
        for part in &self.message.parts {
            self.parts
                .push((Kind::of(part), part_tokens(part, sessions, estimator)));
            if let Part::ToolResult(result) = part {
                let media = media_of(result);
                self.parts.extend(media.map(|tokens| (Kind::Media, tokens)));
            }
        }
        let parts = self.parts.iter().map(|(_, tokens)| tokens).sum();
        self.parts
            .push((Kind::Framing, self.tokens.saturating_sub(parts)));
    }

    fn role(&self) -> &str {
        if self.message.is_only_results() {
            return "tool";
        }
        self.message.role.as_str()
    }
}

impl Kind {
    fn of(part: &Part) -> Self {
        match part {
            Part::Text(_) | Part::Refusal(_) => Self::Text,
            Part::Reasoning(_) => Self::Reasoning,
            Part::ToolCall(_) => Self::ToolCall,
            Part::ToolResult(_) => Self::ToolResult,
            Part::Media(_) => Self::Media,
            _ => Self::Other,
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::ToolCall => "tool calls",
            Self::ToolResult => "tool results",
            Self::Media => "media",
            Self::Other => "other",
            Self::Framing => "framing",
        }
    }
}

fn part_tokens(part: &Part, sessions: &Sessions, estimator: &dyn TokenEstimator) -> u64 {
    match part {
        Part::Text(text) | Part::Refusal(text) => estimator.estimate(&text.text),
        Part::ToolCall(call) => estimator
            .estimate(&call.name)
            .saturating_add(estimator.estimate(call.arguments.as_str())),
        Part::Media(media) => media_tokens(media.kind),
        Part::Reasoning(reasoning) => reasoning_tokens(reasoning, estimator),
        Part::ToolResult(result) => {
            let texts = result
                .parts
                .iter()
                .filter(|part| !matches!(part, Part::Media(_)));
            texts
                .map(|part| part_tokens(part, sessions, estimator))
                .sum()
        }
        other => {
            let around = sessions.tokens_of(&Message::new(session::Role::User, Vec::new()));
            let whole = sessions.tokens_of(&Message::new(session::Role::User, vec![other.clone()]));
            whole.saturating_sub(around)
        }
    }
}

fn reasoning_tokens(reasoning: &Reasoning, estimator: &dyn TokenEstimator) -> u64 {
    let encrypted = reasoning.encrypted.as_deref().map_or(0, str::len);
    let readable = estimator.estimate(reasoning.text.as_deref().unwrap_or_default());
    readable.saturating_add(u64::try_from(encrypted.div_ceil(4)).unwrap_or(u64::MAX))
}

fn media_of(result: &ToolResult) -> impl Iterator<Item = u64> + '_ {
    result.parts.iter().filter_map(|part| match part {
        Part::Media(media) => Some(media_tokens(media.kind)),
        _ => None,
    })
}

/// Everything that was added up.
#[derive(Debug, Serialize)]
pub(super) struct Tally {
    pub(super) events: u64,
    pub(super) turns: u64,
    pub(super) steps: u64,
    pub(super) tokens: u64,
    pub(super) roles: Vec<RoleSum>,
    pub(super) kinds: Vec<KindSum>,
    pub(super) largest_results: Vec<BigResult>,
    pub(super) biggest_turns: Vec<BigTurn>,
}

#[derive(Debug, Serialize)]
pub(super) struct RoleSum {
    pub(super) role: String,
    pub(super) events: u64,
    pub(super) tokens: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct KindSum {
    pub(super) kind: Kind,
    pub(super) parts: u64,
    pub(super) tokens: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct BigResult {
    pub(super) event: String,
    pub(super) tool: Option<String>,
    pub(super) turn: Option<u64>,
    pub(super) line: Option<u64>,
    pub(super) tokens: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct BigTurn {
    pub(super) session: String,
    pub(super) turn: u64,
    pub(super) events: u64,
    pub(super) steps: u64,
    pub(super) tokens: u64,
    pub(super) begins: String,
}

impl Tally {
    /// Adds up `lines`, and names the `top` largest things.
    pub(super) fn of(lines: &[Line], top: usize) -> Self {
        let is = |kind| move |line: &&Line| line.event.kind() == kind;
        Self {
            events: number(lines.len()),
            turns: number(lines.iter().filter(is(EntryKind::TurnStart)).count()),
            steps: number(lines.iter().filter(is(EntryKind::StepStart)).count()),
            tokens: lines.iter().map(|line| line.tokens).sum(),
            roles: roles(lines),
            kinds: kinds(lines),
            largest_results: largest_results(lines, top),
            biggest_turns: biggest_turns(lines, top),
        }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn roles(lines: &[Line]) -> Vec<RoleSum> {
    let mut sums: Vec<RoleSum> = Vec::new();
    for line in lines {
        let role = line.role();
        let at = sums
            .iter()
            .position(|sum| sum.role == role)
            .unwrap_or(sums.len());
        if at == sums.len() {
            sums.push(RoleSum {
                role: role.into(),
                events: 0,
                tokens: 0,
            });
        }
        if let Some(sum) = sums.get_mut(at) {
            sum.events += 1;
            sum.tokens += line.tokens;
        }
    }
    const ORDER: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];
    sums.sort_by_key(|sum| {
        ORDER
            .iter()
            .position(|role| *role == sum.role)
            .unwrap_or(ORDER.len())
    });
    sums
}

fn kinds(lines: &[Line]) -> Vec<KindSum> {
    let mut sums: BTreeMap<Kind, (u64, u64)> = BTreeMap::new();
    for (kind, tokens) in lines.iter().flat_map(|line| &line.parts) {
        let sum = sums.entry(*kind).or_default();
        sum.0 += 1;
        sum.1 += tokens;
    }
    sums.into_iter()
        .map(|(kind, (parts, tokens))| KindSum {
            kind,
            parts,
            tokens,
        })
        .filter(|sum| sum.kind != Kind::Framing || sum.tokens > 0)
        .collect()
}

fn largest_results(lines: &[Line], top: usize) -> Vec<BigResult> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut results = Vec::new();
    for line in lines {
        for call in line.message.calls() {
            names.insert(&call.id, &call.name);
        }
        let of_results = line
            .parts
            .iter()
            .filter(|(kind, _)| *kind == Kind::ToolResult);
        for (result, (_, tokens)) in line.message.results().zip(of_results) {
            let name = result
                .name
                .as_deref()
                .or_else(|| names.get(result.call_id.as_str()).copied());
            results.push((*tokens, line, name));
        }
    }
    results.sort_by_key(|(tokens, ..)| Reverse(*tokens));
    let named = results
        .into_iter()
        .take(top)
        .map(|(tokens, line, name)| BigResult {
            event: line.event.id.to_string(),
            tool: name.map(Into::into),
            turn: line.turn,
            line: line_in_file(&line.event),
            tokens,
        });
    named.collect()
}

/// The line of the file that an event was read from.
fn line_in_file(event: &Event) -> Option<u64> {
    event
        .metadata
        .get(SOURCE)?
        .to_value()
        .ok()?
        .get("line")?
        .as_u64()
}

fn biggest_turns(lines: &[Line], top: usize) -> Vec<BigTurn> {
    let mut turns: Vec<BigTurn> = Vec::new();
    for line in lines {
        let Some(turn) = line.turn else {
            continue;
        };
        if line.event.kind() == EntryKind::TurnStart {
            turns.push(BigTurn {
                session: line.session.to_string(),
                turn,
                events: 0,
                steps: 0,
                tokens: 0,
                begins: crate::output::text::line(&line.message.text(), 80),
            });
        }
        if let Some(sum) = turns.last_mut() {
            sum.events += 1;
            sum.steps += u64::from(line.event.kind() == EntryKind::StepStart);
            sum.tokens += line.tokens;
        }
    }
    turns.sort_by_key(|turn| Reverse(turn.tokens));
    turns.truncate(top);
    turns
}
