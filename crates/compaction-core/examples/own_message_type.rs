//! A message type of your own, cut by the core alone: implement one method, get a plan.
//!
//! `cargo run -p compaction-core --example own_message_type`
#![expect(clippy::print_stdout, reason = "an example shows something")]

use compaction_core::{
    Entry, EntryKind, Outcome, Outline, Progress, Summarize, SummaryReply, View, Window, compact,
};

/// A line of a chat, as an application may have it.
struct ChatLine {
    author: Author,
    text: &'static str,
}

enum Author {
    Rules,
    Summary,
    Customer,
    Bot,
}

impl Entry for ChatLine {
    fn kind(&self) -> EntryKind {
        match self.author {
            Author::Rules => EntryKind::System,
            Author::Summary => EntryKind::Summary,
            Author::Customer => EntryKind::TurnStart,
            Author::Bot => EntryKind::Continuation,
        }
    }
}

fn main() {
    let line = |author, text| ChatLine { author, text };
    let mut chat = vec![
        line(Author::Rules, "Be brief."),
        line(Author::Customer, "Do you have blue paint?"),
        line(Author::Bot, "We do, in cans of two litres."),
        line(Author::Customer, "Is one enough for twenty square metres?"),
        line(Author::Bot, "For one coat, yes."),
        line(Author::Customer, "Then two cans, please."),
    ];

    // Costs come from you. Four characters a token will do here.
    let outline = Outline::of(&chat, |line| line.text.len().div_ceil(4) as u64);
    let (budget, reserve) = (30, 8);
    let window = Window::Tokens { budget, reserve };
    println!("{} tokens, and the window is {window}", outline.tokens());

    // A pass is a question and an answer, and this loop is all that drives it.
    let view = View::new(&chat, &outline);
    let mut progress = compact(&view, &window, Summarize::WithOverlap(1));
    let plan = loop {
        progress = match progress {
            Progress::NeedsSummary(pending) => {
                println!("summarize {}", pending.request().covered);
                pending.resume(SummaryReply::Provided)
            }
            Progress::Done(Outcome::Compacted(plan)) => break plan,
            Progress::Done(Outcome::Unchanged(why)) => return println!("nothing to do: {why:?}"),
        };
    };

    // The plan is made of positions. What is done with it is yours.
    let summary = line(Author::Summary, "Blue paint is sold in two-litre cans.");
    let mut old: Vec<Option<ChatLine>> = chat.drain(..).map(Some).collect();
    let mut take = |position: usize| old.get_mut(position).and_then(Option::take);
    let pinned: Vec<_> = plan.pinned().iter().filter_map(|at| take(*at)).collect();
    let kept: Vec<_> = plan.kept().iter().filter_map(&mut take).collect();
    chat.extend(pinned.into_iter().chain([summary]).chain(kept));
    for line in &chat {
        println!("  {}", line.text);
    }
}
