//! Actions: one thing done to a session. A case writes them as objects or as short sentences.

use serde_json::Value;
use session::Window;

use crate::case::pass::{PassSpec, SummarizerSpec};
use crate::case::search::Search;
use crate::json::{Object, Parsed, malformed, number};

/// One thing to do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Action {
    /// Makes the session, or another one.
    Create {
        /// How long it lives.
        ttl_s: Lifetime,
        /// Its id, if it is another one.
        session: Option<String>,
        /// Whose it is.
        user: Option<String>,
    },
    /// Appends messages of the input, one by one or together.
    Append {
        /// Their ids. One that is not in the input is made up.
        ids: Vec<String>,
        /// Whether they go in whole or not at all.
        is_batch: bool,
        /// Which of them cannot be stored, from 1.
        fail_at: Option<u64>,
        /// The only version at which they may go in.
        expected_version: Option<u64>,
    },
    /// Runs a pass.
    Compact(PassSpec),
    /// Writes the view in a format.
    Export {
        /// The format.
        format: String,
        /// Whether the log is written and not the view.
        is_log: bool,
    },
    /// Reads what was exported last into a new store.
    Import {
        /// The format; that of the export where nothing is said.
        format: Option<String>,
    },
    /// Closes the store and opens it again.
    Reopen,
    /// Opens the store again without closing it, as after a crash.
    Crash,
    /// Looks at the view.
    View {
        /// As this branch sees it.
        branch: Option<String>,
        /// Of this session.
        session: Option<String>,
        /// In this user's name.
        user: Option<String>,
    },
    /// Looks for keywords.
    Search {
        /// What to find.
        search: Search,
        /// In all sessions of this user.
        user: Option<String>,
    },
    /// Lists a user's sessions.
    List {
        /// In this user's name.
        user: Option<String>,
    },
    /// Deletes a session.
    Delete {
        /// Which.
        session: Option<String>,
        /// In this user's name.
        user: Option<String>,
    },
    /// Moves the clock.
    Advance {
        /// By so many milliseconds, back where they are below zero.
        millis: i64,
    },
    /// Touches a session in a user's name, in whatever way.
    Touch {
        /// How: `append`, `compact`, `export`, `undo`, `pin`.
        verb: String,
        /// The session.
        session: String,
        /// The user.
        user: String,
    },
    /// Deletes what has expired.
    Sweep,
    /// Takes the newest boundary back.
    Undo,
    /// Takes the newest undoing back.
    Redo,
    /// Pins an event.
    Pin {
        /// Its id.
        id: String,
    },
    /// Releases an event.
    Unpin {
        /// Its id.
        id: String,
    },
}

/// How long a session lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "usual, told, or without end")]
pub enum Lifetime {
    /// As the service has it.
    Usual,
    /// So many seconds.
    Seconds(u64),
    /// For ever.
    Endless,
}

impl Action {
    /// Reads an object with a `do`.
    pub(crate) fn parse(value: &Value, what: &str) -> Parsed<Self> {
        if let Value::String(sentence) = value {
            return Self::sentence(sentence);
        }
        let mut object = Object::of(value, what)?;
        let action = match object.need_text("do")? {
            "create" => Self::Create {
                ttl_s: match object.take("ttl_s") {
                    None => Lifetime::Usual,
                    Some(Value::Null) => Lifetime::Endless,
                    Some(value) => Lifetime::Seconds(number(value, "ttl_s")?),
                },
                session: owned(object.text("session")?),
                user: owned(object.text("user")?),
            },
            "append" => Self::append(&mut object, false)?,
            "append_batch" => Self::append(&mut object, true)?,
            "compact" => Self::Compact(PassSpec::take(&mut object)?),
            "export" => Self::Export {
                format: object.text("format")?.unwrap_or("openai").into(),
                is_log: object.flag("log")?,
            },
            "import" => Self::Import {
                format: owned(object.text("format")?),
            },
            "open" | "reopen" => Self::Reopen,
            "crash" => Self::Crash,
            "view" => Self::View {
                branch: owned(object.text("branch")?),
                session: owned(object.text("session")?),
                user: owned(object.text("user")?),
            },
            "search" => Self::Search {
                user: owned(object.text("user")?),
                search: Search::take(&mut object)?,
            },
            "list" => Self::List {
                user: owned(object.text("user")?),
            },
            "delete" => Self::Delete {
                session: owned(object.text("session")?),
                user: owned(object.text("user")?),
            },
            "advance" => Self::Advance {
                millis: span(&mut object)?,
            },
            "sweep" => Self::Sweep,
            "undo" | "revert" => Self::Undo,
            "redo" => Self::Redo,
            "pin" => Self::Pin {
                id: object.need_text("id")?.into(),
            },
            "unpin" => Self::Unpin {
                id: object.need_text("id")?.into(),
            },
            other => return malformed(format!("unknown action `{other}` in {what}")),
        };
        object.finish()?;
        Ok(action)
    }

    fn append(object: &mut Object<'_>, is_batch: bool) -> Parsed<Self> {
        let what = object.path("ids");
        Ok(Self::Append {
            ids: crate::json::texts(object.need("ids")?, &what)?,
            is_batch,
            fail_at: object.number("fail_at")?,
            expected_version: object.number("expected_version")?,
        })
    }

    /// Reads a sentence such as `append e4`, `compact last_turns 1 with summarizer`,
    /// `search 'secret' as bo`.
    pub(crate) fn sentence(sentence: &str) -> Parsed<Self> {
        let (plain, user) = match sentence.rsplit_once(" as ") {
            Some((plain, user)) => (plain, Some(user.trim().to_owned())),
            None => (sentence, None),
        };
        let (verb, rest) = plain.trim().split_once(' ').unwrap_or((plain.trim(), ""));
        let rest = rest.trim();
        let session = (!rest.is_empty()).then(|| rest.to_owned());
        if let (Some(user), Some(session)) = (&user, &session)
            && matches!(verb, "append" | "compact" | "export" | "undo")
        {
            return Ok(Self::Touch {
                verb: verb.into(),
                session: session.clone(),
                user: user.clone(),
            });
        }
        Ok(match verb {
            "create" => Self::Create {
                ttl_s: Lifetime::Usual,
                session,
                user,
            },
            "open" | "reopen" if rest.is_empty() => Self::Reopen,
            "crash" if rest.is_empty() => Self::Crash,
            "append" if !rest.is_empty() => Self::Append {
                ids: rest.split_whitespace().map(str::to_owned).collect(),
                is_batch: false,
                fail_at: None,
                expected_version: None,
            },
            "compact" => Self::Compact(pass(rest)?),
            "export" => Self::Export {
                format: match rest {
                    "" | "to dir" => "jsonl".into(),
                    format => format.into(),
                },
                is_log: matches!(rest, "" | "to dir"),
            },
            "import" => Self::Import { format: session },
            "view" => Self::View {
                branch: None,
                session,
                user,
            },
            "search" if !rest.is_empty() => Self::Search {
                search: Search::literal(unquoted(rest)),
                user,
            },
            "list" if rest.is_empty() => Self::List { user },
            "delete" => Self::Delete { session, user },
            "sweep" if rest.is_empty() => Self::Sweep,
            "undo" if rest.is_empty() => Self::Undo,
            "redo" if rest.is_empty() => Self::Redo,
            "pin" => Self::Pin { id: rest.into() },
            "unpin" => Self::Unpin { id: rest.into() },
            "advance" => match rest.parse::<i64>() {
                Ok(seconds) => Self::Advance {
                    millis: seconds.saturating_mul(1000),
                },
                Err(_) => return malformed(format!("unknown action `{sentence}`")),
            },
            _ => return malformed(format!("unknown action `{sentence}`")),
        })
    }
}

/// How far the clock moves, in milliseconds.
fn span(object: &mut Object<'_>) -> Parsed<i64> {
    const UNITS: [(&str, i64); 5] = [
        ("ms", 1),
        ("seconds", 1_000),
        ("minutes", 60_000),
        ("hours", 3_600_000),
        ("days", 86_400_000),
    ];
    let mut span = None;
    for (unit, millis) in UNITS {
        let Some(value) = object.take(unit) else {
            continue;
        };
        let Some(count) = value.as_i64() else {
            return malformed(format!("`{unit}` of advance must be a whole number"));
        };
        let more = count.saturating_mul(millis);
        span = Some(span.unwrap_or(0_i64).saturating_add(more));
    }
    match span {
        Some(span) => Ok(span),
        None => malformed("advance says not how far"),
    }
}

/// The settings in `last_turns 1 with summarizer`; the newest turn alone where nothing is said.
pub(crate) fn pass(text: &str) -> Parsed<PassSpec> {
    let mut words = text.split_whitespace().peekable();
    let mut spec = PassSpec::default();
    while let Some(word) = words.next() {
        let mut count = || words.next().and_then(|word| word.parse::<u64>().ok());
        match word {
            "with" => match words.next() {
                Some("summarizer") => {
                    spec.summarizer = Some(Some(SummarizerSpec::returning("SUM")));
                }
                _ => return malformed(format!("unknown pass `{text}`")),
            },
            "last_turns" | "last_events" | "tokens" => {
                let Some(count) = count() else {
                    return malformed(format!("`{word}` needs a number in `{text}`"));
                };
                let size = usize::try_from(count).unwrap_or(usize::MAX);
                spec.window = Some(match word {
                    "last_turns" => Window::Turns(size),
                    "last_events" => Window::Events(size),
                    _ => Window::Tokens {
                        budget: count,
                        reserve: 0,
                    },
                });
            }
            _ => return malformed(format!("unknown pass `{text}`")),
        }
    }
    spec.window = spec.window.or(Some(Window::Turns(1)));
    Ok(spec)
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

fn unquoted(text: &str) -> &str {
    let quoted = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    quoted('\'').or_else(|| quoted('"')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_read() {
        assert!(matches!(
            Action::sentence("append e4").unwrap(),
            Action::Append { ids, .. } if ids == ["e4"]
        ));
        assert!(matches!(
            Action::sentence("search 'two words' as bo").unwrap(),
            Action::Search { search, user: Some(user) }
                if search.words == ["two words"] && user == "bo"
        ));
        assert!(matches!(
            Action::sentence("compact last_turns 1 with summarizer").unwrap(),
            Action::Compact(spec)
                if spec.window == Some(Window::Turns(1)) && spec.summarizer.is_some()
        ));
        assert!(matches!(
            Action::sentence("delete s as bo").unwrap(),
            Action::Delete { session: Some(session), .. } if session == "s"
        ));
        for nonsense in ["dance", "append", "compact somehow", "compact tokens many"] {
            Action::sentence(nonsense).unwrap_err();
        }
    }
}
