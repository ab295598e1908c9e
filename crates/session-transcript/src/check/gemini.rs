//! The rules of Gemini.

use crate::check::{Found, Rule};
use crate::json::{Kind, Raw};

/// Checks the contents in order.
pub(super) fn check(contents: &[Raw<'_>], found: &mut Found) {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut last = None;
    for (at, raw) in contents.iter().enumerate() {
        let Some(is_model) = found.turn(at, *raw, "model", &mut last) else {
            continue;
        };
        let parts = raw.member("parts").and_then(Raw::items).unwrap_or_default();
        found.check(!parts.is_empty(), at, Rule::Content);
        if is_model {
            found.close(&mut open);
        }
        for part in &parts {
            let call = ["functionCall", "function_call"]
                .iter()
                .find_map(|name| part.member(name));
            let response = ["functionResponse", "function_response"]
                .iter()
                .find_map(|name| part.member(name));
            if let Some(call) = call {
                found.check(is_model, at, Rule::Role);
                let name = call.member_str("name").unwrap_or_default().into_owned();
                found.check(!name.is_empty(), at, Rule::CallName);
                let args = call.member("args");
                let is_fit = args.is_none_or(|args| args.kind() == Kind::Object);
                found.check(is_fit, at, Rule::Arguments);
                open.push((at, name));
            }
            if let Some(response) = response {
                let name = response.member_str("name").unwrap_or_default();
                found.answer(at, &name, &mut open);
                let body = response.member("response");
                let is_fit = body.is_some_and(|body| body.kind() == Kind::Object);
                found.check(is_fit, at, Rule::ResultContent);
            }
        }
        if !is_model {
            found.close(&mut open);
        }
    }
    found.close(&mut open);
}
