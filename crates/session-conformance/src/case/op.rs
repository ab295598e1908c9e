//! What is done.

use serde_json::Value;

use crate::case::action::Action;
use crate::case::bytes::file;
use crate::case::pass::PassSpec;
use crate::case::search::Search;
use crate::json::{Object, Parsed, list, malformed, text};

/// An operation of the runner.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Op {
    /// One pass over the whole input.
    Compact(PassSpec),
    /// A row of actions.
    Steps(Vec<Action>),
    /// Turn by turn, with a pass after each.
    Loop(PassSpec),
    /// Each row on a fresh copy of the input.
    Table(Vec<PassSpec>),
    /// The token counts of the input.
    Count,
    /// Searches over the input, and whether there is only one.
    Search {
        /// What to look for.
        searches: Vec<Search>,
        /// Whether it is one search and not several.
        is_one: bool,
    },
    /// The view of the input, as a branch sees it.
    View {
        /// The branch.
        branch: Option<String>,
    },
    /// A transcript of another tool.
    Import {
        /// Its format.
        format: String,
        /// Its bytes; the input where there are none.
        file: Option<Vec<u8>>,
        /// What is done afterwards.
        then: Vec<Action>,
    },
    /// A file of messages, one a line.
    Jsonl {
        /// Its bytes.
        file: Vec<u8>,
        /// What is done with it.
        then: Vec<Action>,
    },
    /// Settings are made and nothing is run.
    Settings(Vec<PassSpec>),
    /// Ids that mean something to somebody else.
    Ids {
        /// Ids of sessions.
        session_ids: Vec<String>,
        /// Ids of users.
        user_ids: Vec<String>,
        /// What is done with each.
        actions: Vec<String>,
    },
    /// Users beside each other.
    Isolation(Vec<(String, Action)>),
    /// A pass, and something at the same time.
    Race(Box<Race>),
    /// Writers and readers at the same time.
    Concurrency {
        /// How many write.
        processes: u64,
        /// How many events each of them appends.
        appends_each: u64,
        /// How many read meanwhile.
        readers: u64,
    },
    /// A stored row is damaged.
    Corrupt {
        /// The event whose row it is.
        row: String,
        /// The column.
        column: String,
        /// What is put there; `None` for nothing.
        value: Option<String>,
        /// What is done then.
        then: Vec<Action>,
    },
    /// A store of an earlier schema is opened.
    Migrate {
        /// Which schema: `previous`, or its number.
        from_schema: String,
        /// What is done then.
        then: Vec<Action>,
    },
    /// The beginning of what a provider gets, from turn to turn.
    HashPrefix {
        /// What is done, action by action; turn by turn where nothing is said.
        steps: Vec<Action>,
        /// The pass after each turn.
        pass: PassSpec,
        /// The format of the request.
        format: String,
    },
    /// How cost grows.
    Perf {
        /// Events that are covered already.
        covered_events: u64,
        /// Events in the view.
        active_events: u64,
        /// What is measured.
        measure: Vec<String>,
    },
    /// Commands of the command line.
    Cli {
        /// The lines, without the name of the program.
        commands: Vec<String>,
    },
}

/// A pass, and what happens while it waits for its summary.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Race {
    /// The pass.
    pub pass: PassSpec,
    /// Messages that arrive meanwhile.
    pub append_during_summarizer: Vec<String>,
    /// How many passes run at once.
    pub parallel_compactions: u64,
}

impl Op {
    pub(crate) fn take(name: &str, object: &mut Object<'_>) -> Parsed<Self> {
        Ok(match name {
            "compact" => Self::Compact(PassSpec::take(object)?),
            "steps" => {
                let around = PassSpec::take(object)?;
                let mut steps = actions(object.need("steps")?, "steps")?;
                for step in &mut steps {
                    if let Action::Compact(spec) = step {
                        *spec = spec.within(&around);
                    }
                }
                Self::Steps(steps)
            }
            "loop" => Self::Loop(PassSpec::parse(
                object.need("per_turn_compact")?,
                "per_turn_compact",
            )?),
            "table" => Self::Table(rows(object)?),
            "count" => Self::Count,
            "search" => Self::Search {
                searches: vec![Search::take(object)?],
                is_one: true,
            },
            "search_many" => Self::Search {
                searches: list(object.need("queries")?, "queries")?
                    .iter()
                    .map(Search::parse)
                    .collect::<Parsed<_>>()?,
                is_one: false,
            },
            "view" => Self::View {
                branch: object.text("branch")?.map(Into::into),
            },
            "import" => Self::Import {
                format: object.need_text("format")?.into(),
                file: file(object)?,
                then: then(object)?,
            },
            "jsonl" => Self::Jsonl {
                file: match file(object)? {
                    Some(file) => file,
                    None => return malformed("settings has no `raw_lines`"),
                },
                then: then(object)?,
            },
            "settings" => match object.has("cases") {
                true => Self::Settings(rows(object)?),
                false => Self::Settings(vec![PassSpec::take(object)?]),
            },
            "ids" => Self::Ids {
                session_ids: object.texts("session_ids")?.unwrap_or_default(),
                user_ids: object.texts("user_ids")?.unwrap_or_default(),
                actions: ids_actions(object.texts("actions")?.unwrap_or_default())?,
            },
            "isolation" => Self::Isolation(
                object
                    .texts("actions")?
                    .unwrap_or_default()
                    .into_iter()
                    .map(|sentence| Action::sentence(&sentence).map(|action| (sentence, action)))
                    .collect::<Parsed<_>>()?,
            ),
            "race" => Self::Race(Box::new(Race {
                append_during_summarizer: object
                    .texts("append_during_summarizer")?
                    .unwrap_or_default(),
                parallel_compactions: object.number("parallel_compactions")?.unwrap_or(1),
                pass: PassSpec::take(object)?,
            })),
            "concurrency" => Self::Concurrency {
                processes: object.need_number("processes")?,
                appends_each: object.need_number("appends_each")?,
                readers: object.number("readers")?.unwrap_or(0),
            },
            "corrupt" => Self::Corrupt {
                row: object.need_text("row")?.into(),
                column: object.need_text("column")?.into(),
                value: match object.need("value")? {
                    Value::Null => None,
                    value => Some(text(value, "value")?.into()),
                },
                then: then(object)?,
            },
            "migrate" => Self::Migrate {
                from_schema: match object.need("from_schema")? {
                    Value::Number(number) => number.to_string(),
                    value => text(value, "from_schema")?.into(),
                },
                then: then(object)?,
            },
            "hash_prefix" => Self::HashPrefix {
                format: object.text("format")?.unwrap_or("openai").into(),
                steps: match object.take("steps") {
                    Some(value) => actions(value, "steps")?,
                    None => then(object)?,
                },
                pass: match object.take("per_turn_compact") {
                    Some(value) => PassSpec::parse(value, "per_turn_compact")?,
                    None => PassSpec::take(object)?,
                },
            },
            "perf" => Self::Perf {
                covered_events: object.number("covered_events")?.unwrap_or(0),
                active_events: object.need_number("active_events")?,
                measure: object.texts("measure")?.unwrap_or_default(),
            },
            "cli" => Self::Cli {
                commands: object.texts("commands")?.unwrap_or_default(),
            },
            other => return malformed(format!("unknown op `{other}`")),
        })
    }

    /// The name of the operation.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Compact(_) => "compact",
            Self::Steps(_) => "steps",
            Self::Loop(_) => "loop",
            Self::Table(_) => "table",
            Self::Count => "count",
            Self::Search { is_one: true, .. } => "search",
            Self::Search { .. } => "search_many",
            Self::View { .. } => "view",
            Self::Import { .. } => "import",
            Self::Jsonl { .. } => "jsonl",
            Self::Settings(_) => "settings",
            Self::Ids { .. } => "ids",
            Self::Isolation(_) => "isolation",
            Self::Race(_) => "race",
            Self::Concurrency { .. } => "concurrency",
            Self::Corrupt { .. } => "corrupt",
            Self::Migrate { .. } => "migrate",
            Self::HashPrefix { .. } => "hash_prefix",
            Self::Perf { .. } => "perf",
            Self::Cli { .. } => "cli",
        }
    }
}

/// The rows of a table, each within the settings around it.
fn rows(object: &mut Object<'_>) -> Parsed<Vec<PassSpec>> {
    let around = PassSpec::take(object)?;
    list(object.need("cases")?, "cases")?
        .iter()
        .map(|row| Ok(PassSpec::parse(row, "a row")?.within(&around)))
        .collect()
}

fn actions(value: &Value, what: &str) -> Parsed<Vec<Action>> {
    let numbered = list(value, what)?.iter().enumerate();
    numbered
        .map(|(index, value)| Action::parse(value, &format!("step {index}")))
        .collect()
}

/// One action, or a list of them.
fn then(object: &mut Object<'_>) -> Parsed<Vec<Action>> {
    match object.take("then") {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| Action::parse(item, "then"))
            .collect(),
        Some(value) => Ok(vec![Action::parse(value, "then")?]),
    }
}

fn ids_actions(actions: Vec<String>) -> Parsed<Vec<String>> {
    const KNOWN: [&str; 7] = [
        "create",
        "append",
        "view",
        "search",
        "export to dir",
        "import",
        "delete",
    ];
    match actions
        .iter()
        .find(|action| !KNOWN.contains(&action.as_str()))
    {
        Some(action) => malformed(format!("unknown action `{action}`")),
        None => Ok(actions),
    }
}
