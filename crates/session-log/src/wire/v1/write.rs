//! From domain types to records. Texts are borrowed.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{
    ArgumentsRecord, BodyRecord, BoundaryRecord, CallRecord, CoveredRecord, CustomRecord,
    EventRecord, FieldsRecord, MAX_NESTING, MediaKindRecord, MediaRecord, MessageRecord,
    OpaqueRecord, OriginRecord, PartRecord, PinRecord, ReasoningRecord, ReceiptRecord,
    ResultRecord, RevertRecord, RoleRecord, ShapeRecord, SizeRecord, SourceRecord, SummaryOfRecord,
    SummaryRecord, TextRecord, TokensRecord, VERSION,
};
use crate::boundary::{Boundary, Covered, Receipt, Size, SummaryReceipt};
use crate::branch::Branch;
use crate::event::{EventBody, NewEvent, Origin};
use crate::ids::{EventId, Seq};
use crate::json::Fields;
use crate::message::{Message, Role, Shape};
use crate::part::{Arguments, Media, MediaKind, MediaSource, Part, Reasoning, Text, ToolResult};
use crate::wire::WireError;

pub(super) fn event(event: &NewEvent) -> Result<EventRecord<'_>, WireError> {
    Ok(EventRecord {
        v: VERSION,
        id: Cow::Borrowed(event.id.as_str()),
        at: event.timestamp.as_millis(),
        origin: origin(&event.origin),
        branch: event.branch.as_ref().map(Branch::as_str).map(Cow::Borrowed),
        metadata: fields(&event.metadata),
        tokens: event.tokens.as_ref().map(|tokens| TokensRecord {
            estimator: Cow::Borrowed(&tokens.estimator),
            count: tokens.tokens,
        }),
        body: body(&event.body)?,
    })
}

pub(super) fn fields(fields: &Fields) -> FieldsRecord<'_> {
    fields
        .iter()
        .map(|(name, json)| (Cow::Borrowed(name.as_str()), Cow::Borrowed(json.as_str())))
        .collect()
}

fn origin(origin: &Origin) -> Option<OriginRecord<'_>> {
    match origin {
        Origin::Real => None,
        Origin::Injected => Some(OriginRecord::Injected),
        Origin::Summary { boundary } => Some(OriginRecord::Summary(SummaryOfRecord {
            boundary: boundary.as_ref().map(EventId::as_str).map(Cow::Borrowed),
        })),
    }
}

fn body(body: &EventBody) -> Result<BodyRecord<'_>, WireError> {
    Ok(match body {
        EventBody::Message(said) => BodyRecord::Message(message(said)?),
        EventBody::Compaction(drawn) => BodyRecord::Compaction(Box::new(boundary(drawn))),
        EventBody::Pin(pin) => BodyRecord::Pin(PinRecord {
            of: pin.of.as_u64(),
            held: pin.is_held,
        }),
        EventBody::Revert(revert) => BodyRecord::Revert(RevertRecord {
            of: revert.of.as_u64(),
        }),
        EventBody::Custom {
            event_type,
            payload,
        } => BodyRecord::Custom(CustomRecord {
            r#type: Cow::Borrowed(event_type.as_str()),
            payload: Cow::Borrowed(payload.as_str()),
        }),
    })
}

fn message(message: &Message) -> Result<MessageRecord<'_>, WireError> {
    Ok(MessageRecord {
        role: role(&message.role),
        parts: parts(&message.parts, 0)?,
        name: message.name.as_deref().map(Cow::Borrowed),
        shape: shape(message.shape),
        extra: fields(&message.extra),
    })
}

fn role(role: &Role) -> RoleRecord<'_> {
    match role {
        Role::System => RoleRecord::System,
        Role::Developer => RoleRecord::Developer,
        Role::User => RoleRecord::User,
        Role::Assistant => RoleRecord::Assistant,
        Role::Tool => RoleRecord::Tool,
        Role::Other(name) => RoleRecord::Other(Cow::Borrowed(name)),
    }
}

fn shape(shape: Shape) -> Option<ShapeRecord> {
    match shape {
        Shape::Parts => None,
        Shape::Text => Some(ShapeRecord::Text),
        Shape::Null => Some(ShapeRecord::Null),
        Shape::Absent => Some(ShapeRecord::Absent),
    }
}

fn parts(parts: &[Part], depth: usize) -> Result<Vec<PartRecord<'_>>, WireError> {
    if depth > MAX_NESTING {
        return Err(WireError::TooDeep { limit: MAX_NESTING });
    }
    parts.iter().map(|one| part(one, depth)).collect()
}

fn part(part: &Part, depth: usize) -> Result<PartRecord<'_>, WireError> {
    Ok(match part {
        Part::Text(said) => PartRecord::Text(text(said)),
        Part::Reasoning(thought) => PartRecord::Reasoning(reasoning(thought)),
        Part::ToolCall(call) => PartRecord::ToolCall(CallRecord {
            id: Cow::Borrowed(&call.id),
            name: Cow::Borrowed(&call.name),
            arguments: match &call.arguments {
                Arguments::Text(text) => ArgumentsRecord::Text(Cow::Borrowed(text)),
                Arguments::Value(json) => ArgumentsRecord::Value(Cow::Borrowed(json.as_str())),
            },
            extra: fields(&call.extra),
        }),
        Part::ToolResult(came) => PartRecord::ToolResult(result(came, depth)?),
        Part::Media(shown) => PartRecord::Media(media(shown)),
        Part::Refusal(said) => PartRecord::Refusal(text(said)),
        Part::Opaque(opaque) => PartRecord::Opaque(OpaqueRecord {
            format: Cow::Borrowed(&opaque.format),
            json: Cow::Borrowed(opaque.json.as_str()),
        }),
    })
}

fn text(text: &Text) -> TextRecord<'_> {
    TextRecord {
        text: Cow::Borrowed(&text.text),
        extra: fields(&text.extra),
    }
}

fn reasoning(reasoning: &Reasoning) -> ReasoningRecord<'_> {
    ReasoningRecord {
        text: reasoning.text.as_deref().map(Cow::Borrowed),
        signature: reasoning.signature.as_deref().map(Cow::Borrowed),
        encrypted: reasoning.encrypted.as_deref().map(Cow::Borrowed),
        extra: fields(&reasoning.extra),
    }
}

fn result(result: &ToolResult, depth: usize) -> Result<ResultRecord<'_>, WireError> {
    Ok(ResultRecord {
        call_id: Cow::Borrowed(&result.call_id),
        name: result.name.as_deref().map(Cow::Borrowed),
        parts: parts(&result.parts, depth.saturating_add(1))?,
        is_error: result.is_error,
        shape: shape(result.shape),
        extra: fields(&result.extra),
    })
}

fn media(media: &Media) -> MediaRecord<'_> {
    MediaRecord {
        kind: match media.kind {
            MediaKind::Image => MediaKindRecord::Image,
            MediaKind::Audio => MediaKindRecord::Audio,
            MediaKind::Video => MediaKindRecord::Video,
            MediaKind::File => MediaKindRecord::File,
        },
        media_type: media.media_type.as_deref().map(Cow::Borrowed),
        source: match &media.source {
            MediaSource::Base64(text) => SourceRecord::Base64(Cow::Borrowed(text)),
            MediaSource::Url(url) => SourceRecord::Url(Cow::Borrowed(url)),
            MediaSource::FileId(id) => SourceRecord::FileId(Cow::Borrowed(id)),
            MediaSource::Text(text) => SourceRecord::Text(Cow::Borrowed(text)),
        },
        name: media.name.as_deref().map(Cow::Borrowed),
        extra: fields(&media.extra),
    }
}

fn boundary(boundary: &Boundary) -> BoundaryRecord<'_> {
    let ids = boundary.summary.iter().map(EventId::as_str);
    BoundaryRecord {
        kept_from: boundary.kept_from.as_u64(),
        pinned: seqs(&boundary.pinned),
        superseded: seqs(&boundary.superseded),
        summary: ids.map(Cow::Borrowed).collect(),
        cleared: seqs(&boundary.cleared),
        held: seqs(&boundary.held),
        pins: seqs(&boundary.pins),
        receipt: receipt(&boundary.receipt),
    }
}

fn seqs(seqs: &[Seq]) -> Vec<u64> {
    seqs.iter().map(|seq| seq.as_u64()).collect()
}

fn receipt(receipt: &Receipt) -> ReceiptRecord<'_> {
    ReceiptRecord {
        trigger: Cow::Borrowed(receipt.trigger.as_str()),
        strategy: Cow::Borrowed(receipt.strategy.as_str()),
        estimator: Cow::Borrowed(&receipt.estimator),
        before: size(receipt.before),
        after: size(receipt.after),
        covered: covered(&receipt.covered),
        summary: receipt.summary.as_ref().map(summary),
        erasures: receipt.erasures,
    }
}

fn size(size: Size) -> SizeRecord {
    SizeRecord {
        events: size.events,
        turns: size.turns,
        tokens: size.tokens,
    }
}

fn covered(covered: &Covered) -> CoveredRecord<'_> {
    CoveredRecord {
        count: covered.count,
        first: covered.first.map(Seq::as_u64),
        last: covered.last.map(Seq::as_u64),
        digest: Cow::Borrowed(&covered.digest),
    }
}

fn summary(summary: &SummaryReceipt) -> SummaryRecord<'_> {
    SummaryRecord {
        model: Cow::Borrowed(&summary.model),
        input_tokens: summary.input_tokens,
        output_tokens: summary.output_tokens,
        duration_ms: summary.duration_ms,
        attempts: summary.attempts,
        retained_per_mille: summary.retained_per_mille,
    }
}
