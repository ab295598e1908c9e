//! Events of an OpenAI response.

use std::collections::BTreeMap;

use crate::json::{Object, Raw, array};

/// The response that events add up to: the one of the last event, or, where the stream ends before
/// it or it brings no output, the items that were finished.
pub(super) fn assemble(values: &[Raw<'_>]) -> Option<String> {
    let response = response(values)?;
    let items = finished_items(values);
    let output = response.member("output").and_then(Raw::items);
    if items.is_empty() || output.is_some_and(|output| !output.is_empty()) {
        return Some(response.text().into());
    }
    let mut object = Object::new();
    object.raw("output", &array(items.values()));
    for (name, value) in response.members()?.iter() {
        object.raw(name, value.text());
    }
    Some(object.finish())
}

/// The response as the last event that repeats it has it.
fn response<'a>(values: &[Raw<'a>]) -> Option<Raw<'a>> {
    let last = values.iter().rev().find(|value| {
        let kind = value.member_str("type").unwrap_or_default();
        matches!(
            &*kind,
            "response.completed"
                | "response.incomplete"
                | "response.failed"
                | "response.in_progress"
                | "response.created"
        )
    })?;
    last.member("response")
}

/// The items that were finished, by their place in the output.
fn finished_items<'a>(values: &[Raw<'a>]) -> BTreeMap<u64, &'a str> {
    let done = values
        .iter()
        .filter(|value| value.member_str("type").as_deref() == Some("response.output_item.done"));
    done.zip(0..)
        .filter_map(|(value, number)| {
            let place = value.member("output_index");
            let place = place.and_then(|place| place.text().parse().ok());
            Some((place.unwrap_or(number), value.member("item")?.text()))
        })
        .collect()
}
