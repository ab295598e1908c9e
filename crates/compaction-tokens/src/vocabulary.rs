//! The four vocabularies behind the encodings, each loaded once and shared.

use std::collections::HashSet;
use std::sync::OnceLock;

use tiktoken_rs::CoreBPE;

use crate::Encoding;

/// A vocabulary with its way to split text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Vocabulary {
    O200k,
    Cl100k,
    P50k,
    R50k,
}

impl Vocabulary {
    /// The vocabulary of an encoding. Control tokens play no part: they are plain text here.
    pub(crate) fn of(encoding: Encoding) -> Self {
        match encoding {
            Encoding::O200kBase | Encoding::O200kHarmony => Self::O200k,
            Encoding::Cl100kBase => Self::Cl100k,
            Encoding::P50kBase | Encoding::P50kEdit => Self::P50k,
            Encoding::R50kBase => Self::R50k,
        }
    }

    /// Counts one piece with tiktoken, or a token for every four bytes if tiktoken cannot.
    ///
    /// The fallback never happened in a test: pieces are too short to exhaust the regex, and the
    /// vocabularies are part of the program. It stands in for a panic.
    pub(crate) fn count(self, piece: &str) -> u64 {
        #[cfg(feature = "bpe-openai")]
        if let Some(count) = crate::fast::count(self, piece) {
            return count;
        }
        self.count_with_tiktoken(piece)
    }

    pub(crate) fn count_with_tiktoken(self, piece: &str) -> u64 {
        self.tiktoken()
            .and_then(|bpe| bpe.count(piece, &HashSet::new()).ok())
            .unwrap_or_else(|| piece.len().div_ceil(4))
            .try_into()
            .unwrap_or(u64::MAX)
    }

    /// Loads the vocabulary at the first call.
    fn tiktoken(self) -> Option<&'static CoreBPE> {
        static O200K: OnceLock<Option<CoreBPE>> = OnceLock::new();
        static CL100K: OnceLock<Option<CoreBPE>> = OnceLock::new();
        static P50K: OnceLock<Option<CoreBPE>> = OnceLock::new();
        static R50K: OnceLock<Option<CoreBPE>> = OnceLock::new();
        let loaded = match self {
            Self::O200k => O200K.get_or_init(|| tiktoken_rs::o200k_base().ok()),
            Self::Cl100k => CL100K.get_or_init(|| tiktoken_rs::cl100k_base().ok()),
            Self::P50k => P50K.get_or_init(|| tiktoken_rs::p50k_base().ok()),
            Self::R50k => R50K.get_or_init(|| tiktoken_rs::r50k_base().ok()),
        };
        loaded.as_ref()
    }
}
