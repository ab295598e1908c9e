//! Texts of the screen: most are in an item too, and would be there twice.

use std::collections::{BTreeMap, BTreeSet};

use session_log::{Message, Part, Role};

use crate::formats::codex::line::{Line, Mirror, What};
use crate::formats::openai_responses::item::{self, Item};

/// The places of texts that repeat an item. Each item stands for one text, so what was honestly
/// said twice counts twice.
pub(super) fn repeated(lines: &[Line<'_>]) -> BTreeSet<usize> {
    let mut left: BTreeMap<(Mirror, String), Vec<usize>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let What::Item(raw) = line.what else {
            continue;
        };
        for key in keys(&item::read(raw)) {
            left.entry(key).or_default().push(at);
        }
    }
    let mut repeated = BTreeSet::new();
    for (at, line) in lines.iter().enumerate() {
        let What::Mirror(mirror, text) = &line.what else {
            continue;
        };
        let key = (*mirror, text.trim().to_owned());
        if left.get_mut(&key).and_then(Vec::pop).is_some() {
            repeated.insert(at);
        }
    }
    repeated
}

/// The texts that may be shown of an item: all of it, and each part.
fn keys(item: &Item) -> BTreeSet<(Mirror, String)> {
    let (mirror, texts) = match item {
        Item::Message(message) => match message.role {
            Role::User => (Mirror::User, texts(message)),
            Role::Assistant => (Mirror::Agent, texts(message)),
            _ => return BTreeSet::new(),
        },
        Item::Reply(Part::Reasoning(reasoning)) => {
            let text = reasoning.text.clone().unwrap_or_default();
            let parts = text.split("\n\n").map(str::to_owned);
            (Mirror::Reasoning, parts.chain([text.clone()]).collect())
        }
        _ => return BTreeSet::new(),
    };
    texts
        .into_iter()
        .map(|text| (mirror, text.trim().to_owned()))
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

fn texts(message: &Message) -> Vec<String> {
    let parts = message.parts.iter().filter_map(Part::as_text);
    parts
        .map(str::to_owned)
        .chain([message.text().into_owned()])
        .collect()
}
