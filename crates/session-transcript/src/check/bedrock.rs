//! The rules of the Converse API of Bedrock.

use std::collections::BTreeSet;

use crate::check::{Found, Rule, is_plain};
use crate::json::{Kind, Raw};

/// Checks the messages in order.
pub(super) fn check(messages: &[Raw<'_>], found: &mut Found) {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut last = None;
    for (at, raw) in messages.iter().enumerate() {
        let Some(is_model) = found.turn(at, *raw, "assistant", &mut last) else {
            continue;
        };
        let blocks = raw
            .member("content")
            .and_then(Raw::items)
            .unwrap_or_default();
        found.check(!blocks.is_empty(), at, Rule::Content);
        if is_model {
            found.close(&mut open);
        }
        for block in &blocks {
            if let Some(text) = block.member_str("text") {
                found.check(!text.trim().is_empty(), at, Rule::BlankText);
            }
            if let Some(call) = block.member("toolUse") {
                found.check(is_model, at, Rule::Role);
                let id = call
                    .member_str("toolUseId")
                    .unwrap_or_default()
                    .into_owned();
                let is_fit = is_plain(&id) && ids.insert(id.clone());
                found.check(is_fit, at, Rule::CallId);
                let name = call.member_str("name");
                found.check(
                    name.is_some_and(|name| !name.is_empty()),
                    at,
                    Rule::CallName,
                );
                let input = call.member("input");
                let is_object = input.is_some_and(|input| input.kind() == Kind::Object);
                found.check(is_object, at, Rule::Arguments);
                open.push((at, id));
            }
            if let Some(result) = block.member("toolResult") {
                let id = result.member_str("toolUseId").unwrap_or_default();
                found.answer(at, &id, &mut open);
                let content = result.member("content");
                let is_list = content.is_some_and(|content| content.kind() == Kind::Array);
                found.check(is_list, at, Rule::ResultContent);
            }
        }
        if !is_model {
            found.close(&mut open);
        }
    }
    found.close(&mut open);
}
