//! What is to be asked, for a provider to put into its own form.

use serde_json::Value;
use session_summarizer::{Brief, ChatLine, Template};

use crate::conversation::Conversation;
use crate::options::Delivery;
use crate::sections;

/// A question: system prompts, messages, and the last message of the person. Of a transcript there
/// are one system prompt and no messages before the last.
pub(crate) struct Question<'a> {
    pub(crate) model: &'a str,
    pub(crate) system: Vec<String>,
    pub(crate) lines: Vec<ChatLine>,
    pub(crate) user: String,
    pub(crate) tools: Option<&'a Value>,
    pub(crate) output_tokens: u64,
    pub(crate) temperature: Option<f64>,
    pub(crate) delivery: Delivery,
    pub(crate) template: Option<&'a Template>,
    is_conversation: bool,
}

/// Whether a provider takes calls and results without the tools they are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    Always,
    WithTools,
}

/// What stands for the person where the model speaks first, which some providers do not take.
pub(crate) const OPENING: &str = "(The conversation goes on.)";

impl<'a> Question<'a> {
    /// The question of a brief, as a transcript or behind the conversation that was sent.
    pub(crate) fn new(
        model: &'a str,
        brief: &Brief<'a>,
        sent: Option<&'a Conversation>,
        calls: Calls,
    ) -> Self {
        let mut question = Self {
            model,
            system: Vec::new(),
            lines: Vec::new(),
            user: String::new(),
            tools: None,
            output_tokens: 0,
            temperature: None,
            delivery: Delivery::Whole,
            template: brief.prompt().template(),
            is_conversation: sent.is_some(),
        };
        let Some(sent) = sent else {
            let request = brief.request();
            question.system.push(request.system);
            question.user = request.user;
            return question;
        };
        let chat = match (calls, &sent.tools) {
            (Calls::WithTools, None) => brief.prompt().chat_without_calls(brief),
            _ => brief.chat(),
        };
        question.system.clone_from(&sent.system);
        question.lines = chat.lines;
        question.user = chat.instruction;
        question.tools = sent.tools.as_ref();
        question
    }

    pub(crate) fn is_streamed(&self) -> bool {
        self.delivery == Delivery::Streamed
    }

    /// Whether it stands behind the conversation that was sent.
    pub(crate) fn is_conversation(&self) -> bool {
        self.is_conversation
    }

    pub(crate) fn begins_with_the_model(&self) -> bool {
        !matches!(self.lines.first(), None | Some(ChatLine::User(_)))
    }

    /// The system prompts and the last message, which ask for the sections as JSON where there is a
    /// template. What a cache knows is not changed.
    pub(crate) fn words(&self, template: Option<&Template>) -> (Vec<String>, String) {
        let (mut system, mut user) = (self.system.clone(), self.user.clone());
        if template.is_some() {
            let place = match system.last_mut() {
                Some(system) if !self.is_conversation => system,
                _ => &mut user,
            };
            place.push_str("\n\n");
            place.push_str(sections::INSTRUCTION);
        }
        (system, user)
    }

    /// Every text of it.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let around = self.system.iter().chain([&self.user]);
        around
            .map(String::as_str)
            .chain(self.lines.iter().flat_map(ChatLine::texts))
    }
}
