//! The rules of OpenAI chat.

use crate::check::{Found, Rule};
use crate::json::{Kind, Members, Raw};

/// Checks the messages in order.
pub(super) fn check(messages: &[Raw<'_>], found: &mut Found) {
    let mut open = Open::default();
    for (at, raw) in messages.iter().enumerate() {
        let Some(members) = raw.members() else {
            found.add(at, Rule::Role);
            continue;
        };
        let role = members.peek_str("role").unwrap_or_default();
        if !matches!(&*role, "tool" | "function") {
            open.close(found);
        }
        match &*role {
            "system" | "developer" | "user" => {
                found.check(has_content(&members), at, Rule::Content);
            }
            "assistant" => {
                let says_something = has_content(&members)
                    || members.peek("audio").is_some_and(|audio| !audio.is_null());
                assistant(&members, at, &mut open, found);
                let makes_calls = !open.ids.is_empty() || open.function.is_some();
                let refuses = members.peek_str("refusal").is_some();
                found.check(says_something || makes_calls || refuses, at, Rule::Content);
            }
            "tool" => {
                let id = members.peek_str("tool_call_id");
                found.check(
                    id.is_some_and(|id| open.answer(&id)),
                    at,
                    Rule::OrphanResult,
                );
                result_content(&members, at, found);
            }
            "function" => {
                let name = members.peek_str("name");
                let answers = open
                    .function
                    .take_if(|(_, open)| name.as_deref() == Some(&**open))
                    .is_some();
                found.check(answers, at, Rule::OrphanResult);
                result_content(&members, at, found);
            }
            _ => found.add(at, Rule::Role),
        }
        if let Some(name) = members.peek("name") {
            let name = name.as_str();
            found.check(
                name.is_some_and(|name| is_name(&name)),
                at,
                Rule::SpeakerName,
            );
        }
    }
    open.close(found);
}

fn has_content(members: &Members<'_>) -> bool {
    members
        .peek("content")
        .is_some_and(|content| match content.kind() {
            Kind::String => true,
            Kind::Array => content.items().is_some_and(|items| !items.is_empty()),
            _ => false,
        })
}

fn result_content(members: &Members<'_>, at: usize, found: &mut Found) {
    let is_fit = members
        .peek("content")
        .is_some_and(|content| matches!(content.kind(), Kind::String | Kind::Array));
    found.check(is_fit, at, Rule::ResultContent);
}

fn assistant(members: &Members<'_>, at: usize, open: &mut Open, found: &mut Found) {
    if let Some(calls) = members.peek("tool_calls") {
        let calls = calls.items().unwrap_or_default();
        found.check(!calls.is_empty(), at, Rule::EmptyCalls);
        for call in calls {
            let id = call.member_str("id").filter(|id| !id.is_empty());
            found.check(id.is_some(), at, Rule::CallId);
            open.ids.push((at, id.unwrap_or_default().into_owned()));
            let (inner, field) = match call.member("custom") {
                Some(inner) => (Some(inner), "input"),
                None => (call.member("function"), "arguments"),
            };
            let name = inner.and_then(|inner| inner.member_str("name"));
            found.check(
                name.is_some_and(|name| !name.is_empty()),
                at,
                Rule::CallName,
            );
            let arguments = inner.and_then(|inner| inner.member_str(field));
            found.check(arguments.is_some(), at, Rule::Arguments);
        }
    }
    if let Some(call) = members.peek("function_call") {
        let name = call.member_str("name");
        found.check(name.is_some(), at, Rule::CallName);
        found.check(call.member_str("arguments").is_some(), at, Rule::Arguments);
        open.function = Some((at, name.unwrap_or_default().into_owned()));
    }
}

/// Calls that wait for their results.
#[derive(Default)]
struct Open {
    ids: Vec<(usize, String)>,
    function: Option<(usize, String)>,
}

impl Open {
    fn answer(&mut self, id: &str) -> bool {
        let Some(at) = self.ids.iter().position(|(_, open)| open == id) else {
            return false;
        };
        self.ids.remove(at);
        true
    }

    fn close(&mut self, found: &mut Found) {
        for (at, _) in self.ids.drain(..).chain(self.function.take()) {
            found.add(at, Rule::UnansweredCall);
        }
    }
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}
