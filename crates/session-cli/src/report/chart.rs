//! Pictures in whole numbers: the timeline of tokens, and bars that show shares.

use std::collections::BTreeSet;

use crate::output::text::{counted, line};
use crate::report::events::{place, says};
use crate::report::fate::Fate;
use crate::report::html::Html;
use crate::report::{Item, Report, count};

/// The most bars of a timeline. With more events than that, several share a bar.
const MOST_BARS: usize = 480;

/// The width of a bar with the gap beside it, and the height of the tallest.
const STEP: u64 = 10;
const HEIGHT: u64 = 1000;

/// The room under the bars for the turns.
const FOOT: u64 = 70;

/// The events in their order, as high as they are costly.
pub(super) fn timeline(page: &Report, html: &mut Html) {
    if page.items.is_empty() {
        return;
    }
    let at_a_time = page.items.len().div_ceil(MOST_BARS);
    let bars: Vec<&[Item]> = page.items.chunks(at_a_time).collect();
    let tokens = |bar: &[Item]| {
        bar.iter()
            .map(|item| item.tokens)
            .fold(0, u64::saturating_add)
    };
    let tallest = bars.iter().map(|bar| tokens(bar)).max().unwrap_or(0).max(1);
    let width = count(bars.len()) * STEP;

    html.raw("<figure class=\"timeline\"><svg viewBox=\"0 0 ")
        .digits(width);
    html.raw(" ").digits(HEIGHT + FOOT);
    html.raw("\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Tokens of each event in their order\">\n");
    turns(&bars, html);
    let listed: BTreeSet<String> = page.items_listed().iter().map(place).collect();
    for (at, bar) in bars.iter().enumerate() {
        let all = tokens(bar);
        let x = count(at) * STEP;
        let height = height(all, tallest);
        let mut at_hand = bar
            .iter()
            .filter(|item| listed.contains(place(item).as_str()));
        let target = at_hand.next().map_or_else(|| "h-events".into(), place);
        html.raw("<a href=\"#").text(&target);
        html.raw("\"><title>")
            .text(&title(bar, all))
            .raw("</title>");
        html.raw("<rect class=\"reach\" x=\"").digits(x);
        html.raw("\" y=\"0\" width=\"10\" height=\"1000\"/>");
        let mut y = HEIGHT;
        for (fate, tokens) in shares(bar) {
            let part = part(height, tokens, all);
            y = y.saturating_sub(part);
            rect(fate, x, y, STEP - 1, part, html);
        }
        html.raw("</a>\n");
        if bar.iter().any(|item| item.event.as_boundary().is_some()) {
            html.raw("<rect class=\"boundary\" x=\"").digits(x);
            html.raw("\" y=\"0\" width=\"9\" height=\"1000\"/>\n");
        }
    }
    html.raw("</svg>\n<figcaption>");
    if at_a_time > 1 {
        html.raw("A bar is ")
            .number(count(at_a_time))
            .raw(" events. ");
    }
    html.raw("The tallest bar has ").number(tallest);
    html.raw(" tokens; heights grow with the square root. The band below shows the turns. A bar leads to its event.</figcaption></figure>\n");
}

/// What a model saw at each event, where boundaries make it more than a sum.
pub(super) fn growth(page: &Report, html: &mut Html) {
    if page.boundaries.is_empty() || page.growth.len() < 2 {
        return;
    }
    let at_a_time = page.growth.len().div_ceil(MOST_BARS);
    let most = page.growth.iter().copied().max().unwrap_or(0).max(1);
    let points = page.growth.chunks(at_a_time);
    let points: Vec<u64> = points
        .map(|some| some.iter().copied().max().unwrap_or(0))
        .collect();
    html.raw("<figure class=\"growth\"><svg viewBox=\"0 0 ")
        .digits(count(points.len()) * STEP);
    html.raw(" 1000\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Tokens that a model saw at each event\"><path d=\"M0 1000");
    for (at, tokens) in points.iter().enumerate() {
        let x = count(at) * STEP;
        let y = HEIGHT - part(HEIGHT, *tokens, most);
        html.raw("L").digits(x).raw(" ").digits(y);
        html.raw("H").digits(x + STEP);
    }
    html.raw("V1000Z\"/></svg>\n<figcaption>What a model saw at each event: at most ");
    html.number(most).raw(" tokens, now ");
    html.number(page.growth.last().copied().unwrap_or(0));
    html.raw(". Where it falls a boundary was written.</figcaption></figure>\n");
}

/// The turns as a band that changes its shade.
fn turns(bars: &[&[Item]], html: &mut Html) {
    let turn = |bar: &[Item]| bar.first().and_then(|item| item.turn);
    let mut x = 0;
    for run in bars.chunk_by(|a, b| turn(a) == turn(b)) {
        let width = count(run.len()) * STEP;
        let number = run.first().and_then(|bar| turn(bar));
        html.raw(match number {
            None => "<rect class=\"turn none\" x=\"",
            Some(number) if number % 2 == 0 => "<rect class=\"turn even\" x=\"",
            Some(_) => "<rect class=\"turn odd\" x=\"",
        });
        html.digits(x).raw("\" y=\"1025\" width=\"").digits(width);
        html.raw("\" height=\"45\"><title>");
        match number {
            Some(number) => html.raw("turn ").number(number),
            None => html.raw("before the first turn"),
        };
        html.raw("</title></rect>\n");
        x += width;
    }
}

fn title(bar: &[Item], tokens: u64) -> String {
    match bar {
        [item] => format!(
            "{} {}, {}: {}",
            if item.is_new { "new" } else { "event" },
            item.event.seq,
            counted(tokens, "token"),
            line(&says(item), 80)
        ),
        [first, .., last] => format!(
            "events {} to {}, {}",
            first.event.seq,
            last.event.seq,
            counted(tokens, "token")
        ),
        [] => String::new(),
    }
}

/// The tokens of each fate, in a fixed order, for the fates there are.
pub(super) fn shares(items: &[Item]) -> Vec<(Fate, u64)> {
    let of = |fate: Fate| {
        let tokens = items.iter().filter(|item| item.fate == fate);
        tokens.map(|item| item.tokens).fold(0, u64::saturating_add)
    };
    let all = Fate::ALL.iter().map(|fate| (*fate, of(*fate)));
    all.filter(|(_, tokens)| *tokens > 0).collect()
}

/// A bar over the whole width, cut into the shares of each fate.
pub(super) fn stack(items: &[Item], html: &mut Html) {
    let shares = shares(items);
    let all = shares
        .iter()
        .map(|(_, tokens)| *tokens)
        .fold(0, u64::saturating_add);
    html.raw("<svg class=\"stack\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let (mut x, mut seen) = (0, 0_u64);
    for (fate, tokens) in shares {
        seen = seen.saturating_add(tokens);
        let end = part(1000, seen, all);
        rect(fate, x, 0, end - x, 10, html);
        x = end;
    }
    html.raw("</svg>\n");
}

/// A bar of what there was, with what is left of it.
pub(super) fn split(before: u64, after: u64, html: &mut Html) {
    let left = part(1000, after.min(before), before);
    html.raw("<svg class=\"stack\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    rect(Fate::Kept, 0, 0, left, 10, html);
    rect(Fate::Covered, left, 0, 1000 - left, 10, html);
    html.raw("</svg>\n");
}

fn rect(fate: Fate, x: u64, y: u64, width: u64, height: u64, html: &mut Html) {
    html.raw("<rect class=\"f-").raw(fate.name());
    html.raw("\" x=\"").digits(x).raw("\" y=\"").digits(y);
    html.raw("\" width=\"")
        .digits(width)
        .raw("\" height=\"")
        .digits(height)
        .raw("\"/>");
}

/// As high as the square root of its share of the tallest: small events stay in sight beside huge ones.
fn height(tokens: u64, tallest: u64) -> u64 {
    let square = u128::from(tokens) * u128::from(HEIGHT * HEIGHT) / u128::from(tallest.max(1));
    u64::try_from(square.isqrt()).unwrap_or(HEIGHT).min(HEIGHT)
}

/// `whole` times `tokens` of `all`.
fn part(whole: u64, tokens: u64, all: u64) -> u64 {
    let part = u128::from(whole) * u128::from(tokens) / u128::from(all.max(1));
    u64::try_from(part).unwrap_or(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_stay_within_the_picture_whatever_the_numbers() {
        assert_eq!(height(0, 1), 0);
        assert_eq!(height(25, 100), 500);
        assert_eq!(height(u64::MAX, u64::MAX), HEIGHT);
        assert_eq!(height(5, 0), HEIGHT);
        assert_eq!(part(1000, u64::MAX, u64::MAX), 1000);
        assert_eq!(part(1000, 1, 0), 1000);
    }
}
