//! Inputs that are too long: how providers say so, and the limit they name.

use super::body::ErrorBody;

/// An input that does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Overflow {
    /// The most tokens of input, as far as it is told.
    pub(super) limit: Option<u64>,
}

/// What every provider's wording has a piece of. Most answer with the status and type of any bad
/// request, so that only the words tell.
const PHRASES: &[&str] = &[
    "maximum context length",
    "context size",
    "context length",
    "context window",
    "context limit",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input too long",
    "input token count",
    "number of tokens allowed",
    "max_new_tokens` must be <=",
    "request too large",
];

/// What is said of a rate as well: "Too many tokens, please wait before trying again."
const AMBIGUOUS: &[&str] = &["too many tokens"];

/// Whether the input does not fit.
pub(super) fn of(status: Option<u16>, body: &ErrorBody) -> Option<Overflow> {
    let words = [
        "context_length_exceeded",
        "exceed_context_size_error",
        "string_above_max_length",
        "request_too_large",
    ];
    let is_bytes = status == Some(413);
    let is_rate = status == Some(429) || body.says(&["please wait"]);
    let is_said = body.says(PHRASES) || (!is_rate && body.says(AMBIGUOUS));
    if !is_bytes && (is_output_limit(body) || !(body.has_word(&words) || is_said)) {
        return None;
    }
    Some(Overflow {
        limit: body.context.or_else(|| limit(&body.lower)),
    })
}

/// Whether what may be written is more than the model can write, whatever the input.
pub(super) fn is_output_limit(body: &ErrorBody) -> bool {
    body.says(&[
        "allowed number of output tokens",
        "completion tokens, whereas you",
        "max_tokens is too large",
        "max_completion_tokens is too large",
        "max_output_tokens is too large",
    ])
}

/// The most tokens of input that a message names. Where it names the whole context and what of it
/// may be written, what is left is the limit, and zero when nothing worth it is left.
fn limit(message: &str) -> Option<u64> {
    // "input length and `max_tokens` exceed context limit: 189136 + 20000 > 200000"
    if let Some((before, after)) = message.split_once(" + ")
        && before.ends_with(|c: char| c.is_ascii_digit())
        && let Some((written, after)) = after.split_once(" > ")
    {
        return Some(rest(number_at(after)?, number_at(written)?));
    }
    // "prompt is too long: 208656 tokens > 200000 maximum"
    if let Some((_, after)) = message.split_once(" tokens > ") {
        return number_at(after);
    }
    let named = [
        "maximum context length is ",
        "available context size (",
        "tokens allowed (",
        "must be <= ",
        "limit ",
        "limit of ",
        "limit is ",
        "context window of ",
        "context length of ",
    ];
    let context = named.iter().find_map(|phrase| {
        let mut hits = message.split(phrase).skip(1);
        hits.find_map(number_at)
    })?;
    // "you requested 5000 tokens (1000 in the messages, 4000 in the completion)"
    let completion = || {
        let mut ends = [" in the completion", " in the output"].iter();
        let (before, _) = ends.find_map(|end| message.split_once(end))?;
        number_at(before.rsplit([' ', '(']).next()?)
    };
    // "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum …"
    let too_large = || number_at(message.split_once("is too large: ")?.1);
    let written = completion().or_else(too_large).unwrap_or(0);
    Some(rest(context, written))
}

/// What a context leaves for input when so much may be written. Less than a quarter is none: the
/// input is not what is too long.
fn rest(context: u64, written: u64) -> u64 {
    let rest = context.saturating_sub(written);
    if rest < context / 4 { 0 } else { rest }
}

/// The number that a text begins with; thousands may be set off.
fn number_at(text: &str) -> Option<u64> {
    let digits: String = text
        .chars()
        .take_while(|c| c.is_ascii_digit() || matches!(c, ',' | '_'))
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, message: &str) -> Option<Overflow> {
        let body = serde_json::json!({ "error": { "message": message } });
        of(
            Some(status),
            &ErrorBody::of_bytes(body.to_string().as_bytes()),
        )
    }

    #[test]
    fn the_limit_is_read_from_each_wording() {
        let cases = [
            (
                "This model's maximum context length is 8192 tokens. However, your messages \
                 resulted in 9000 tokens.",
                Some(8_192),
            ),
            (
                "This model's maximum context length is 4097 tokens. However, you requested 5000 \
                 tokens (3000 in the messages, 2000 in the completion).",
                Some(2_097),
            ),
            (
                "This model's maximum context length is 4096 tokens. However, you requested 5000 \
                 tokens (1000 in the messages, 4000 in the completion).",
                Some(0),
            ),
            (
                "This endpoint's maximum context length is 262000 tokens. However, you requested \
                 about 263390 tokens (658 of text input, 732 of tool input, 262000 in the output).",
                Some(0),
            ),
            (
                "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum \
                 context length is 8192 tokens and your request has 6000 input tokens (4096 > \
                 8192 - 6000).",
                Some(4_096),
            ),
            (
                "request (1020 tokens) exceeds the available context size (512 tokens), try \
                 increasing it",
                Some(512),
            ),
            (
                "prompt is too long: 208656 tokens > 200000 maximum",
                Some(200_000),
            ),
            (
                "input length and `max_tokens` exceed context limit: 189136 + 20000 > 200000, \
                 decrease input length or `max_tokens` and try again",
                Some(180_000),
            ),
            (
                "The input token count (1200293) exceeds the maximum number of tokens allowed \
                 (1048576).",
                Some(1_048_576),
            ),
            (
                "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.",
                Some(4_096),
            ),
            (
                "Request too large for m-1 on tokens per min (TPM): Limit 10,000, Requested 12000.",
                Some(10_000),
            ),
            ("Your input exceeds the context window of this model.", None),
            (
                "the prompt is longer than the context length currently available to the model",
                None,
            ),
        ];
        for (message, expected) in cases {
            let overflow = read(400, message);
            assert_eq!(overflow, Some(Overflow { limit: expected }), "{message}");
        }
    }

    #[test]
    fn a_body_that_is_too_large_in_bytes_names_no_limit() {
        assert_eq!(read(413, ""), Some(Overflow { limit: None }));
    }

    /// Bedrock says of a rate that there are too many tokens, and the input was cut for nothing.
    #[test]
    fn too_many_tokens_a_minute_are_no_too_long_input() {
        let rate = "Too many tokens, please wait before trying again.";
        assert_eq!(read(429, rate), None);
        assert_eq!(read(400, rate), None);
        assert_eq!(read(429, "Too many tokens"), None);
        let input = read(400, "Too many tokens: 9000");
        assert_eq!(input, Some(Overflow { limit: None }));
    }

    #[test]
    fn too_large_an_output_limit_is_no_too_long_input() {
        let messages = [
            "max_tokens: 21333 > 4096, which is the maximum allowed number of output tokens for c",
            "max_tokens is too large: 40000. This model supports at most 16384 completion tokens, \
             whereas you provided 40000.",
            "'messages' is required",
        ];
        for message in messages {
            assert_eq!(read(400, message), None, "{message}");
        }
    }
}
