//! Asks a real model, where `SESSION_LOCAL_MODEL_URL` names a server with OpenAI's interface. What
//! it writes is never looked at, only the form of it: a small model writes anything.
//!
//! `SESSION_LOCAL_MODEL` names the model (`local`), `SESSION_LOCAL_MODEL_KEY` is the key, if one
//! is needed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::env;
use std::time::{Duration, Instant};

use session_log::{Message, Role};
use session_summarizer::{
    Brief, Chunked, Finish, Prompt, Summarizer, SummarizerError, Summary, Template,
};
use session_summarizer_http::{
    Anthropic, ApiKey, Conversation, Delivery, HttpOptions, OpenAi, OpenAiResponses, SettingsError,
};

const URL: &str = "SESSION_LOCAL_MODEL_URL";

type Outcome = Result<Option<Summary>, SummarizerError>;

fn main() {
    let Ok(url) = env::var(URL) else {
        println!("local_model: SKIPPED, no server is asked because {URL} is not set");
        return;
    };
    let place = Place {
        v1: format!("{}/v1", url.trim_end_matches('/')),
        url,
        model: env::var("SESSION_LOCAL_MODEL").unwrap_or_else(|_| "local".into()),
        key: env::var("SESSION_LOCAL_MODEL_KEY").ok(),
    };
    place.a_conversation_is_summarized_in_every_dialect();
    place.it_is_asked_behind_the_conversation();
    place.a_low_output_limit_cuts_the_summary_off();
    place.sections_come_under_their_headings();
    place.too_long_an_input_is_told_apart();
    place.a_long_input_is_folded();
    place.what_is_dropped_leaves_the_server_free();
    place.a_wrong_path_is_rejected();
    println!("local_model: done");
}

struct Place {
    url: String,
    v1: String,
    model: String,
    key: Option<String>,
}

impl Place {
    fn options(output: u64, delivery: Delivery) -> HttpOptions {
        let mut options = HttpOptions::default();
        options.time_limit = Duration::from_secs(600);
        options.temperature = Some(0.0);
        options.max_output_tokens = Some(output);
        options.delivery = delivery;
        options
    }

    fn openai(&self, options: HttpOptions) -> Result<OpenAi, SettingsError> {
        let summarizer = OpenAi::new(&self.v1, &*self.model)?.with_options(options)?;
        match &self.key {
            Some(key) => summarizer.with_key(ApiKey::new(key)?),
            None => Ok(summarizer),
        }
    }

    fn responses(&self, options: HttpOptions) -> Result<OpenAiResponses, SettingsError> {
        let summarizer = OpenAiResponses::new(&self.v1, &*self.model)?.with_options(options)?;
        match &self.key {
            Some(key) => summarizer.with_key(ApiKey::new(key)?),
            None => Ok(summarizer),
        }
    }

    fn anthropic(&self, options: HttpOptions) -> Result<Anthropic, SettingsError> {
        let summarizer = Anthropic::new(&self.url, &*self.model)?.with_options(options)?;
        match &self.key {
            Some(key) => summarizer.with_key(ApiKey::new(key)?),
            None => Ok(summarizer),
        }
    }

    fn a_conversation_is_summarized_in_every_dialect(&self) {
        let talk = conversation();
        for delivery in [Delivery::Whole, Delivery::Streamed] {
            let options = || Self::options(300, delivery);
            let dialects: [(&str, Box<dyn Summarizer>); 3] = [
                (
                    "chat completions",
                    Box::new(self.openai(options()).unwrap()),
                ),
                ("responses", Box::new(self.responses(options()).unwrap())),
                ("messages", Box::new(self.anthropic(options()).unwrap())),
            ];
            for (name, summarizer) in dialects {
                let about = format!("{name}, {delivery:?}");
                let summary = match ask(&about, &*summarizer, Brief::new(&talk)) {
                    Ok(summary) => summary.unwrap(),
                    Err(SummarizerError::Rejected { .. }) if name != "chat completions" => {
                        println!("  SKIPPED, the server does not speak it");
                        continue;
                    }
                    Err(error) => panic!("{about}: {error:?}"),
                };
                let usage = summary.usage();
                assert!(usage.input_tokens.unwrap() > 500, "{about}: {usage:?}");
                assert!(usage.output_tokens.unwrap() > 0, "{about}: {usage:?}");
                assert!(usage.output_tokens.unwrap() <= 300, "{about}: {usage:?}");
                assert!(!summary.model().is_empty(), "{about}");
                let finish = summary.finish();
                let is_known = matches!(finish, Finish::Complete | Finish::CutOff);
                assert!(is_known, "{about}: {finish:?}");
            }
        }
    }

    /// The second time most of the prompt is known to a server that keeps a cache.
    fn it_is_asked_behind_the_conversation(&self) {
        let talk = conversation();
        let sent = Conversation::new().with_system("You help with the billing service.");
        let openai = self.openai(Self::options(200, Delivery::Whole)).unwrap();
        let anthropic = self.anthropic(Self::options(200, Delivery::Whole)).unwrap();
        let dialects: [(&str, Box<dyn Summarizer>); 2] = [
            (
                "chat completions",
                Box::new(openai.with_conversation(sent.clone())),
            ),
            ("messages", Box::new(anthropic.with_conversation(sent))),
        ];
        for (name, summarizer) in dialects {
            for time in ["first", "second"] {
                let about = format!("behind the conversation, {name}, {time} time");
                match ask(&about, &*summarizer, Brief::new(&talk)) {
                    // It may have nothing to say, or call a tool.
                    Err(SummarizerError::Invalid { .. }) => {}
                    Ok(summary) => assert!(!summary.unwrap().text().is_empty(), "{about}"),
                    Err(SummarizerError::Rejected { .. }) if name != "chat completions" => {
                        println!("  SKIPPED, the server does not speak it");
                    }
                    Err(error) => panic!("{about}: {error:?}"),
                }
            }
        }
    }

    fn a_low_output_limit_cuts_the_summary_off(&self) {
        let talk = conversation();
        for delivery in [Delivery::Whole, Delivery::Streamed] {
            let summarizer = self.openai(Self::options(8, delivery)).unwrap();
            let about = format!("eight tokens, {delivery:?}");
            let summary = ask(&about, &summarizer, Brief::new(&talk))
                .unwrap()
                .unwrap();
            assert_eq!(summary.finish(), &Finish::CutOff, "{about}");
        }
    }

    fn sections_come_under_their_headings(&self) {
        let talk = conversation();
        let prompt = Prompt::new().with_template(Template::standard());
        let summarizer = self
            .openai(Self::options(600, Delivery::Whole))
            .unwrap()
            .with_sections_as_json();
        let brief = Brief::new(&talk).with_prompt(&prompt);
        let summary = ask("sections as JSON", &summarizer, brief)
            .unwrap()
            .unwrap();
        if summary.finish() == &Finish::CutOff {
            println!("  cut off, so there is no whole object to look at");
            return;
        }
        for section in Template::standard().sections() {
            let heading = format!("## {}", section.heading);
            let found = summary.text().lines().any(|line| line == heading);
            assert!(found, "{heading} in {}", summary.text());
        }
    }

    fn too_long_an_input_is_told_apart(&self) {
        let talk = [Message::user("one two three four five six ".repeat(16_000))];
        let summarizer = self.openai(Self::options(16, Delivery::Whole)).unwrap();
        match ask("about 96,000 tokens", &summarizer, Brief::new(&talk)) {
            Err(SummarizerError::InputTooLong { limit }) => println!("  the limit is {limit:?}"),
            Ok(_) => println!("  the context is larger than that"),
            Err(error) => panic!("{error:?}"),
        }
    }

    fn a_long_input_is_folded(&self) {
        let talk = conversation();
        let model = self.openai(Self::options(200, Delivery::Whole)).unwrap();
        let chunked = Chunked::new(model, 1_200, Bytes);
        let brief = Brief::new(&talk).with_budget(200);
        assert!(chunked.calls(&brief).unwrap() > 1);
        match ask("in chunks", &chunked, brief) {
            // A small model may write more than it was asked to.
            Ok(Some(_)) | Err(SummarizerError::Invalid { .. }) => {}
            other => panic!("{other:?}"),
        }
    }

    fn what_is_dropped_leaves_the_server_free(&self) {
        let talk = conversation();
        let summarizer = self.openai(Self::options(2_000, Delivery::Whole)).unwrap();
        let mut dropped = summarizer.summarize(Brief::new(&talk));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(dropped.as_mut().poll(&mut context).is_pending());
        drop(dropped);
        let short = [Message::user("The gate is fixed.")];
        let summarizer = self.openai(Self::options(16, Delivery::Whole)).unwrap();
        ask("after one was dropped", &summarizer, Brief::new(&short)).unwrap();
    }

    fn a_wrong_path_is_rejected(&self) {
        let talk = conversation();
        let base = format!("{}/nowhere", self.url.trim_end_matches('/'));
        let summarizer = OpenAi::new(&base, &*self.model).unwrap();
        let outcome = ask("a wrong path", &summarizer, Brief::new(&talk));
        let error = outcome.unwrap_err();
        assert!(
            matches!(error, SummarizerError::Rejected { .. }),
            "{error:?}"
        );
    }
}

/// Asks and tells what came and how long it took.
fn ask(about: &str, summarizer: &dyn Summarizer, brief: Brief<'_>) -> Outcome {
    let started = Instant::now();
    let outcome = futures_executor::block_on(summarizer.summarize(brief));
    let told = match &outcome {
        Ok(summary) => format!("{summary:?}"),
        Err(error) => error.to_string(),
    };
    println!("{about}: {told}, {:.1} s", started.elapsed().as_secs_f64());
    outcome
}

fn conversation() -> Vec<Message> {
    let text = include_str!("recordings/conversation.json");
    let records: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
    let message = |record: &serde_json::Value| {
        let text = |name| record.get(name).unwrap().as_str().unwrap();
        match Role::from_name(text("role")) {
            Role::User => Message::user(text("content")),
            _ => Message::assistant(text("content")),
        }
    };
    records.iter().map(message).collect()
}

struct Bytes;

impl compaction_core::TokenEstimator for Bytes {
    fn name(&self) -> &str {
        "bytes"
    }

    fn estimate(&self, text: &str) -> u64 {
        (text.len() as u64).div_ceil(4)
    }
}
