//! Has a real model summarize two conversations in which facts were planted, and prints which of
//! them survive: in a ledger, in what the model writes, and in both together.
//!
//! ```text
//! cargo run -p session-summarizer-http --example planted_facts -- http://127.0.0.1:8080/v1 local
//! ```
//!
//! Any server with OpenAI's chat completions will do. The key, where one is needed, is in
//! `OPENAI_API_KEY`. Sizes are counted as bytes/4.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout)]

#[path = "../../session-summarizer/tests/common/facts.rs"]
mod facts;

use std::error::Error;
use std::time::Duration;

use compaction_core::TokenEstimator;
use facts::{Planted, cells, heading, planted};
use futures_executor::block_on;
use session_summarizer::{
    Brief, Checked, Ledger, Prompt, Retention, RetryPolicy, Retrying, Summarizer, Template,
    ThreadTimer, WithLedger,
};
use session_summarizer_http::{ApiKey, Conversation, HttpOptions, OpenAi};

/// The room of a summary; the ledger takes at most a third of it.
const BUDGET: u64 = 900;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(model)) = (arguments.next(), arguments.next()) else {
        return Err("say the base URL and the model".into());
    };
    let mut options = HttpOptions::default();
    options.time_limit = Duration::from_secs(900);
    options.temperature = Some(0.0);
    options.max_output_tokens = Some(BUDGET);
    let mut model = OpenAi::new(&url, model)?.with_options(options)?;
    if let Ok(key) = std::env::var("OPENAI_API_KEY") {
        model = model.with_key(ApiKey::new(&key)?)?;
    }

    for planted in planted() {
        println!(
            "\n| {} | tokens | specifics | {} | lost |",
            planted.name,
            heading(&planted.facts)
        );
        let columns = heading(&planted.facts).split('|').count() + 4;
        println!("|{}", "---|".repeat(columns));
        for budget in [200, 300, 400, BUDGET] {
            let brief = Brief::new(&planted.talk).with_budget(budget);
            let text = Ledger::new(Bytes).write(&brief);
            row(
                &planted,
                &format!("ledger, {budget} tokens"),
                text.ok_or_else(String::new),
            );
        }
        let sections = Prompt::new().with_template(Template::standard());
        let behind = model.clone().with_conversation(Conversation::new());
        for (name, prompt, model) in [
            ("model", &Prompt::new(), &model),
            ("model, sections", &sections, &model),
            ("model, behind the conversation", &Prompt::new(), &behind),
        ] {
            let patient = patient(model.clone());
            row(&planted, name, ask(&planted, prompt, &patient));
            let both = WithLedger::new(patient, Ledger::new(Bytes));
            row(
                &planted,
                &format!("{name} + ledger"),
                ask(&planted, prompt, &both),
            );
        }
    }
    Ok(())
}

/// The model, asked again when it writes nonsense.
fn patient(model: OpenAi) -> Retrying {
    let mut policy = RetryPolicy::default();
    policy.attempt_limit = None;
    policy.total_limit = None;
    Retrying::new(Checked::new(model, Bytes), ThreadTimer::new()).with_policy(policy)
}

/// The summary, or why there is none.
fn ask(planted: &Planted, prompt: &Prompt, summarizer: &dyn Summarizer) -> Result<String, String> {
    let brief = Brief::new(&planted.talk)
        .with_prompt(prompt)
        .with_budget(BUDGET);
    match block_on(summarizer.summarize(brief)) {
        Ok(Some(summary)) => Ok(summary.text().to_owned()),
        Ok(None) => Err("declined".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn row(planted: &Planted, name: &str, text: Result<String, String>) {
    match text {
        Ok(text) => {
            let lost: Vec<&str> = planted
                .facts
                .iter()
                .filter(|fact| !fact.survives(&text))
                .map(|fact| fact.id.as_str())
                .collect();
            let tokens = Bytes.estimate(&text);
            let cells = cells(&planted.facts, &text);
            let kept = Retention::of(&planted.talk, &text).total().per_mille();
            println!(
                "| {name} | {tokens} | {}‰ | {cells} | {} |",
                kept.unwrap_or_default(),
                lost.join(", ")
            );
        }
        Err(why) => println!("| {name} | none: {why} |"),
    }
}

struct Bytes;

impl TokenEstimator for Bytes {
    fn name(&self) -> &str {
        "bytes/4"
    }

    fn estimate(&self, text: &str) -> u64 {
        (text.len() as u64).div_ceil(4)
    }
}
