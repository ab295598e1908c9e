//! The models that are known without being registered.
//!
//! Context windows and largest replies mostly as the model table of the Python package litellm gave
//! them in November 2026; check a number that matters. Where hosts offer different windows for one open model, the smaller common one is here.

use alloc::borrow::Cow;

use super::Model;

/// The models of the table.
///
/// The reserve is the largest reply, at most a third of the window, so that a model whose reply
/// may fill the window still has room for input. It is zero where the limit is on the input alone.
pub(super) fn models() -> impl Iterator<Item = Model> {
    MODELS.iter().flat_map(|&(names, limit, reply, estimator)| {
        names.iter().map(move |name| Model {
            name: Cow::Borrowed(name),
            limit,
            reserve_output: reply.min(limit / 3),
            estimator: Cow::Borrowed(estimator),
        })
    })
}

/// Beginnings of names, the window, the largest reply, and the estimator.
type Row = (&'static [&'static str], u64, u64, &'static str);

#[rustfmt::skip]
const MODELS: &[Row] = &[
    // OpenAI. The encoding of GPT-6 is not published; o200k_base is the nearest known.
    (&["gpt-6", "gpt-5.4", "gpt-5.5", "gpt-5.6"], 1_050_000, 128_000, "o200k_base"),
    (&["gpt-5", "gpt-5.4-mini", "gpt-5.4-nano"], 400_000, 128_000, "o200k_base"),
    (&["gpt-5.3-codex-spark"], 128_000, 128_000, "o200k_base"),
    (&["gpt-5-chat", "gpt-5.1-chat", "gpt-5.2-chat", "gpt-5.3-chat"], 128_000, 16_384, "o200k_base"),
    (&["gpt-4.1"], 1_047_576, 32_768, "o200k_base"),
    (&["gpt-4o", "chatgpt-4o", "gpt-4.5"], 128_000, 16_384, "o200k_base"),
    (&["gpt-4-turbo", "gpt-4-1106", "gpt-4-0125"], 128_000, 4_096, "cl100k_base"),
    (&["gpt-4-32k"], 32_768, 4_096, "cl100k_base"),
    (&["gpt-4"], 8_192, 4_096, "cl100k_base"),
    (&["gpt-3.5", "gpt-35-turbo"], 16_385, 4_096, "cl100k_base"),
    (&["gpt-oss"], 131_072, 65_536, "o200k_harmony"),
    (&["codex-mini"], 200_000, 100_000, "o200k_base"),
    (&["o1", "o3", "o4-mini"], 200_000, 100_000, "o200k_base"),
    (&["o1-mini"], 128_000, 65_536, "o200k_base"),
    (&["o1-preview"], 128_000, 32_768, "o200k_base"),
    (&["text-davinci-002", "text-davinci-003"], 4_097, 0, "p50k_base"),
    (&["davinci", "curie", "babbage", "ada"], 2_049, 0, "r50k_base"),
    (&["davinci-002", "babbage-002"], 16_384, 0, "cl100k_base"),
    (&["text-embedding-ada-002", "text-embedding-3"], 8_192, 0, "cl100k_base"),
    (&["gpt2", "gpt-2"], 1_024, 0, "r50k_base"),
    // Anthropic, with the dots of other hosts beside its own dashes.
    (&["claude-3"], 200_000, 8_192, "heuristic-claude"),
    (&["claude-3-7", "claude-3.7", "claude-sonnet-4", "claude-haiku-4", "claude-opus-4-5", "claude-opus-4.5"], 200_000, 64_000, "heuristic-claude"),
    (&["claude-opus-4"], 200_000, 32_000, "heuristic-claude"),
    (&["claude-sonnet-4-6", "claude-sonnet-4.6", "claude-opus-4-6", "claude-opus-4.6"], 1_000_000, 128_000, "heuristic-claude"),
    (&["claude-opus-4-7", "claude-opus-4.7", "claude-opus-4-8", "claude-opus-4.8", "claude-opus-5", "claude-sonnet-5", "claude-haiku-5",
       "claude-fable-5", "claude-mythos"], 1_000_000, 128_000, "heuristic-claude-4.7"),
    // Google. The limit is on the input alone, except Gemma's.
    (&["gemini-1.5-pro"], 2_097_152, 0, "heuristic-gemini"),
    (&["gemini-1.5-flash", "gemini-2", "gemini-3", "gemini-4", "gemini-flash", "gemini-pro"], 1_048_576, 0, "heuristic-gemini"),
    (&["gemma-3", "gemma3"], 131_072, 8_192, "heuristic-gemini"),
    (&["gemma-2", "gemma2"], 8_192, 8_192, "heuristic-gemini"),
    // Meta
    (&["llama-3.1", "llama-3.2", "llama-3.3", "llama3.1", "llama3.2", "llama3.3", "llama3-1", "llama3-2", "llama3-3", "meta-llama-3.1"], 131_072, 8_192, "heuristic-llama"),
    (&["llama-3", "llama3", "meta-llama-3"], 8_192, 4_096, "heuristic-llama"),
    (&["llama-2", "llama2"], 4_096, 2_048, "heuristic-llama"),
    (&["llama-4", "llama4"], 1_000_000, 8_192, "heuristic-llama"),
    // Mistral
    (&["mistral-large", "mistral-medium"], 131_072, 8_192, "heuristic-mistral"),
    (&["mistral-large-2512", "mistral-large-3", "mistral-large-latest", "mistral-medium-3", "mistral-medium-latest",
       "mistral-small-latest", "mistral-small-2603", "magistral", "devstral"], 262_144, 32_768, "heuristic-mistral"),
    (&["mistral-large-4"], 1_048_576, 32_768, "heuristic-mistral"),
    (&["mistral-small", "open-mistral-7b", "mistral-tiny"], 32_000, 8_191, "heuristic-mistral"),
    (&["codestral", "open-mistral-nemo", "mistral-nemo", "pixtral", "ministral"], 128_000, 8_192, "heuristic-mistral"),
    // Alibaba
    (&["qwen2.5", "qwen-2.5", "qwen-max"], 32_768, 8_192, "heuristic-qwen"),
    (&["qwen3", "qwen-3", "qwen-plus", "qwen-turbo"], 131_072, 16_384, "heuristic-qwen"),
    (&["qwen3-coder", "qwen3-max", "qwen3-next"], 262_144, 65_536, "heuristic-qwen"),
    (&["qwen3.5", "qwen3.7", "qwen3.8", "qwen-flash"], 991_808, 32_768, "heuristic-qwen"),
    // DeepSeek
    (&["deepseek-v3", "deepseek-r1"], 65_536, 8_192, "heuristic-deepseek"),
    (&["deepseek-v3.2"], 163_840, 65_536, "heuristic-deepseek"),
    (&["deepseek-chat", "deepseek-reasoner"], 131_072, 8_192, "heuristic-deepseek"),
    (&["deepseek-v4"], 1_000_000, 393_216, "heuristic-deepseek"),
    // Others, with tokenizers of their own: the general heuristic.
    (&["grok-3"], 131_072, 16_384, "heuristic"),
    (&["grok-4", "grok-code"], 256_000, 32_768, "heuristic"),
    (&["kimi-k2"], 262_144, 32_768, "heuristic"),
    (&["glm-4.5"], 128_000, 32_000, "heuristic"),
    (&["glm-4.6", "glm-4.7", "glm-5"], 200_000, 128_000, "heuristic"),
    (&["command-r"], 128_000, 4_096, "heuristic"),
    (&["command-a"], 256_000, 8_000, "heuristic"),
];
