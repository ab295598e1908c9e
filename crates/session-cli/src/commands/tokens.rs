//! `compaction tokens`: how many tokens a file has, by encoding.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use compaction_tokens::{Encoding, Estimators};
use serde::Serialize;
use session::TokenEstimator;
use session_log::{EventBody, LineFormat, Message, message_tokens};

use crate::args::source::FromArgs;
use crate::args::tokens::{by_name, model};
use crate::args::{Globals, after_help};
use crate::failure::{Ending, Failure};
use crate::output::json::document;
use crate::output::style::{BOLD, DIM};
use crate::output::table::{Cell, Table};
use crate::output::text::{counted, inline, line, number, share};
use crate::output::{print, print_styled};
use crate::parallel;
use crate::source::{Input, bytes};

/// Count the tokens of a file, by encoding
///
/// Of a transcript it counts the messages, as `stats` and `compact` do; of any other text, or with --text, the
/// text itself. Names of encodings are exact counts; the others are estimates, which are faster. With
/// --model it counts as for this model and says how much of its context window that is.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct TokensArgs {
    /// A file; - is standard input
    #[arg(value_name = "FILE")]
    file: OsString,

    /// Count by this encoding only. May be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    encoding: Vec<String>,

    /// Count as for this model only. May be repeated
    #[arg(long, value_name = "NAME")]
    model: Vec<String>,

    /// Count the text of the file as it is, also if it is a transcript
    #[arg(long, conflicts_with = "from")]
    text: bool,

    #[command(flatten)]
    from: FromArgs,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction tokens talk.json
  compaction tokens README.md --encoding o200k_base
  compaction tokens talk.json --model gpt-4o --model claude-sonnet-4-5
  git diff | compaction tokens - --json"
);

/// What was counted.
#[derive(Debug, Serialize)]
struct TokensJson {
    file: String,
    format: Option<&'static str>,
    events: Option<u64>,
    bytes: u64,
    characters: u64,
    tokens: Vec<CountJson>,
}

#[derive(Debug, Serialize)]
struct CountJson {
    encoding: String,
    tokens: u64,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The context window of the model, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
}

/// Something that counts, and for which model.
struct Counter {
    estimator: Arc<dyn TokenEstimator>,
    model: Option<String>,
    limit: Option<u64>,
}

/// What there is to count.
enum Content {
    Text(String),
    Messages(Vec<Message>),
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &TokensArgs) -> Result<Ending, Failure> {
    let counters = counters(args)?;
    let (mut counted, content) = read(args)?;
    for Counter {
        estimator,
        model,
        limit,
    } in counters
    {
        let name = estimator.name();
        counted.tokens.push(CountJson {
            encoding: name.into(),
            tokens: count(&content, &*estimator),
            exact: Encoding::ALL
                .into_iter()
                .any(|encoding| encoding.name() == name),
            model,
            limit,
        });
    }
    if globals.json {
        print(&document(&counted)?)?;
    } else {
        print_styled(&text(&counted))?;
    }
    Ok(Ending::Done)
}

/// What was asked to count; every encoding if nothing was.
fn counters(args: &TokensArgs) -> Result<Vec<Counter>, Failure> {
    let plain = |name: &str| {
        by_name(name).map(|estimator| Counter {
            estimator,
            model: None,
            limit: None,
        })
    };
    if args.encoding.is_empty() && args.model.is_empty() {
        return Estimators::names().map(plain).collect();
    }
    let encodings = args.encoding.iter().map(|name| plain(name));
    let models = args.model.iter().map(|name| {
        let known = model(name)?;
        Ok(Counter {
            estimator: by_name(&known.estimator)?,
            model: Some(name.clone()),
            limit: Some(known.limit),
        })
    });
    encodings.chain(models).collect()
}

fn read(args: &TokensArgs) -> Result<(TokensJson, Content), Failure> {
    let path = Path::new(&args.file);
    let is_stdin = path == Path::new("-");
    let name = if is_stdin {
        "standard input".into()
    } else {
        path.display().to_string()
    };
    let bytes = if is_stdin {
        bytes::of_stdin()?
    } else {
        bytes::of_file(path)?
    };
    let bytes = bytes::unpacked(bytes);
    let size = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let mut counted = TokensJson {
        file: name.clone(),
        format: None,
        events: None,
        bytes: size(bytes.len()),
        characters: size(String::from_utf8_lossy(&bytes).chars().count()),
        tokens: Vec::new(),
    };
    if !args.text {
        match Input::of_bytes(&name, &bytes, args.from.from) {
            Ok(input) => {
                let messages = messages(&input);
                counted.format = Some(input.format.name());
                counted.events = Some(size(messages.len()));
                return Ok((counted, Content::Messages(messages)));
            }
            Err(failure) if args.from.from.is_some() || bytes::are_packed(&bytes) => {
                return Err(failure);
            }
            Err(_) => {}
        }
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok((counted, Content::Text(text)))
}

fn messages(input: &Input) -> Vec<Message> {
    let events = input
        .conversations
        .iter()
        .flat_map(|conversation| &conversation.events);
    let messages = events.filter_map(|event| match &event.body {
        EventBody::Message(message) => Some(message.clone()),
        _ => None,
    });
    messages.collect()
}

fn count(content: &Content, estimator: &dyn TokenEstimator) -> u64 {
    match content {
        Content::Text(text) => estimator.estimate(text),
        Content::Messages(messages) => {
            let mut counts: Vec<(&Message, u64)> =
                messages.iter().map(|message| (message, 0)).collect();
            parallel::each(&mut counts, "counting", false, |(message, tokens)| {
                *tokens = message_tokens(message, &LineFormat, estimator);
            });
            counts.iter().map(|(_, tokens)| tokens).sum()
        }
    }
}

fn text(counted: &TokensJson) -> String {
    let what = match (counted.format, counted.events) {
        (Some(format), Some(events)) => format!("{format}, {}", self::counted(events, "event")),
        _ => "text".into(),
    };
    let sizes = format!(
        "{}, {}",
        self::counted(counted.bytes, "byte"),
        self::counted(counted.characters, "character")
    );
    let mut table = Table::with_titles(["encoding", ">tokens", ""]);
    for count in &counted.tokens {
        let exactness = if count.exact { "" } else { "estimate" };
        let note = match (&count.model, count.limit) {
            (Some(model), Some(limit)) => format!(
                "{exactness}{}{} of the {} of {}",
                if count.exact { "" } else { ", " },
                share(count.tokens, limit),
                number(limit),
                line(model, 60)
            ),
            _ => exactness.into(),
        };
        table.push([
            Cell::new(count.encoding.as_str()),
            Cell::number(count.tokens),
            Cell::new(note).styled(DIM),
        ]);
    }
    format!(
        "{BOLD}{}{BOLD:#} {DIM}({what}){DIM:#}: {sizes}\n{}",
        inline(&counted.file),
        table.render(2)
    )
}
