//! The formats by name.

use std::fmt;
use std::str::FromStr;

use crate::formats;

/// A transcript format.
///
/// ```
/// use session_transcript::Format;
///
/// assert_eq!("claude-code".parse::<Format>().unwrap(), Format::ClaudeCode);
/// let error = "claude".parse::<Format>().unwrap_err();
/// assert!(error.to_string().contains("openai-chat, anthropic, claude-code"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// OpenAI Chat Completions: message arrays, request and response bodies, JSONL.
    OpenAiChat,
    /// OpenAI Responses: arrays of items, request and response bodies, JSONL.
    OpenAiResponses,
    /// Anthropic Messages: message arrays, request and response bodies, JSONL.
    Anthropic,
    /// Session files of Claude Code.
    ClaudeCode,
    /// Rollout files of Codex. Read only.
    Codex,
    /// Conversations as ChatGPT exports them. Read only.
    ChatGpt,
    /// Training sets in the shape of ShareGPT.
    ShareGpt,
    /// Sessions of pi and its relatives. Read only.
    Pi,
    /// Sessions as opencode exports them. Read only.
    OpenCode,
    /// Conversations as Claude.ai exports them. Read only.
    ClaudeAi,
    /// Sessions of Gemini CLI and Qwen Code (`gemini-cli`). Read only.
    GeminiCli,
    /// Gemini contents: request bodies, candidates, arrays, sessions of the agent kit.
    Gemini,
    /// Trajectories of SWE-agent (`swe-agent`). Read only.
    SweAgent,
    /// Events of OpenHands (`openhands`). Read only.
    OpenHands,
    /// Logs of evaluations by Inspect (`inspect`). Read only.
    Inspect,
    /// Messages of the Vercel AI SDK, of its screen and of its model (`vercel-ai`).
    AiSdk,
    /// Messages of LangChain and states of LangGraph.
    LangChain,
    /// ATIF trajectories of agents (`atif`).
    Atif,
    /// Messages of the Converse API of Bedrock.
    Bedrock,
    /// Sessions of goose. Read only.
    Goose,
    /// The chat history of aider. Read only.
    Aider,
    /// Messages of the GenAI conventions of OpenTelemetry (`otel-genai`).
    OtelGenAi,
    /// Event logs of Copilot CLI (`copilot-cli`). Read only.
    CopilotCli,
    /// Messages of Pydantic AI (`pydantic-ai`). Read only.
    PydanticAi,
    /// Our own: one event a line, nothing lost.
    Jsonl,
}

impl Format {
    /// All formats, in the order in which they are listed to people.
    pub const ALL: &'static [Self] = &[
        Self::OpenAiChat,
        Self::Anthropic,
        Self::ClaudeCode,
        Self::OpenAiResponses,
        Self::Gemini,
        Self::Bedrock,
        Self::Codex,
        Self::ChatGpt,
        Self::ShareGpt,
        Self::AiSdk,
        Self::LangChain,
        Self::OtelGenAi,
        Self::Pi,
        Self::OpenCode,
        Self::ClaudeAi,
        Self::GeminiCli,
        Self::SweAgent,
        Self::OpenHands,
        Self::Inspect,
        Self::Atif,
        Self::Goose,
        Self::Aider,
        Self::CopilotCli,
        Self::PydanticAi,
        Self::Jsonl,
    ];

    /// The name on the command line and in stored notes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::ChatGpt => "chatgpt",
            Self::ShareGpt => "sharegpt",
            Self::Pi => "pi",
            Self::OpenCode => "opencode",
            Self::ClaudeAi => "claude-ai",
            Self::Gemini => "gemini",
            Self::OtelGenAi => "otel-genai",
            Self::Bedrock => "bedrock",
            Self::LangChain => "langchain",
            Self::AiSdk => "vercel-ai",
            Self::GeminiCli => "gemini-cli",
            Self::SweAgent => "swe-agent",
            Self::OpenHands => "openhands",
            Self::Inspect => "inspect",
            Self::Atif => "atif",
            Self::Goose => "goose",
            Self::Aider => "aider",
            Self::CopilotCli => "copilot-cli",
            Self::PydanticAi => "pydantic-ai",
            Self::Jsonl => "jsonl",
        }
    }

    /// Whether [`write`](crate::write) can make it.
    #[must_use]
    pub fn can_write(self) -> bool {
        formats::codec(self).is_some_and(formats::Codec::can_write)
    }

    /// Whether [`view_as_request`](crate::view_as_request) can make it: whether a provider takes it.
    #[must_use]
    pub fn is_request(self) -> bool {
        matches!(
            self,
            Self::OpenAiChat
                | Self::OpenAiResponses
                | Self::Anthropic
                | Self::Gemini
                | Self::Bedrock
        )
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name is no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("unknown format `{name}`, expected one of {}", names())]
pub struct UnknownFormat {
    /// The name that was given.
    pub name: String,
}

fn names() -> String {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    names.join(", ")
}

impl FromStr for Format {
    type Err = UnknownFormat;

    /// Reads a name, whatever its case; `openai`, `chat`, `codex-rollout` and `chatgpt-export` style
    /// spellings, with `_` for `-` too, are understood.
    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let plain = name.trim().to_lowercase().replace('_', "-");
        let plain = match plain.as_str() {
            "openai" | "chat" | "openai-chat-completions" => "openai-chat",
            "gemini-contents" | "google" => "gemini",
            "ai-sdk" | "vercel" | "uimessage" => "vercel-ai",
            "langgraph" => "langchain",
            "bedrock-converse" | "converse" => "bedrock",
            "otel" | "opentelemetry" => "otel-genai",
            "responses" | "openai-items" => "openai-responses",
            "anthropic-messages" => "anthropic",
            "claude-code-jsonl" => "claude-code",
            "codex-rollout" | "codex-cli" => "codex",
            "chatgpt-export" | "chat-gpt" => "chatgpt",
            "claude.ai" | "claudeai" => "claude-ai",
            "cline" | "roo" | "roo-code" => "anthropic",
            "copilot" | "github-copilot-cli" => "copilot-cli",
            "inspect-ai" => "inspect",
            "mini-swe-agent" => "openai-chat",
            "open-code" => "opencode",
            "open-hands" => "openhands",
            "qwen" | "qwen-code" => "gemini-cli",
            "sweagent" => "swe-agent",
            other => other,
        };
        Self::ALL
            .iter()
            .copied()
            .find(|format| format.name() == plain)
            .ok_or_else(|| UnknownFormat { name: name.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name_and_has_a_reader() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(*format));
            assert!(formats::codec(*format).is_some(), "{format}");
        }
        assert_eq!(formats::CODECS.len(), Format::ALL.len());
    }

    #[test]
    fn programs_are_found_by_the_format_of_their_files() {
        for (name, format) in [
            ("Roo-Code", Format::Anthropic),
            ("mini_swe_agent", Format::OpenAiChat),
            ("qwen", Format::GeminiCli),
            ("Claude.ai", Format::ClaudeAi),
        ] {
            assert_eq!(name.parse(), Ok(format), "{name}");
        }
    }
}
