//! Steps under construction: results go into the step that made the call.

use std::collections::BTreeMap;

use session_log::{
    Arguments, EventBody, Json, Message, Part, Role, Shape, Timestamp, ToolCall, ToolResult,
};

use crate::format::Format;
use crate::formats::atif::step::{self, OBSERVATION};
use crate::formats::style::arguments_as_object;
use crate::json::{Object, Raw, array, quote};
use crate::lost::Lost;
use crate::marks;
use crate::repair::Arranged;
use crate::time;

const WRAPPED: &str = "call(s) had arguments that are no object: they were wrapped into one";

/// The steps of a trajectory.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// Whether nothing is to be changed.
    is_exact: bool,
    steps: Vec<Step>,
    /// The steps that made calls which have no result yet.
    open: BTreeMap<String, Vec<usize>>,
    lost: Lost,
}

#[derive(Debug, Default)]
struct Step {
    /// A step that is written as it was.
    copy: Option<String>,
    object: Object,
    results: Vec<String>,
    /// What stood beside the results.
    beside: Option<Json>,
    /// The record it came from.
    record: Option<u64>,
}

impl Steps {
    pub(super) fn new(is_exact: bool) -> Self {
        Self {
            is_exact,
            ..Self::default()
        }
    }

    pub(super) fn count(&self) -> usize {
        self.steps.len()
    }

    /// The step of a record that was kept beside the conversation.
    pub(super) fn copy(&mut self, body: &EventBody) {
        if let EventBody::Custom { payload, .. } = body {
            self.steps.push(Step {
                copy: Some(payload.as_str().to_owned()),
                ..Step::default()
            });
        }
    }

    pub(super) fn message(&mut self, arranged: &Arranged<'_>, moment: Option<Timestamp>) {
        let message = &*arranged.message;
        let note = arranged.note.as_ref();
        let own = note.filter(|note| note.format == Format::Atif);
        let record = own.map(|note| note.record);
        if own.is_some() && marks::is(&message.extra, marks::FIELD, OBSERVATION) {
            return self.observed(message, record);
        }
        for result in message.results() {
            self.result(result, own.is_some());
        }
        if message.is_only_results() && !message.parts.is_empty() {
            return;
        }
        let is_said = message
            .parts
            .iter()
            .any(|part| !matches!(part, Part::ToolResult(_)));
        if !is_said && !self.is_exact {
            return;
        }
        let time = moment.filter(|moment| moment.as_millis() != 0);
        let mut step = self.said(message, own.is_some(), time.filter(|_| own.is_none()));
        step.record = record;
        if arranged.is_summary && own.is_none() {
            step.object.raw("extra", r#"{"summary":true}"#);
        }
        let at = self.steps.len();
        for call in message.calls() {
            self.open.entry(call.id.clone()).or_default().push(at);
        }
        self.steps.push(step);
    }

    fn said(&mut self, message: &Message, is_own: bool, time: Option<Timestamp>) -> Step {
        let mut step = Step::default();
        let object = &mut step.object;
        let id = self.steps.len() + 1;
        object.raw("step_id", &id.to_string());
        if let Some(time) = time {
            object.str("timestamp", &time::to_text(time));
        }
        let source = match &message.role {
            Role::Assistant => "agent",
            Role::System | Role::Developer => "system",
            Role::User | Role::Tool => "user",
            other if is_own => other.as_str(),
            _ => "user",
        };
        object.str("source", source);
        match is_own.then_some(message.shape) {
            Some(Shape::Absent) => {}
            Some(Shape::Null) => {
                object.raw("message", "null");
            }
            Some(shape) if !step::is_text(shape) => {
                object.raw("message", &content(&message.parts));
            }
            _ => {
                object.str("message", &self.text(&message.parts));
            }
        }
        let object = &mut step.object;
        let is_agent = source == "agent";
        let reasoning = message.parts.iter().filter_map(|part| match part {
            Part::Reasoning(reasoning) => reasoning.text.as_deref(),
            _ => None,
        });
        let reasoning: Vec<&str> = reasoning.collect();
        if is_agent && !reasoning.is_empty() {
            object.str("reasoning_content", &reasoning.join("\n\n"));
        }
        let calls: Vec<String> = message
            .calls()
            .map(|call| self.call(call, is_own))
            .collect();
        if is_agent && !calls.is_empty() {
            step.object.raw("tool_calls", &array(&calls));
        }
        if is_own {
            step.object.fields(&message.extra);
            step.beside = message.extra.get("@observation").cloned();
        }
        step
    }

    /// What is said, as one text.
    fn text(&mut self, parts: &[Part]) -> String {
        let mut texts = Vec::new();
        for part in parts {
            match part {
                Part::Text(text) | Part::Refusal(text) => texts.push(text.text.as_str()),
                Part::Reasoning(_) | Part::ToolCall(_) | Part::ToolResult(_) => {}
                _ => self.lost.one("part(s) that are no text are left out"),
            }
        }
        texts.join("\n\n")
    }

    fn call(&mut self, call: &ToolCall, is_own: bool) -> String {
        let mut object = Object::new();
        object
            .str("tool_call_id", &call.id)
            .str("function_name", &call.name);
        let arguments = match &call.arguments {
            Arguments::Value(json) if is_own && self.is_exact => json.as_str().to_owned(),
            Arguments::Text(text) if is_own && self.is_exact => quote(text),
            arguments => {
                let (arguments, warning) = arguments_as_object(arguments);
                if warning.is_some() {
                    self.lost.one(WRAPPED);
                }
                arguments
            }
        };
        object.raw("arguments", &arguments);
        if is_own {
            object.fields(&call.extra);
        }
        object.finish()
    }

    fn result(&mut self, result: &ToolResult, is_own: bool) {
        let mut object = Object::new();
        if !marks::is(&result.extra, marks::ABSENT, "source_call_id") {
            let null = result.extra.get("source_call_id").filter(|_| is_own);
            match null {
                Some(json) => object.json("source_call_id", json),
                None => object.str("source_call_id", &result.call_id),
            };
        }
        match is_own.then_some(result.shape) {
            Some(Shape::Absent) => {}
            Some(Shape::Null) => {
                object.raw("content", "null");
            }
            Some(shape) if !step::is_text(shape) => {
                object.raw("content", &content(&result.parts));
            }
            _ => {
                object.str("content", &self.text(&result.parts));
            }
        }
        if is_own {
            object.fields(&result.extra);
        }
        let at = self.open.get_mut(&result.call_id).and_then(Vec::pop);
        match at.or_else(|| self.steps.len().checked_sub(1)) {
            Some(at) => {
                if let Some(step) = self.steps.get_mut(at) {
                    step.results.push(object.finish());
                }
            }
            None => self
                .lost
                .one("result(s) in front of the first step are left out"),
        }
    }

    /// What was observed without a call goes back into its step.
    fn observed(&mut self, message: &Message, record: Option<u64>) {
        let mut object = Object::new();
        match message.shape {
            Shape::Absent => {}
            Shape::Null => {
                object.raw("content", "null");
            }
            shape if step::is_text(shape) => {
                object.str("content", &self.text(&message.parts));
            }
            _ => {
                object.raw("content", &content(&message.parts));
            }
        }
        object.fields(&message.extra);
        let step = self.steps.iter_mut().rfind(|step| step.record == record);
        match step {
            Some(step) => step.results.push(object.finish()),
            None => self
                .lost
                .one("observation(s) whose step is not there are left out"),
        }
    }

    /// The steps as a list, and what was lost.
    pub(super) fn finish(self) -> (String, Lost) {
        let steps = self.steps.into_iter().map(|mut step| {
            if let Some(copy) = step.copy {
                return copy;
            }
            if !step.results.is_empty() {
                let mut observation = Object::new();
                observation.raw("results", &array(&step.results));
                if let Some(beside) = step.beside {
                    let beside = Raw::trusted(beside.as_str()).members().unwrap_or_default();
                    observation.fields(&beside.into_fields());
                }
                step.object.raw("observation", &observation.finish());
            }
            step.object.finish()
        });
        let text = array(steps);
        (text, self.lost)
    }
}

/// A list of parts as it was.
fn content(parts: &[Part]) -> String {
    array(parts.iter().filter_map(|part| match part {
        Part::Text(text) => {
            let mut object = Object::new();
            object.str("type", "text").str("text", &text.text);
            object.fields(&text.extra);
            Some(object.finish())
        }
        Part::Opaque(opaque) => Some(opaque.json.as_str().to_owned()),
        _ => None,
    }))
}
