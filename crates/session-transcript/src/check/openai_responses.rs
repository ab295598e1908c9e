//! The rules of the OpenAI Responses API.

use std::collections::BTreeSet;

use crate::check::{Found, Rule};
use crate::json::{Kind, Raw};

/// Checks the items in order.
pub(super) fn check(items: &[Raw<'_>], found: &mut Found) {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut used = BTreeSet::new();
    let mut reasoning: Option<usize> = None;
    for (at, raw) in items.iter().enumerate() {
        let Some(members) = raw.members() else {
            found.add(at, Rule::Role);
            continue;
        };
        let role = members.peek_str("role");
        let kind = members.peek_str("type");
        let is_message = match kind.as_deref() {
            Some("message") => true,
            Some(_) => false,
            None => role.is_some(),
        };
        let is_reply = !is_message || role.as_deref() == Some("assistant");
        let is_output = kind
            .as_deref()
            .is_some_and(|kind| kind.ends_with("_call_output"));
        if let Some(place) = reasoning.filter(|_| !is_reply || is_output) {
            found.add(place, Rule::ReasoningAlone);
        }
        reasoning = None;
        if is_message {
            let is_known = matches!(
                role.as_deref(),
                Some("user" | "assistant" | "system" | "developer")
            );
            found.check(is_known, at, Rule::Role);
            let has_content = members.peek("content").is_some_and(|content| {
                content.kind() == Kind::String
                    || content.items().is_some_and(|items| !items.is_empty())
            });
            found.check(has_content, at, Rule::Content);
            if !is_reply {
                found.close(&mut open);
            }
            continue;
        }
        let call_id = members.peek_str("call_id");
        match kind.as_deref() {
            None => found.add(at, Rule::Role),
            Some("reasoning") => {
                let is_known = ["id", "encrypted_content", "content"]
                    .iter()
                    .any(|name| members.has(name));
                found.check(is_known, at, Rule::Unsigned);
                reasoning = Some(at);
            }
            Some(kind @ ("function_call" | "custom_tool_call")) => {
                let id = call_id.filter(|id| !id.is_empty());
                let is_fit = id.as_ref().is_some_and(|id| used.insert(id.to_string()));
                found.check(is_fit, at, Rule::CallId);
                open.push((at, id.unwrap_or_default().into_owned()));
                let name = members.peek_str("name");
                found.check(
                    name.is_some_and(|name| !name.is_empty()),
                    at,
                    Rule::CallName,
                );
                let field = if kind == "function_call" {
                    "arguments"
                } else {
                    "input"
                };
                found.check(members.peek_str(field).is_some(), at, Rule::Arguments);
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                let id = call_id.unwrap_or_default();
                found.answer(at, &id, &mut open);
                let is_fit = members
                    .peek("output")
                    .is_some_and(|output| matches!(output.kind(), Kind::String | Kind::Array));
                found.check(is_fit, at, Rule::ResultContent);
            }
            Some(_) => {}
        }
    }
    if let Some(place) = reasoning {
        found.add(place, Rule::ReasoningAlone);
    }
    found.close(&mut open);
}
