//! What can be wrong with a summary, by name.

use core::fmt;

/// Why a summary must not land.
///
/// ```
/// use session_summarizer::Fault;
///
/// let fault = Fault::Inflated { summary: 900, replaced: 300 };
/// assert_eq!(fault.name(), "inflated");
/// assert_eq!(fault.to_string(), "900 tokens are longer than the 300 they replace");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// There is nothing to read.
    Blank,
    /// It is the text of an error.
    ErrorText,
    /// The model refuses, or asks for the conversation it was shown.
    Refusal,
    /// It stops before its end.
    CutOff,
    /// A filter stopped it.
    Filtered,
    /// It costs more than what it replaces.
    Inflated {
        /// Its tokens.
        summary: u64,
        /// The tokens of what it replaces.
        replaced: u64,
    },
    /// It costs more than the brief allows.
    OverBudget {
        /// Its tokens.
        summary: u64,
        /// The tokens allowed.
        budget: u64,
    },
    /// It is the transcript again.
    Echo,
    /// It says the same again and again.
    Loop,
    /// It is made of headings with nothing under them.
    Hollow,
    /// It is too short to stand for so much.
    Thin {
        /// Its tokens.
        summary: u64,
        /// The tokens asked for at least.
        least: u64,
    },
    /// It speaks of things that are nowhere in what was shown.
    Ungrounded {
        /// How many names, paths and commands it has.
        named: u64,
        /// How many of them are in what was shown.
        found: u64,
    },
    /// Sections that were asked for are missing.
    MissingSections {
        /// Their headings.
        missing: Vec<String>,
    },
    /// Too little of what matters survives in it.
    Forgetful {
        /// What survives, in thousandths.
        per_mille: u32,
        /// What is asked for, in thousandths.
        minimum: u32,
    },
}

impl Fault {
    /// The name, in lower case, for receipts and statistics.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::ErrorText => "error_text",
            Self::Refusal => "refusal",
            Self::CutOff => "cut_off",
            Self::Filtered => "filtered",
            Self::Inflated { .. } => "inflated",
            Self::OverBudget { .. } => "over_budget",
            Self::Echo => "echo",
            Self::Loop => "loop",
            Self::Hollow => "hollow",
            Self::Thin { .. } => "thin",
            Self::Ungrounded { .. } => "ungrounded",
            Self::MissingSections { .. } => "missing_sections",
            Self::Forgetful { .. } => "forgetful",
        }
    }
}

impl Fault {
    /// Whether the same model may write a sound summary when it is asked the same again. A filter
    /// and a refusal are decided by what it is shown, so another model is asked instead.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        !matches!(self, Self::Filtered | Self::Refusal)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blank => f.write_str("it is blank"),
            Self::ErrorText => f.write_str("it is the text of an error"),
            Self::Refusal => f.write_str("the model refuses or asks back"),
            Self::CutOff => f.write_str("it stops before its end"),
            Self::Filtered => f.write_str("a filter stopped it"),
            Self::Inflated { summary, replaced } => {
                write!(
                    f,
                    "{summary} tokens are longer than the {replaced} they replace"
                )
            }
            Self::OverBudget { summary, budget } => {
                write!(f, "{summary} tokens are more than the {budget} allowed")
            }
            Self::Echo => f.write_str("it copies the transcript"),
            Self::Loop => f.write_str("it says the same again and again"),
            Self::Hollow => f.write_str("it has headings and nothing under them"),
            Self::Thin { summary, least } => {
                write!(
                    f,
                    "{summary} tokens are fewer than the {least} asked for at least"
                )
            }
            Self::Ungrounded { named, found } => write!(
                f,
                "of {named} names, paths and commands in it only {found} were ever shown to it"
            ),
            Self::MissingSections { missing } => {
                write!(f, "sections are missing: {}", missing.join(", "))
            }
            Self::Forgetful { per_mille, minimum } => write!(
                f,
                "{per_mille} of 1000 paths, commands, ids and numbers survive, {minimum} are asked for"
            ),
        }
    }
}
