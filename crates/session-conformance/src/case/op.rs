//! What is done: the settings of a case.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::case::action::Action;
use crate::case::pass::PassSpec;
use crate::json::{Object, Parsed, list, malformed, text, texts};

/// What is done, and around what.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// What is done.
    pub op: Op,
    /// Who counts tokens.
    pub(crate) estimator: EstimatorSpec,
    /// The stores it is about; empty for any.
    pub(crate) stores: Vec<StoreName>,
    /// The environment it runs in.
    pub(crate) env: BTreeMap<String, String>,
    /// How long it may take, in milliseconds.
    pub(crate) time_limit_ms: Option<u64>,
}

/// A store by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum StoreName {
    Memory,
    Sqlite,
    Postgres,
}

/// How tokens are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum EstimatorSpec {
    /// As the library does.
    #[default]
    Library,
    /// A quarter of the characters.
    CharsDiv4,
    /// Each event has a cost.
    Costs {
        by_id: BTreeMap<String, u64>,
        each: u64,
    },
}

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

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Search {
    /// What it is called in `found`.
    pub name: String,
    /// The keywords.
    pub words: Vec<String>,
    /// Whether all of them must be there.
    pub is_all: bool,
    /// How many hits at most; all where nothing is said.
    pub limit: Option<u64>,
}

impl Search {
    pub(crate) fn literal(word: &str) -> Self {
        Self {
            name: word.into(),
            words: vec![word.into()],
            ..Self::default()
        }
    }

    pub(crate) fn take(object: &mut Object<'_>) -> Parsed<Self> {
        let mut search = Self::parse(object.need("query")?)?;
        search.is_all = match object.text("mode")? {
            None | Some("any") => false,
            Some("all") => true,
            Some(other) => return malformed(format!("unknown mode `{other}`")),
        };
        search.limit = object.number("limit")?;
        Ok(search)
    }

    fn parse(value: &Value) -> Parsed<Self> {
        match value {
            Value::Array(_) => {
                let words = texts(value, "query")?;
                Ok(Self {
                    name: words.join(" "),
                    words,
                    ..Self::default()
                })
            }
            value => Ok(Self::literal(text(value, "query")?)),
        }
    }
}

impl Settings {
    pub(crate) fn parse(value: &Value) -> Parsed<Self> {
        let mut object = Object::of(value, "settings")?;
        let name = object.need_text("op")?;
        let stores = object.texts("storages")?.unwrap_or_default();
        let settings = Self {
            estimator: match object.take("estimator") {
                Some(value) => EstimatorSpec::parse(value)?,
                None => EstimatorSpec::default(),
            },
            stores: stores
                .iter()
                .map(|name| StoreName::parse(name))
                .collect::<Parsed<_>>()?,
            env: match object.take("env") {
                Some(value) => env(value)?,
                None => BTreeMap::new(),
            },
            time_limit_ms: object.number("time_limit_ms")?,
            op: Op::take(name, &mut object)?,
        };
        match object.text("clock")? {
            None | Some("fixed" | "moves") => {}
            Some(other) => return malformed(format!("unknown clock `{other}`")),
        }
        object.finish()?;
        Ok(settings)
    }
}

impl StoreName {
    pub(crate) fn parse(name: &str) -> Parsed<Self> {
        match name {
            "memory" => Ok(Self::Memory),
            "sqlite" => Ok(Self::Sqlite),
            "postgres" => Ok(Self::Postgres),
            other => malformed(format!("unknown store `{other}`")),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

impl EstimatorSpec {
    fn parse(value: &Value) -> Parsed<Self> {
        if let Value::String(name) = value {
            return match name.as_str() {
                "default" => Ok(Self::Library),
                "chars_div_4" => Ok(Self::CharsDiv4),
                other => malformed(format!("unknown estimator `{other}`")),
            };
        }
        let mut object = Object::of(value, "estimator")?;
        let each = object.number("each")?;
        let default = object.number("default")?;
        let mut by_id = BTreeMap::new();
        if let Some(value) = object.take("by_id") {
            let mut costs = Object::of(value, "by_id")?;
            for id in costs.names().collect::<Vec<_>>() {
                by_id.insert(id.to_owned(), costs.need_number(id)?);
            }
        } else if each.is_none() {
            return malformed("estimator has neither `each` nor `by_id`");
        }
        object.finish()?;
        match each.or(default) {
            Some(each) => Ok(Self::Costs { by_id, each }),
            None => malformed("estimator has no `default`"),
        }
    }
}

impl Op {
    fn take(name: &str, object: &mut Object<'_>) -> Parsed<Self> {
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

/// The bytes of a file that stands in the case: its lines, or one JSON value.
fn file(object: &mut Object<'_>) -> Parsed<Option<Vec<u8>>> {
    let tail = match object.text("raw_hex_tail")? {
        Some(hex) => bytes_of_hex(hex)?,
        None => Vec::new(),
    };
    let lines = object.texts("raw_lines")?;
    let data = object.take("data");
    let mut bytes = match (lines, data) {
        (Some(_), Some(_)) => return malformed("settings has both `raw_lines` and `data`"),
        (Some(lines), None) => lines.iter().flat_map(|line| bytes_of_line(line)).collect(),
        (None, Some(data)) => data.to_string().into_bytes(),
        (None, None) if tail.is_empty() => return Ok(None),
        (None, None) => Vec::new(),
    };
    bytes.extend(tail);
    Ok(Some(bytes))
}

/// The bytes of a line, in which `<300 NUL bytes>` stands for such bytes.
fn bytes_of_line(line: &str) -> Vec<u8> {
    const END: &str = " NUL bytes>";
    let mut bytes = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('<') {
        bytes.extend_from_slice(before.as_bytes());
        let count = after
            .split_once(END)
            .and_then(|(count, after)| Some((count.parse::<usize>().ok()?, after)));
        match count {
            Some((count, after)) => {
                bytes.resize(bytes.len().saturating_add(count), 0);
                rest = after;
            }
            None => {
                bytes.push(b'<');
                rest = after;
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

fn bytes_of_hex(hex: &str) -> Parsed<Vec<u8>> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    let byte = |pair: &[char]| {
        let text: String = pair.iter().collect();
        u8::from_str_radix(&text, 16)
            .ok()
            .filter(|_| pair.len() == 2)
    };
    match digits.chunks(2).map(byte).collect() {
        Some(bytes) => Ok(bytes),
        None => malformed("raw_hex_tail must be pairs of hexadecimal digits"),
    }
}

fn env(value: &Value) -> Parsed<BTreeMap<String, String>> {
    let mut object = Object::of(value, "env")?;
    let mut env = BTreeMap::new();
    for name in object.names().collect::<Vec<_>>() {
        env.insert(name.to_owned(), object.need_text(name)?.to_owned());
    }
    Ok(env)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_for_their_bytes() {
        assert_eq!(bytes_of_line("a\n"), b"a\n");
        assert_eq!(bytes_of_line("<3 NUL bytes>\n"), b"\0\0\0\n");
        assert_eq!(bytes_of_line("x<y>z<2 NUL bytes>"), b"x<y>z\0\0");
        assert_eq!(bytes_of_hex("ff 0A").unwrap(), [255, 10]);
        bytes_of_hex("f").unwrap_err();
    }
}
