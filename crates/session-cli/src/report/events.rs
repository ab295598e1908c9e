//! The events, turn by turn, each with its fate and what it says.

use session::{Entry as _, EntryKind};
use session_log::{EventBody, Part};

use crate::commands::show::event::{parts, record, summary, who};
use crate::output::text::{counted, instant, line};
use crate::report::chart::stack;
use crate::report::html::Html;
use crate::report::{Item, Report, count};

/// The columns of the line that an event is folded to.
const LINE: usize = 150;

/// With more events than this only the turns that a model sees something of are unfolded.
const FEW: usize = 300;

/// The events of the page, newest turns last.
pub(super) fn events(page: &Report, html: &mut Html) {
    html.raw(
        "<section aria-labelledby=\"h-events\"><h2 id=\"h-events\">Events, turn by turn</h2>\n",
    );
    search(html);
    let hidden = page.items.len() - page.items_listed().len();
    if hidden > 0 {
        html.raw("<p class=\"note\">The oldest ")
            .number(count(hidden));
        html.raw(" events are in the timeline but not listed, to keep the page small.</p>\n");
    }
    let listed = page.items_listed();
    let allowance = page.allowance();
    let is_short = listed.len() <= FEW;
    for turn in listed.chunk_by(|a, b| a.turn == b.turn) {
        one_turn(turn, is_short, allowance, html);
    }
    html.raw("<p class=\"nothing\" hidden>No event matches.</p>\n</section>\n");
}

/// What only a script can do, shown where there is one.
fn search(html: &mut Html) {
    html.raw(
        "<form class=\"search scripted\" role=\"search\">\
         <input type=\"search\" placeholder=\"Search the events\" aria-label=\"Search the events\" autocomplete=\"off\" spellcheck=\"false\">\
         <button type=\"button\" data-fold=\"open\">Unfold all</button>\
         <button type=\"button\" data-fold=\"\">Fold all</button>\
         <output></output></form>\n",
    );
}

fn one_turn(items: &[Item], is_short: bool, allowance: usize, html: &mut Html) {
    let is_seen = items.iter().any(|item| item.fate.is_in_view());
    html.raw("<details class=\"turn\"");
    if is_short || is_seen {
        html.raw(" open");
    }
    html.raw("><summary><b>");
    let first = items.first();
    match first.and_then(|item| item.turn) {
        Some(turn) => html.raw("Turn ").number(turn),
        None => html.raw("Before the first turn"),
    };
    html.raw("</b> <span class=\"begins\" dir=\"auto\">");
    html.text(&line(&first.map(says).unwrap_or_default(), 90));
    html.raw("</span><span class=\"size\">");
    let steps = items.iter().filter_map(|item| item.step).max().unwrap_or(0);
    let tokens = items
        .iter()
        .map(|item| item.tokens)
        .fold(0, u64::saturating_add);
    let mut sizes = vec![counted(count(items.len()), "event")];
    if steps > 0 {
        sizes.push(counted(steps, "step"));
    }
    sizes.push(counted(tokens, "token"));
    html.text(&sizes.join(" · ")).raw("</span>");
    stack(items, html);
    html.raw("</summary>\n");
    for item in items {
        event(item, allowance, html);
    }
    html.raw("</details>\n");
}

fn event(item: &Item, allowance: usize, html: &mut Html) {
    let says = says(item);
    let whole = whole(item);
    let is_all_said =
        matches!(whole.as_slice(), [(title, text)] if title.is_empty() && *text == says);
    let tag = !is_all_said && !whole.is_empty();
    html.raw(if tag {
        "<details class=\"e f-"
    } else {
        "<div class=\"e f-"
    });
    html.raw(item.fate.name());
    if item.step.is_some() {
        html.raw(" in-step");
    }
    html.raw("\" id=\"")
        .text(&place(item))
        .raw("\" title=\"")
        .text(&about(item));
    html.raw(if tag {
        "\"><summary>"
    } else {
        "\"><div class=\"row\">"
    });
    html.raw("<span class=\"n\">");
    if item.is_new {
        html.raw("new");
    } else {
        html.number(item.event.seq.as_u64());
    }
    html.raw("</span><span class=\"who\">")
        .text(&who(&item.event));
    html.raw("</span><span class=\"fate\">")
        .raw(item.fate.name());
    html.raw("</span><span class=\"says\" dir=\"auto\">");
    if let (Some(step), EntryKind::StepStart) = (item.step, item.event.kind()) {
        html.raw("<b>step ").number(step).raw("</b> ");
    }
    html.text(&says);
    html.raw("</span><span class=\"tokens\">");
    if item.message.is_some() {
        html.number(item.tokens);
    }
    html.raw("</span>");
    if !tag {
        html.raw("</div></div>\n");
        return;
    }
    html.raw("</summary><div class=\"whole\">");
    let mut left = allowance;
    for (title, text) in &whole {
        if !title.is_empty() {
            html.raw("<h4>").text(&line(title, 200)).raw("</h4>");
        }
        let length = text.chars().count();
        let shown: String = text.chars().take(left).collect();
        html.raw("<pre dir=\"auto\">").text(&shown);
        if length > left {
            html.raw("<i>… ")
                .number(count(length - left))
                .raw(" more characters</i>");
        }
        html.raw("</pre>");
        left = left.saturating_sub(length).max(80);
    }
    html.raw("</div></details>\n");
}

/// What an event says, on one line: what it does before what it thinks.
pub(super) fn says(item: &Item) -> String {
    let Some(message) = &item.message else {
        return line(&record(&item.event), LINE);
    };
    let mut message = message.clone();
    message.parts.sort_by_key(|part| match part {
        Part::Reasoning(_) => 1,
        _ => 0,
    });
    line(&summary(&message), LINE)
}

/// All that an event says, each part under its title.
fn whole(item: &Item) -> Vec<(String, String)> {
    match (&item.message, &item.event.body) {
        (Some(message), _) => parts(message),
        (None, EventBody::Custom { payload, .. }) => vec![(String::new(), payload.as_str().into())],
        (None, _) => Vec::new(),
    }
}

/// The name of an event in the page.
pub(super) fn place(item: &Item) -> String {
    let seq = item.event.seq;
    if item.is_new {
        format!("new{seq}")
    } else {
        format!("e{seq}")
    }
}

/// Its id and when it was said. What is not written yet has neither.
fn about(item: &Item) -> String {
    if item.is_new {
        return "not written yet".into();
    }
    let mut about = item.event.id.to_string();
    if let Some(step) = item.step {
        about.push_str(&format!(", step {step}"));
    }
    if item.event.timestamp.as_millis() != 0
        && let Some(time) = instant(item.event.timestamp)
    {
        about.push_str(&format!(", {time}"));
    }
    about
}
