//! The model families and the weights of their tokenizers.
//!
//! Weights are hundredths of a token. They were fitted by least squares of the relative error, all
//! at or above zero, to about 3,800 passages of 150 to 700 characters: transcripts of agents in
//! English, their code, JSON and base64, manual pages in six languages, short dialogues in 27, and
//! generated numbers, identifiers and emoji. Counts are stored under the estimator's name, so
//! weights under a name never change: better ones get a new name.

use super::tally::ITEMS;

/// A family of models that share a tokenizer, or nearly so.
///
/// Each says what its weights are fitted to, and how sure they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Family {
    /// `heuristic`: the models of OpenAI that use `o200k_base`. The default.
    ///
    /// Fitted to that encoding. Where an exact count can be had, [`Tiktoken`](crate::Tiktoken) is
    /// better; this is for speed, or where 30 MB of vocabulary are too much.
    #[default]
    Gpt,
    /// `heuristic-claude`: Anthropic's Claude 3 to Claude Opus 4.6.
    ///
    /// **Uncertain.** The tokenizer is not published. The weights were fitted to the one that
    /// Anthropic published for Claude 2, and raised by 10 % for Latin text, numbers and marks,
    /// because published comparisons through the provider's counter found Claude 3 and 4 at about
    /// 1.15 times `o200k_base` for English and 1.2 to 1.3 times for code. Expect ±15 %, and
    /// estimates that are too high for the scripts of India and for Thai. Use
    /// [`Calibrated`](crate::Calibrated) with it.
    Claude,
    /// `heuristic-claude-4.7`: Claude Opus 4.7 and later.
    ///
    /// **Uncertain**, like [`Claude`](Self::Claude) and on top of it: the provider says that the same
    /// text has 1.0 to 1.35 times the tokens of Opus 4.6. Published measurements through its counter
    /// found 1.2 to 1.47 times for English, 1.15 to 1.35 for code and 1.0 for Chinese, Japanese,
    /// Korean, Russian and numbers; so words weigh 1.4 times as much here and the rest the same.
    /// Expect ±20 %.
    Claude47,
    /// `heuristic-gemini`: Google's Gemini and Gemma.
    ///
    /// Fitted to the published tokenizer of Gemma 3, which by its report is that of Gemini 2.0.
    /// Later Gemini models were not compared.
    Gemini,
    /// `heuristic-llama`: Meta's Llama 3.
    ///
    /// Fitted to the published tokenizer of Llama 3.1. Llama 2 and 4 have others.
    Llama,
    /// `heuristic-mistral`: Mistral's models with the Tekken tokenizer, from 2024 on.
    ///
    /// Fitted to the tokenizer of September 2024 that Mistral publishes. Older models had a
    /// vocabulary a quarter of its size and need more tokens.
    Mistral,
    /// `heuristic-qwen`: Alibaba's Qwen 2.5 and 3.
    ///
    /// Fitted to the published tokenizer of Qwen 3.
    Qwen,
    /// `heuristic-deepseek`: DeepSeek V3 and R1.
    ///
    /// Fitted to the published tokenizer of DeepSeek V3.
    DeepSeek,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 8] = [
        Self::Gpt,
        Self::Claude,
        Self::Claude47,
        Self::Gemini,
        Self::Llama,
        Self::Mistral,
        Self::Qwen,
        Self::DeepSeek,
    ];

    /// The name of the family's [`Heuristic`](crate::Heuristic).
    pub const fn estimator_name(self) -> &'static str {
        match self {
            Self::Gpt => "heuristic",
            Self::Claude => "heuristic-claude",
            Self::Claude47 => "heuristic-claude-4.7",
            Self::Gemini => "heuristic-gemini",
            Self::Llama => "heuristic-llama",
            Self::Mistral => "heuristic-mistral",
            Self::Qwen => "heuristic-qwen",
            Self::DeepSeek => "heuristic-deepseek",
        }
    }

    pub(crate) const fn weights(self) -> &'static [u16; ITEMS] {
        match self {
            Self::Gpt => &GPT,
            Self::Claude => &CLAUDE,
            Self::Claude47 => &CLAUDE47,
            Self::Gemini => &GEMINI,
            Self::Llama => &LLAMA,
            Self::Mistral => &MISTRAL,
            Self::Qwen => &QWEN,
            Self::DeepSeek => &DEEPSEEK,
        }
    }
}

// In the order of `Item`: Latin words (4), numbers (3), blanks (2), line breaks (2), marks (3),
// words of other scripts (1), scripts (9), emoji, symbols, the rest.
#[rustfmt::skip]
const GPT: [u16; ITEMS] = [
    100, 112, 15, 78,
    0, 110, 150,
    43, 1,
    135, 5,
    42, 45, 7,
    58,
    20, 25, 25, 27, 33, 49, 48, 66, 74,
    164, 78, 300,
];
#[rustfmt::skip]
const CLAUDE: [u16; ITEMS] = [
    118, 121, 18, 246,
    0, 113, 99,
    6, 2,
    165, 6,
    84, 30, 6,
    137,
    37, 67, 95, 94, 202, 178, 88, 95, 104,
    227, 89, 300,
];
#[rustfmt::skip]
const CLAUDE47: [u16; ITEMS] = [
    165, 169, 25, 344,
    0, 113, 99,
    6, 2,
    165, 6,
    84, 30, 6,
    137,
    37, 67, 95, 94, 202, 178, 88, 95, 104,
    227, 89, 300,
];
#[rustfmt::skip]
const GEMINI: [u16; ITEMS] = [
    101, 87, 10, 82,
    69, 68, 150,
    46, 3,
    150, 5,
    89, 20, 8,
    67,
    16, 31, 22, 15, 20, 36, 40, 37, 57,
    96, 108, 300,
];
#[rustfmt::skip]
const LLAMA: [u16; ITEMS] = [
    105, 119, 19, 120,
    0, 110, 150,
    30, 1,
    150, 5,
    34, 44, 5,
    83,
    19, 92, 26, 40, 153, 55, 40, 58, 78,
    234, 53, 300,
];
#[rustfmt::skip]
const MISTRAL: [u16; ITEMS] = [
    103, 119, 15, 98,
    72, 71, 150,
    49, 1,
    150, 5,
    44, 47, 13,
    67,
    22, 35, 26, 30, 40, 53, 34, 55, 89,
    348, 68, 300,
];
#[rustfmt::skip]
const QWEN: [u16; ITEMS] = [
    104, 98, 18, 134,
    70, 78, 150,
    29, 1,
    150, 5,
    36, 41, 6,
    110,
    20, 8, 48, 81, 119, 63, 38, 54, 57,
    118, 73, 300,
];
#[rustfmt::skip]
const DEEPSEEK: [u16; ITEMS] = [
    101, 118, 17, 160,
    0, 106, 148,
    10, 2,
    150, 5,
    58, 45, 7,
    73,
    21, 32, 34, 51, 45, 45, 50, 57, 50,
    172, 80, 300,
];
