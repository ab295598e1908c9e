//! What a request costs besides the text of its messages.

use compaction_core::TokenEstimator;

/// Tokens that a chat format puts around messages.
///
/// ```
/// use compaction_tokens::Framing;
///
/// assert_eq!(Framing::OPENAI_CHAT.tokens(10), 33);
/// assert_eq!(Framing::NONE.tokens(10), 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "settings, made by update of a constant"
)]
pub struct Framing {
    /// Tokens around each message: its role and its start and end marks.
    pub per_message: u64,
    /// Tokens that open the reply.
    pub reply: u64,
}

impl Framing {
    /// No framing at all: the text alone is counted. The default.
    pub const NONE: Self = Self {
        per_message: 0,
        reply: 0,
    };

    /// Three tokens a message and three for the reply, as OpenAI's cookbook counts chat requests
    /// from GPT-3.5 Turbo to GPT-4o. Newer models are not documented; the difference is small.
    pub const OPENAI_CHAT: Self = Self {
        per_message: 3,
        reply: 3,
    };

    /// The framing of a request with this many messages.
    pub const fn tokens(&self, messages: u64) -> u64 {
        self.per_message
            .saturating_mul(messages)
            .saturating_add(self.reply)
    }
}

/// A tool as it is described to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the three things a provider is told of a tool"
)]
pub struct ToolSchema<'a> {
    /// The name the model calls it by.
    pub name: &'a str,
    /// What it is for.
    pub description: &'a str,
    /// The JSON schema of its arguments, as text.
    pub parameters: &'a str,
}

/// The tokens of a list of tools, which providers add to every request.
///
/// Counts names, descriptions and schemas without their white space, and [`TOOL_OVERHEAD`] a tool.
/// Providers rewrite schemas in ways they do not publish, so this is a guess, and rather too much
/// where they are rewritten into something shorter than JSON. Anthropic also adds a system prompt
/// for tools, of a few hundred tokens by its documentation, which is not counted here.
///
/// ```
/// use compaction_tokens::{Bytes4, ToolSchema, tool_schemas};
///
/// let search = ToolSchema {
///     name: "search",
///     description: "Searches the log.",
///     parameters: r#"{ "type": "object", "properties": { "words": { "type": "string" } } }"#,
/// };
/// assert_eq!(tool_schemas(&Bytes4, &[search]), 29);
/// assert_eq!(tool_schemas(&Bytes4, &[]), 0);
/// ```
pub fn tool_schemas(estimator: &(impl TokenEstimator + ?Sized), tools: &[ToolSchema<'_>]) -> u64 {
    let cost = |tool: &ToolSchema<'_>| {
        let ToolSchema {
            name,
            description,
            parameters,
        } = tool;
        let text = format!("{name}: {description}\n{}", compact_json(parameters));
        estimator.estimate(&text).saturating_add(TOOL_OVERHEAD)
    };
    tools.iter().map(cost).fold(0, u64::saturating_add)
}

/// Tokens around one tool, as OpenAI's cookbook counts functions for GPT-4o (7), rounded up.
pub const TOOL_OVERHEAD: u64 = 8;

/// JSON without the white space between its parts. Other text only loses white space.
fn compact_json(text: &str) -> String {
    let mut compact = String::with_capacity(text.len());
    let mut in_string = false;
    let mut escaped = false;
    for c in text.chars() {
        if !in_string && c.is_ascii_whitespace() {
            continue;
        }
        compact.push(c);
        let quote = c == '"' && !escaped;
        escaped = in_string && c == '\\' && !escaped;
        in_string ^= quote;
    }
    compact
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_stays_inside_strings_only() {
        assert_eq!(
            compact_json(" { \"a b\" :\n [ 1 , 2 ] } "),
            r#"{"a b":[1,2]}"#
        );
        assert_eq!(
            compact_json(r#"{"a \" b": "c \\" , "d": 1}"#),
            r#"{"a \" b":"c \\","d":1}"#
        );
        assert_eq!(compact_json(r#"{"open "#), r#"{"open "#);
        assert_eq!(compact_json(""), "");
    }

    #[test]
    fn framing_of_the_largest_request_overflows_nothing() {
        assert_eq!(Framing::OPENAI_CHAT.tokens(u64::MAX), u64::MAX);
    }
}
