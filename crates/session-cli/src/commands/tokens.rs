//! `compaction tokens`: how many tokens a file has, by encoding.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;
use compaction_tokens::{Encoding, Estimators};
use serde::Serialize;
use session::TokenEstimator;
use session_log::{EventBody, LineFormat, Message, message_tokens};

use crate::args::source::FromArgs;
use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::failure::{Ending, Failure};
use crate::output::json::document;
use crate::output::style::{BOLD, DIM};
use crate::output::table::{Cell, Table};
use crate::output::text::counted;
use crate::output::{print, print_styled};
use crate::parallel;
use crate::source::{Input, bytes};

/// Count the tokens of a file, by encoding
///
/// Of a transcript it counts the messages, as `stats` and `compact` do; of any other text, or with --text, the
/// text itself. Names of encodings are exact counts; the others are estimates, which are faster.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct TokensArgs {
    /// A file; - is standard input
    #[arg(value_name = "FILE")]
    file: OsString,

    /// Count by this encoding only. May be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    encoding: Vec<String>,

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
}

/// What there is to count.
enum Content {
    Text(String),
    Messages(Vec<Message>),
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &TokensArgs) -> Result<Ending, Failure> {
    let names: Vec<&str> = match args.encoding.as_slice() {
        [] => Estimators::names().collect(),
        some => some.iter().map(String::as_str).collect(),
    };
    let mut estimators = Vec::with_capacity(names.len());
    for name in names {
        estimators.push(by_name(name)?);
    }
    let (mut counted, content) = read(args)?;
    for estimator in estimators {
        let name = estimator.name();
        counted.tokens.push(CountJson {
            encoding: name.into(),
            tokens: count(&content, &*estimator),
            exact: Encoding::ALL
                .into_iter()
                .any(|encoding| encoding.name() == name),
        });
    }
    if globals.json {
        print(&document(&counted)?)?;
    } else {
        print_styled(&text(&counted))?;
    }
    Ok(Ending::Done)
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
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let mut counted = TokensJson {
        file: name.clone(),
        format: None,
        events: None,
        bytes: number(bytes.len()),
        characters: number(String::from_utf8_lossy(&bytes).chars().count()),
        tokens: Vec::new(),
    };
    if !args.text {
        match Input::of_bytes(name, &bytes, args.from.from) {
            Ok(input) => {
                let messages = messages(&input);
                counted.format = Some(input.format.name());
                counted.events = Some(number(messages.len()));
                return Ok((counted, Content::Messages(messages)));
            }
            Err(failure) if args.from.from.is_some() => return Err(failure),
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
        table.push([
            Cell::new(count.encoding.as_str()),
            Cell::number(count.tokens),
            Cell::new(if count.exact { "" } else { "estimate" }).styled(DIM),
        ]);
    }
    format!(
        "{BOLD}{}{BOLD:#} {DIM}({what}){DIM:#}: {sizes}\n{}",
        counted.file,
        table.render(2)
    )
}
