//! The encodings that tiktoken knows, by name.
//!
//! An encoding is a vocabulary and a rule how text is split before it is encoded. Some encodings
//! differ only in their control tokens, which are plain text here, and so share a vocabulary.

use core::fmt;
use core::str::FromStr;

/// An encoding of OpenAI's models.
///
/// ```
/// use compaction_tokens::Encoding;
///
/// let encoding: Encoding = "cl100k_base".parse()?;
/// assert_eq!(encoding, Encoding::Cl100kBase);
/// assert_eq!(encoding.name(), "cl100k_base");
///
/// let error = "cl100k".parse::<Encoding>().unwrap_err();
/// assert!(error.to_string().contains("o200k_base, o200k_harmony, cl100k_base"));
/// # Ok::<(), compaction_tokens::UnknownEncoding>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// `o200k_base`: GPT-4o, GPT-4.1, GPT-5 and the o series. The default.
    #[default]
    O200kBase,
    /// `o200k_harmony`: the gpt-oss models. Ordinary text counts as in `o200k_base`.
    O200kHarmony,
    /// `cl100k_base`: GPT-4, GPT-3.5 and the newer embedding models.
    Cl100kBase,
    /// `p50k_base`: Codex and the `text-davinci-002` and `-003` models.
    P50kBase,
    /// `p50k_edit`: the edit models. Ordinary text counts as in `p50k_base`.
    P50kEdit,
    /// `r50k_base`, also called `gpt2`: GPT-2 and GPT-3.
    R50kBase,
}

impl Encoding {
    /// Every encoding, newest first.
    pub const ALL: [Self; 6] = [
        Self::O200kBase,
        Self::O200kHarmony,
        Self::Cl100kBase,
        Self::P50kBase,
        Self::P50kEdit,
        Self::R50kBase,
    ];

    /// The length in bytes of the longest token of any encoding.
    ///
    /// Text of more than this times `n` bytes has more than `n` tokens, and text of at most `n`
    /// bytes never has more than `n`: both can be told without counting.
    pub const LONGEST_TOKEN: u64 = 128;

    /// The name tiktoken gives it, which is also the estimator's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::O200kHarmony => "o200k_harmony",
            Self::Cl100kBase => "cl100k_base",
            Self::P50kBase => "p50k_base",
            Self::P50kEdit => "p50k_edit",
            Self::R50kBase => "r50k_base",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    /// Case and surrounding blanks do not matter, and `gpt2` is read as `r50k_base`.
    fn from_str(name: &str) -> Result<Self, UnknownEncoding> {
        let wanted = name.trim();
        if wanted.eq_ignore_ascii_case("gpt2") {
            return Ok(Self::R50kBase);
        }
        Self::ALL
            .into_iter()
            .find(|encoding| encoding.name().eq_ignore_ascii_case(wanted))
            .ok_or_else(|| UnknownEncoding {
                name: name.to_owned(),
            })
    }
}

/// No encoding has this name. The message lists the ones there are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown encoding {name:?}, valid are {}", names())]
#[non_exhaustive]
pub struct UnknownEncoding {
    /// The name that was asked for.
    pub name: String,
}

fn names() -> String {
    let mut names = Encoding::ALL.map(Encoding::name).join(", ");
    names.push_str(", gpt2");
    names
}
