//! The page around it all.

use crate::output::text::share;
use crate::report::boundaries::boundaries;
use crate::report::chart::{growth, stack, timeline};
use crate::report::events::events;
use crate::report::fate::Fate;
use crate::report::html::Html;
use crate::report::policy::policy;
use crate::report::{Report, count};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The page as text.
pub(crate) fn render(page: &Report) -> String {
    let mut html = Html::default();
    html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"");
    html.text(&policy(STYLE, SCRIPT));
    html.raw("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    html.text(&page.title)
        .raw("</title>\n<style>")
        .raw(STYLE)
        .raw("</style>\n</head>\n<body>\n");
    header(page, &mut html);
    html.raw("<main>\n");
    overview(page, &mut html);
    boundaries(page, &mut html);
    events(page, &mut html);
    html.raw("</main>\n");
    footer(page, &mut html);
    html.raw("<script>")
        .raw(SCRIPT)
        .raw("</script>\n</body>\n</html>\n");
    html.into_string()
}

fn header(page: &Report, html: &mut Html) {
    html.raw("<header>\n<h1 dir=\"auto\">")
        .text(&page.title)
        .raw("</h1>\n<p class=\"headline\">");
    html.text(&page.headline).raw("</p>\n<p class=\"facts\">");
    for (at, (name, value)) in page.facts.iter().enumerate() {
        if at > 0 {
            html.raw(" · ");
        }
        html.text(name).raw(" <bdi>").text(value).raw("</bdi>");
    }
    html.raw("</p>\n</header>\n");
}

/// How much there is, how much of it is seen, and where it is.
fn overview(page: &Report, html: &mut Html) {
    html.raw("<section aria-labelledby=\"h-tokens\"><h2 id=\"h-tokens\">Where the tokens are</h2>\n<table class=\"sizes\"><thead><tr><td></td><th>events</th><th>turns</th><th>tokens</th><td></td></tr></thead><tbody>");
    for (name, size) in [("all", page.before), ("what a model sees", page.after)] {
        html.raw("<tr><th scope=\"row\">")
            .text(name)
            .raw("</th><td>");
        html.number(size.events)
            .raw("</td><td>")
            .number(size.turns)
            .raw("</td><td>");
        html.number(size.tokens).raw("</td><td class=\"share\">");
        html.text(&share(size.tokens, page.before.tokens))
            .raw("</td></tr>");
    }
    html.raw("</tbody></table>\n");
    stack(&page.items, html);
    html.raw("<ul class=\"legend\">");
    for fate in Fate::ALL {
        let of = || page.items.iter().filter(|item| item.fate == fate);
        let events = of().count();
        if events == 0 {
            continue;
        }
        let tokens = of().map(|item| item.tokens).fold(0, u64::saturating_add);
        html.raw("<li><label><input type=\"checkbox\" class=\"scripted\" checked value=\"");
        html.raw(fate.name())
            .raw("\"><span class=\"dot f-")
            .raw(fate.name());
        html.raw("\"></span><b>")
            .raw(fate.name())
            .raw("</b> ")
            .number(count(events));
        html.raw(if events == 1 { " event" } else { " events" });
        if fate != Fate::Record {
            html.raw(", ").number(tokens).raw(" tokens");
        }
        html.raw(" <small>")
            .raw(fate.meaning())
            .raw("</small></label></li>");
    }
    html.raw("</ul>\n");
    timeline(page, html);
    growth(page, html);
    for note in &page.notes {
        html.raw("<p class=\"note\" dir=\"auto\">")
            .text(note)
            .raw("</p>\n");
    }
    html.raw("</section>\n");
}

fn footer(page: &Report, html: &mut Html) {
    html.raw("<footer><p>Tokens are counted by ")
        .text(&page.estimator);
    html.raw(". Times are in UTC. A text is shown up to ")
        .number(count(page.allowance()));
    html.raw(" characters");
    if page.items_listed().len() < page.items.len() {
        html.raw(", and the newest ").number(page.listed());
        html.raw(" events are listed");
    }
    html.raw("; <code>compaction show</code> and <code>compaction export</code> give all of a session. Written by compaction ");
    html.raw(env!("CARGO_PKG_VERSION")).raw(".</p></footer>\n");
}
