//! The rules of the OpenAI Responses API.

use std::collections::BTreeSet;

use crate::check::{Found, Rule};
use crate::json::{Kind, Members, Raw};

/// Checks the items in order.
pub(super) fn check(items: &[Raw<'_>], found: &mut Found) {
    let mut checker = Checker::default();
    for (at, raw) in items.iter().enumerate() {
        match raw.members() {
            Some(members) => checker.item(at, &members, found),
            None => found.add(at, Rule::Role),
        }
    }
    if let Some(place) = checker.reasoning {
        found.add(place, Rule::ReasoningAlone);
    }
    found.close(&mut checker.open);
}

#[derive(Default)]
struct Checker {
    /// Calls without a result so far, with their items.
    open: Vec<(usize, String)>,
    used: BTreeSet<String>,
    /// The reasoning right in front, which must not stand alone.
    reasoning: Option<usize>,
}

impl Checker {
    fn item(&mut self, at: usize, members: &Members<'_>, found: &mut Found) {
        let role = members.peek_str("role");
        let kind = members.peek_str("type");
        let is_message = match kind.as_deref() {
            Some(kind) => kind == "message",
            None => role.is_some(),
        };
        let is_reply = !is_message || role.as_deref() == Some("assistant");
        let is_output = kind
            .as_deref()
            .is_some_and(|kind| kind.ends_with("_call_output"));
        let reasoning = self.reasoning.take();
        if let Some(place) = reasoning.filter(|_| !is_reply || is_output) {
            found.add(place, Rule::ReasoningAlone);
        }
        match kind.as_deref() {
            _ if is_message => {
                message(at, role.as_deref(), members, found);
                if !is_reply {
                    found.close(&mut self.open);
                }
            }
            None => found.add(at, Rule::Role),
            Some("reasoning") => {
                let names = ["id", "encrypted_content", "content"];
                let is_known = names.iter().any(|name| members.has(name));
                found.check(is_known, at, Rule::Unsigned);
                self.reasoning = Some(at);
            }
            Some("function_call") => self.call(at, "arguments", members, found),
            Some("custom_tool_call") => self.call(at, "input", members, found),
            Some("function_call_output" | "custom_tool_call_output") => {
                let id = members.peek_str("call_id").unwrap_or_default();
                found.answer(at, &id, &mut self.open);
                let output = members.peek("output");
                let is_fit = output
                    .is_some_and(|output| matches!(output.kind(), Kind::String | Kind::Array));
                found.check(is_fit, at, Rule::ResultContent);
            }
            Some(_) => {}
        }
    }

    fn call(&mut self, at: usize, arguments: &str, members: &Members<'_>, found: &mut Found) {
        let id = members.peek_str("call_id").filter(|id| !id.is_empty());
        let is_fit = id
            .as_ref()
            .is_some_and(|id| self.used.insert(id.to_string()));
        found.check(is_fit, at, Rule::CallId);
        self.open.push((at, id.unwrap_or_default().into_owned()));
        let name = members.peek_str("name");
        let is_named = name.is_some_and(|name| !name.is_empty());
        found.check(is_named, at, Rule::CallName);
        let has_arguments = members.peek_str(arguments).is_some();
        found.check(has_arguments, at, Rule::Arguments);
    }
}

fn message(at: usize, role: Option<&str>, members: &Members<'_>, found: &mut Found) {
    let is_known = matches!(role, Some("user" | "assistant" | "system" | "developer"));
    found.check(is_known, at, Rule::Role);
    let has_content = members.peek("content").is_some_and(|content| {
        content.kind() == Kind::String || content.items().is_some_and(|items| !items.is_empty())
    });
    found.check(has_content, at, Rule::Content);
}
