//! What SOURCE means: an existing file, standard input, or a session in the store.

use std::path::Path;
use std::sync::Arc;

use session::{SessionId, Sessions, TokenEstimator};

use crate::args::source::SourceArgs;
use crate::failure::{Failure, plainly};
use crate::output::text::counted;
use crate::pins::Pins;
use crate::source::{Desk, Input, id};
use crate::store::StoreUrl;

/// A conversation that was found.
#[derive(Debug)]
pub(crate) enum Source {
    /// In a file, or on standard input.
    File(Box<Desk>),
    /// In the store.
    Session(Sessions, SessionId),
}

/// A source with one conversation.
#[derive(Debug)]
pub(crate) struct Only<'a> {
    pub(crate) name: String,
    pub(crate) sessions: &'a Sessions,
    pub(crate) id: &'a SessionId,
    /// The name of the file's format; empty for a session.
    pub(crate) format: &'static str,
    pub(crate) is_long: bool,
}

impl Source {
    /// The one conversation there is, those of sub-agents aside.
    pub(crate) fn only(&self) -> Result<Only<'_>, Failure> {
        let desk = match self {
            Self::Session(sessions, id) => {
                return Ok(Only {
                    name: id.to_string(),
                    sessions,
                    id,
                    format: "",
                    is_long: false,
                });
            }
            Self::File(desk) => desk,
        };
        let mut talks = desk.talks.iter().filter(|talk| !talk.is_side);
        let (input, first, second) = (&desk.input, talks.next(), talks.next());
        let Some(talk) = first else {
            return Err(Failure::usage(format!(
                "{} has no conversation",
                input.name
            )));
        };
        if second.is_some() {
            let count = counted(
                u64::try_from(talks.count() + 2).unwrap_or(2),
                "conversation",
            );
            return Err(Failure::usage(format!("{} has {count}", input.name))
                .with_hint("choose one with --conversation N"));
        }
        Ok(Only {
            name: input.name.clone(),
            sessions: &desk.sessions,
            id: &talk.id,
            format: input.format.name(),
            is_long: input.is_long,
        })
    }
}

impl Source {
    /// Pins and releases in the one conversation there is. What is only looked at is not written to.
    pub(crate) async fn pin(&self, pins: &Pins, may_write: bool) -> Result<(), Failure> {
        if pins.is_empty() {
            return Ok(());
        }
        let one = self.only()?;
        if let (Self::Session(_, id), false) = (self, may_write) {
            return Err(Failure::usage(format!(
                "pins are written to a session, and nothing is to be written to {id}"
            ))
            .with_hint(format!("pin with `compaction compact {id} --pin …`")));
        }
        pins.apply(one.sessions, one.id).await
    }
}

/// Finds what `args` names. A file goes before a session of the same name.
pub(crate) async fn resolve(
    args: &SourceArgs,
    store: Option<&str>,
    estimator: Arc<dyn TokenEstimator>,
) -> Result<Source, Failure> {
    if let Some(mut input) = file(args)? {
        if let Some(wanted) = &args.conversation {
            input.choose(wanted)?;
        }
        return Ok(Source::File(Box::new(Desk::lay(input, estimator).await?)));
    }
    if args.conversation.is_some() || args.from.from.is_some() {
        let option = if args.from.from.is_some() {
            "--from"
        } else {
            "--conversation"
        };
        let failure = Failure::usage(format!(
            "{option} is about a file, and {} is none",
            args.source.display()
        ));
        return Err(failure.with_detail(missing(args)));
    }
    let url = StoreUrl::parse(store)?;
    let opened = url.open_existing(estimator).await?;
    if let (Some(sessions), Some(text)) = (&opened, args.source.to_str())
        && let Some(session) = id::find(sessions, text).await?
    {
        return Ok(Source::Session(sessions.clone(), session.id));
    }
    let what = if args.as_session {
        "no session"
    } else {
        "no file and no session"
    };
    let mut failure = Failure::usage(format!("{what} is named {}", args.source.display()));
    if !args.as_session {
        failure = failure.with_detail(missing(args));
    }
    failure = failure.with_detail(match opened {
        Some(_) => format!("looked for the session in {url}"),
        None => format!("looked for the session in {url}, which does not exist"),
    });
    Err(failure
        .with_hint("`compaction sessions` lists what is in the store; `-` reads standard input"))
}

/// The file that is meant, if one is.
fn file(args: &SourceArgs) -> Result<Option<Input>, Failure> {
    if args.as_session {
        return Ok(None);
    }
    let format = args.from.from;
    if args.source == "-" {
        return Input::of_stdin(format).map(Some);
    }
    let path = Path::new(&args.source);
    match path.metadata() {
        // A folder is no transcript, but its name may well be that of a session.
        Ok(metadata) if metadata.is_dir() && format.is_none() && looks_like_an_id(path) => Ok(None),
        Ok(_) => Input::of_file(path, format).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound || !looks_like_a_path(path) => {
            Ok(None)
        }
        Err(error) => Err(Failure::unreadable(path, &error)),
    }
}

fn looks_like_a_path(path: &Path) -> bool {
    path.components().count() > 1 || path.extension().is_some()
}

fn looks_like_an_id(path: &Path) -> bool {
    !looks_like_a_path(path)
}

fn missing(args: &SourceArgs) -> String {
    let path = Path::new(&args.source);
    let why = match path.metadata() {
        Ok(metadata) if metadata.is_dir() => "it is a folder".into(),
        Ok(_) => "it was not asked for".into(),
        Err(error) => plainly(&error),
    };
    format!("looked for the file {}: {why}", path.display())
}
