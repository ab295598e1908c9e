//! Briefs: what a summarizer is shown.

use core::fmt;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use compaction_core::SummaryRequest;
use session_log::{Event, EventId, Message, Origin, Role, View};

use crate::prompt::{Chat, Prompt, Request};
use crate::summary::Usage;
use crate::tally::Tally;

/// What is to be summarized, and under which terms.
///
/// System prompts never enter: whoever makes a brief may pass them, and they are left out. The
/// summary replaces [`prior`](Self::prior) and [`covered`](Self::covered);
/// [`overlap`](Self::overlap) stays in the view and is there for continuity only.
///
/// ```
/// use session_log::Message;
/// use session_summarizer::Brief;
///
/// let talk = [Message::system("Be brief."), Message::user("Fix the gate."), Message::assistant("Done.")];
/// let brief = Brief::new(&talk).with_prior("The gate is broken.").with_budget(200);
/// assert_eq!(brief.covered().len(), 2);
///
/// let request = brief.request();
/// assert!(request.user.contains("User: Fix the gate.\nAssistant: Done."));
/// assert!(!request.user.contains("Be brief."));
/// ```
#[derive(Clone)]
pub struct Brief<'a> {
    prior: Vec<Cow<'a, str>>,
    covered: Vec<Shown<'a>>,
    overlap: Vec<Shown<'a>>,
    budget: Option<u64>,
    prompt: Option<&'a Prompt>,
    tally: Option<&'a Tally>,
}

/// A message, or a piece of one, as a summarizer is shown it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Shown<'a> {
    /// The event it is of, where there is one.
    pub event: Option<&'a EventId>,
    /// What it says.
    pub message: Cow<'a, Message>,
    /// Whether a program put it in, in the person's name: it is no word of the person.
    pub is_injected: bool,
    /// Which piece of the message it is; `None` for the whole.
    pub piece: Option<Piece>,
}

/// The place of a piece among the pieces of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// Which piece it is, from 1.
    pub number: u64,
    /// How many there are.
    pub count: u64,
}

impl Piece {
    /// Piece `number` of `count`, from 1.
    #[must_use]
    pub fn new(number: u64, count: u64) -> Self {
        Self { number, count }
    }
}

impl<'a> Shown<'a> {
    /// The message with this event's identity; `None` for an event without a message.
    #[must_use]
    pub fn of_event(event: &'a Event) -> Option<Self> {
        let message = event.as_message()?;
        Some(Self {
            event: Some(&event.id),
            is_injected: event.origin.is_synthetic(),
            ..Self::from(message)
        })
    }

    /// One piece of several that the message was split into, with what the piece says.
    #[must_use]
    pub fn with_piece(mut self, message: Message, piece: Piece) -> Self {
        self.message = Cow::Owned(message);
        self.piece = Some(piece);
        self
    }
}

impl<'a> From<&'a Message> for Shown<'a> {
    fn from(message: &'a Message) -> Self {
        Self {
            event: None,
            message: Cow::Borrowed(message),
            is_injected: false,
            piece: None,
        }
    }
}

impl From<Message> for Shown<'_> {
    fn from(message: Message) -> Self {
        Self {
            event: None,
            message: Cow::Owned(message),
            is_injected: false,
            piece: None,
        }
    }
}

impl fmt::Debug for Shown<'_> {
    /// Shows the place and the kind, never what was said.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shown")
            .field("event", &self.event)
            .field("role", &self.message.role)
            .field("piece", &self.piece)
            .finish_non_exhaustive()
    }
}

impl<'a> Brief<'a> {
    /// A brief over `covered`, in order, without a prior summary, overlap or budget.
    #[must_use]
    pub fn new<T: Into<Shown<'a>>>(covered: impl IntoIterator<Item = T>) -> Self {
        Self {
            prior: Vec::new(),
            covered: shown(covered),
            overlap: Vec::new(),
            budget: None,
            prompt: None,
            tally: None,
        }
    }

    /// The brief that answers `request`, which a pass over `view` made.
    ///
    /// Events are shown as the view shows them: results it has cleared stay cleared. Of the prior
    /// summary the summary is taken, not the prompt it answers.
    #[must_use]
    pub fn of_view(view: &'a View, request: &SummaryRequest) -> Self {
        let events = view.events();
        let at = |position: usize| {
            let event = events.get(position)?;
            let mut shown = Shown::of_event(event)?;
            shown.message = view.shown(event)?;
            Some(shown)
        };
        let prior: Vec<&Event> = request
            .prior
            .iter()
            .filter_map(|position| events.get(position))
            .map(|event| &**event)
            .collect();
        let mut brief = Self::new(request.covered.iter().filter_map(at));
        brief.overlap = shown(request.overlap.iter().filter_map(at));
        brief.with_priors(prior_texts(&prior))
    }

    /// The brief that answers `request` from the log and not from the prior summary, so that a
    /// summary is rebuilt and does not drift.
    ///
    /// `hidden` are the messages that the view hides, in log order: what the prior summary stands
    /// for. They are shown with what the pass covers. A prior summary that no pass wrote stays one,
    /// since of it the log has nothing else.
    #[must_use]
    pub fn of_log(view: &'a View, request: &SummaryRequest, hidden: &'a [Arc<Event>]) -> Self {
        let events = view.events();
        let at = |position: usize| {
            let event = events.get(position)?;
            let mut shown = Shown::of_event(event)?;
            shown.message = view.shown(event)?;
            Some((event.seq, shown))
        };
        let earlier = hidden.iter().filter_map(|event| {
            let shown = Shown::of_event(event)?;
            Some((event.seq, shown))
        });
        let mut covered: Vec<_> = earlier
            .chain(request.covered.iter().filter_map(at))
            .collect();
        covered.sort_by_key(|(seq, _)| *seq);
        let prior: Vec<&Event> = request
            .prior
            .iter()
            .filter_map(|position| events.get(position))
            .map(|event| &**event)
            .filter(|event| event.origin == (Origin::Summary { boundary: None }))
            .collect();
        let mut brief = Self::new(covered.into_iter().map(|(_, shown)| shown));
        let overlap = request.overlap.iter().filter_map(at);
        brief.overlap = shown(overlap.map(|(_, shown)| shown));
        brief.with_priors(prior_texts(&prior))
    }

    /// The same brief with one more prior summary, which the new one replaces. Blank text is none.
    #[must_use]
    pub fn with_prior(self, text: impl Into<Cow<'a, str>>) -> Self {
        self.with_priors([text.into()])
    }

    /// The same brief with more prior summaries.
    #[must_use]
    pub fn with_priors(mut self, texts: impl IntoIterator<Item = Cow<'a, str>>) -> Self {
        let texts = texts.into_iter().filter(|text| !text.trim().is_empty());
        self.prior.extend(texts);
        self
    }

    /// The same brief with the first kept messages, for continuity only.
    #[must_use]
    pub fn with_overlap<T: Into<Shown<'a>>>(
        mut self,
        overlap: impl IntoIterator<Item = T>,
    ) -> Self {
        self.overlap = shown(overlap);
        self
    }

    /// The same brief with a cap on the size of the summary, in tokens.
    #[must_use]
    pub fn with_budget(mut self, tokens: u64) -> Self {
        self.budget = Some(tokens);
        self
    }

    /// The same brief under another prompt than the default one.
    #[must_use]
    pub fn with_prompt(mut self, prompt: &'a Prompt) -> Self {
        self.prompt = Some(prompt);
        self
    }

    /// The same brief, which notes in `tally` what answers cost that come to nothing.
    #[must_use]
    pub fn with_tally(mut self, tally: &'a Tally) -> Self {
        self.tally = Some(tally);
        self
    }

    /// The same terms over other material: this is how a summarizer hands on a part of its brief.
    #[must_use]
    pub fn over(&self, prior: Vec<Cow<'a, str>>, covered: Vec<Shown<'a>>) -> Self {
        Self {
            prior,
            covered,
            overlap: Vec::new(),
            budget: self.budget,
            prompt: self.prompt,
            tally: self.tally,
        }
    }

    /// The prior summaries, oldest first, which the new one replaces.
    #[must_use]
    pub fn prior(&self) -> &[Cow<'a, str>] {
        &self.prior
    }

    /// The messages that the summary is to stand in for, in order.
    #[must_use]
    pub fn covered(&self) -> &[Shown<'a>] {
        &self.covered
    }

    /// The first messages that stay, in order.
    #[must_use]
    pub fn overlap(&self) -> &[Shown<'a>] {
        &self.overlap
    }

    /// The most tokens that the summary may have; `None` without a cap.
    #[must_use]
    pub fn budget(&self) -> Option<u64> {
        self.budget
    }

    /// The prompt to ask with.
    #[must_use]
    pub fn prompt(&self) -> &'a Prompt {
        static DEFAULT: LazyLock<Prompt> = LazyLock::new(Prompt::new);
        self.prompt.unwrap_or(&DEFAULT)
    }

    /// Notes what an answer cost that comes to nothing. A summarizer calls this before it turns an
    /// answer into an error.
    pub fn lost(&self, usage: Usage) {
        if let Some(tally) = self.tally {
            tally.add(usage);
        }
    }

    /// The brief as text: what to send to a model, as one system prompt and one user message,
    /// without tools.
    #[must_use]
    pub fn request(&self) -> Request {
        self.prompt().request(self)
    }

    /// The brief as a conversation: the covered messages with their roles, and the task behind
    /// them. [`Chat`] tells what it is for.
    #[must_use]
    pub fn chat(&self) -> Chat {
        self.prompt().chat(self)
    }
}

impl fmt::Debug for Brief<'_> {
    /// Shows sizes, never what was said.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brief")
            .field("prior", &self.prior.len())
            .field("covered", &self.covered.len())
            .field("overlap", &self.overlap.len())
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

fn shown<'a, T: Into<Shown<'a>>>(messages: impl IntoIterator<Item = T>) -> Vec<Shown<'a>> {
    messages
        .into_iter()
        .map(Into::into)
        .filter(|shown| !shown.message.role.is_system())
        .collect()
}

/// The texts of prior summaries. A summary turn asks in the person's name and answers in the
/// model's; where there is only a user message, as some transcripts have it, that is the summary.
fn prior_texts<'a>(events: &[&'a Event]) -> Vec<Cow<'a, str>> {
    let boundary = |event: &Event| match &event.origin {
        Origin::Summary { boundary } => boundary.clone(),
        _ => None,
    };
    let mut texts = Vec::new();
    for turn in events.chunk_by(|a, b| boundary(a) == boundary(b)) {
        let messages = turn.iter().filter_map(|event| event.as_message());
        let said: Vec<_> = messages
            .map(|message| (message.role == Role::User, message.text()))
            .filter(|(_, text)| !text.trim().is_empty())
            .collect();
        let is_answered = said.iter().any(|(is_prompt, _)| !is_prompt);
        let summaries = said
            .into_iter()
            .filter(|(is_prompt, _)| !(*is_prompt && is_answered))
            .map(|(_, text)| text);
        texts.extend(summaries);
    }
    texts
}
