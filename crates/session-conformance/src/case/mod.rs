//! Cases: an input, what is done with it, and what must come of it.

mod action;
mod bytes;
mod estimator;
mod expect;
mod file;
mod generate;
mod op;
mod pass;
mod record;
mod search;
mod settings;

use serde_json::Value;

use crate::json::{Malformed, Object, Parsed, malformed};

pub(crate) use self::action::pass as pass_of_sentence;
pub use self::action::{Action, Lifetime};
pub(crate) use self::estimator::EstimatorSpec;
pub(crate) use self::expect::names;
pub use self::expect::{Claim, Expect};
pub use self::file::{Entry, entries};
pub use self::op::{Op, Race};
pub use self::pass::{PassSpec, SummarizerSpec, TriggerSpec, WindowSpec};
pub use self::record::{Record, Records};
pub use self::search::Search;
pub use self::settings::Settings;
pub(crate) use self::settings::StoreName;

/// One case.
///
/// ```
/// use session_conformance::Case;
///
/// let case = Case::parse(r#"{"id": "one", "kind": "example",
///     "input": [{"_id": "u1", "role": "user", "content": "Hi"}],
///     "settings": {"op": "compact", "window": {"last_turns": 1}, "summarizer": null},
///     "expect": {"written": false, "view": ["u1"]}}"#).unwrap();
/// assert_eq!(case.id, "one");
///
/// // What nobody knows is an error, not passed over.
/// let error = Case::parse(r#"{"id": "two", "input": [], "settings": {"op": "dance"}, "expect": {}}"#);
/// assert_eq!(error.unwrap_err().reason, "unknown op `dance`");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// Its name.
    pub id: String,
    /// What it is about, in a word.
    pub kind: String,
    /// The messages it begins with.
    pub input: Records,
    /// What is done.
    pub settings: Settings,
    /// What must come of it.
    pub expect: Expect,
    /// The case as it was written.
    pub(crate) source: Value,
}

impl Case {
    /// Reads a case from JSON text.
    ///
    /// # Errors
    ///
    /// [`Malformed`] when the text is no JSON, a field is missing or of another kind than it must
    /// be, or a key is unknown.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        match serde_json::from_str(text) {
            Ok(value) => Self::of(&value),
            Err(error) => malformed(format!("not JSON: {error}")),
        }
    }

    pub(crate) fn of(value: &Value) -> Parsed<Self> {
        let mut case = Object::of(value, "the case")?;
        let id = case.need_text("id")?.to_owned();
        let kind = case.text("kind")?.unwrap_or_default().to_owned();
        let input = Records::parse(case.need("input")?)?;
        let settings = Settings::parse(case.need("settings")?)?;
        let expect = Expect::parse(case.need("expect")?, "expect")?;
        // Where it comes from is for people.
        case.take("ref");
        case.finish()?;
        Ok(Self {
            id,
            kind,
            input,
            settings,
            expect,
            source: value.clone(),
        })
    }
}
