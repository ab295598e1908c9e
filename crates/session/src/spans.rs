//! What spans say, in the attribute names of OpenTelemetry's conventions for generative AI where
//! there is one. Ids, sizes and words of this library, never what people wrote.

use session_summarizer::Usage;
use tracing::Span;

use crate::report::Report;

/// Says on the current span how a pass ended.
pub(crate) fn record_report(report: &Report) {
    let span = Span::current();
    span.record("compaction.outcome", report.outcome.as_str());
    if let Some(reason) = report.reason() {
        span.record("compaction.reason", reason);
    }
    span.record("compaction.tokens.before", report.before.tokens);
    span.record("compaction.tokens.after", report.after.tokens);
    span.record("compaction.covered", report.covered.len());
}

/// Says on the current span what a summary cost.
pub(crate) fn record_usage(usage: Usage) {
    let span = Span::current();
    if let Some(tokens) = usage.input_tokens {
        span.record("gen_ai.usage.input_tokens", tokens);
    }
    if let Some(tokens) = usage.output_tokens {
        span.record("gen_ai.usage.output_tokens", tokens);
    }
}
