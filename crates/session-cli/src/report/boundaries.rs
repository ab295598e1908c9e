//! The boundaries, each with its receipt and what it hides.

use std::collections::HashMap;

use crate::output::text::{less, line};
use crate::report::chart::split;
use crate::report::events::says;
use crate::report::html::Html;
use crate::report::{Card, Report, State, count};

/// How many hidden events a boundary lists one by one.
const MOST_HIDDEN: usize = 200;

/// The boundaries, newest last.
pub(super) fn boundaries(page: &Report, html: &mut Html) {
    if page.boundaries.is_empty() {
        return;
    }
    html.raw("<section aria-labelledby=\"h-boundaries\"><h2 id=\"h-boundaries\">");
    html.raw(match page.boundaries.as_slice() {
        [only] if only.state == State::Planned => "What would be written",
        [only] if only.state == State::Selected => "What would be sent",
        _ => "Boundaries",
    });
    html.raw("</h2>\n");
    let says: HashMap<u64, String> = page
        .items_listed()
        .iter()
        .filter(|item| !item.is_new)
        .map(|item| (item.event.seq.as_u64(), says(item)))
        .collect();
    for card in &page.boundaries {
        one(card, &says, html);
    }
    html.raw("</section>\n");
}

fn one(card: &Card, says: &HashMap<u64, String>, html: &mut Html) {
    html.raw("<article class=\"card\"");
    if let Some(seq) = card.seq {
        html.raw(" id=\"b").digits(seq).raw("\"");
    }
    html.raw("><h3>");
    match card.seq {
        Some(seq) => html.raw("Boundary at event ").number(seq),
        None if card.state == State::Selected => html.raw("A selection for one request"),
        None => html.raw("One boundary"),
    };
    html.raw(" <span class=\"state\">").text(card.state.name());
    html.raw("</span></h3>\n");
    sizes(card, html);
    html.raw("<dl>");
    let time = card.time.iter().map(|time| ("written", time));
    for (name, value) in time.chain(card.facts.iter().map(|(name, value)| (*name, value))) {
        html.raw("<dt>").text(name).raw("</dt><dd dir=\"auto\">");
        html.text(&line(value, 400)).raw("</dd>");
    }
    html.raw("</dl>\n");
    if let Some(summary) = &card.summary {
        html.raw(match card.state {
            State::Planned | State::Selected | State::InForce => "<details open>",
            _ => "<details>",
        });
        html.raw("<summary>The summary</summary><pre class=\"summary\" dir=\"auto\">");
        html.text(summary).raw("</pre></details>\n");
    }
    hides(card, says, html);
    html.raw("</article>\n");
}

/// What there was and what was left, as far as whoever wrote the boundary said.
fn sizes(card: &Card, html: &mut Html) {
    let (before, after) = (card.before, card.after);
    html.raw("<p class=\"sizes\">");
    if before.tokens > 0 && after.tokens > 0 {
        html.raw("<b>").number(before.tokens).raw("</b> → <b>");
        html.number(after.tokens).raw("</b> tokens, ");
        html.text(&less(before.tokens, after.tokens));
    } else if before.tokens > 0 {
        html.raw("<b>")
            .number(before.tokens)
            .raw("</b> tokens before");
    }
    if before.events > 0 {
        html.raw("; ").number(before.events).raw(" → ");
        html.number(after.events).raw(" events, ");
        html.number(before.turns).raw(" → ");
        html.number(after.turns).raw(" turns");
    }
    html.raw("</p>\n");
    if before.tokens > 0 && after.tokens > 0 {
        split(before.tokens, after.tokens, html);
    }
}

/// What the boundary took out of the view.
fn hides(card: &Card, says: &HashMap<u64, String>, html: &mut Html) {
    if card.hidden.is_empty() {
        html.raw("<p>It hides no event.</p>\n");
        return;
    }
    html.raw("<details><summary>");
    html.raw(match card.summary {
        Some(_) => "The summary stands for ",
        None if card.state == State::Selected => "Leaves out ",
        None => "Hides ",
    });
    html.number(count(card.hidden.len()))
        .raw(" events</summary><ol class=\"hidden\">");
    for seq in card.hidden.iter().take(MOST_HIDDEN) {
        html.raw("<li>");
        match says.get(seq) {
            Some(says) => {
                html.raw("<a href=\"#e")
                    .digits(*seq)
                    .raw("\">")
                    .number(*seq);
                html.raw("</a> <span dir=\"auto\">")
                    .text(says)
                    .raw("</span>")
            }
            None => html.raw("<span>").number(*seq).raw("</span>"),
        };
        html.raw("</li>");
    }
    html.raw("</ol>");
    let more = card.hidden.len().saturating_sub(MOST_HIDDEN);
    if more > 0 {
        html.raw("<p>and ").number(count(more)).raw(" more</p>");
    }
    html.raw("</details>\n");
}
