//! From records to domain types. Texts are moved, everything else is checked.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{
    ArgumentsRecord, BodyRecord, BoundaryRecord, CallRecord, CoveredRecord, EventRecord,
    FieldsRecord, MediaKindRecord, MediaRecord, MessageRecord, OriginRecord, PartRecord,
    ReasoningRecord, ReceiptRecord, ResultRecord, RoleRecord, ShapeRecord, SizeRecord,
    SourceRecord, Str, SummaryRecord, TextRecord,
};
use crate::boundary::{Boundary, Covered, Pin, Receipt, Revert, Size, SummaryReceipt};
use crate::branch::Branch;
use crate::event::{EventBody, NewEvent, Origin, TokenCount};
use crate::event_type::EventType;
use crate::ids::{EventId, Seq, Timestamp};
use crate::json::{Fields, Json};
use crate::message::{Message, Role, Shape};
use crate::part::{
    Arguments, Media, MediaKind, MediaSource, Opaque, Part, Reasoning, Text, ToolCall, ToolResult,
};
use crate::wire::WireError;

pub(super) fn event(record: EventRecord<'_>) -> Result<NewEvent, WireError> {
    let branch = record.branch.map(|path| {
        Branch::new(path.into_owned()).map_err(|_| WireError::OutOfRange { field: "branch" })
    });
    Ok(NewEvent {
        id: event_id("id", &record.id)?,
        timestamp: Timestamp::from_millis(record.at),
        origin: origin(record.origin)?,
        branch: branch.transpose()?,
        metadata: fields(record.metadata)?,
        tokens: record
            .tokens
            .map(|tokens| TokenCount::new(tokens.estimator, tokens.count)),
        body: body(record.body)?,
    })
}

pub(super) fn fields(record: FieldsRecord<'_>) -> Result<Fields, WireError> {
    // Most have none, and a map is not collected from nothing for free.
    if record.is_empty() {
        return Ok(Fields::new());
    }
    let entry = |(name, value): (Str<'_>, Str<'_>)| {
        let value = json(&name, value)?;
        Ok((name.into_owned(), value))
    };
    record.into_iter().map(entry).collect()
}

fn event_id(field: &'static str, text: &str) -> Result<EventId, WireError> {
    EventId::new(text).map_err(|source| WireError::Id { field, source })
}

fn seq(field: &'static str, number: u64) -> Result<Seq, WireError> {
    Seq::new(number).ok_or(WireError::OutOfRange { field })
}

fn json(name: &str, text: Str<'_>) -> Result<Json, WireError> {
    Json::new(text).map_err(|source| WireError::Json {
        name: name.into(),
        source,
    })
}

fn origin(record: Option<OriginRecord<'_>>) -> Result<Origin, WireError> {
    Ok(match record {
        None => Origin::Real,
        Some(OriginRecord::Injected) => Origin::Injected,
        Some(OriginRecord::Summary(of)) => Origin::Summary {
            boundary: of
                .boundary
                .map(|id| event_id("boundary id", &id))
                .transpose()?,
        },
    })
}

fn body(record: BodyRecord<'_>) -> Result<EventBody, WireError> {
    Ok(match record {
        BodyRecord::Message(record) => EventBody::Message(message(record)?),
        BodyRecord::Compaction(record) => EventBody::Compaction(Box::new(boundary(*record)?)),
        BodyRecord::Revert(record) => EventBody::Revert(Revert::new(seq("revert", record.of)?)),
        BodyRecord::Pin(record) => {
            let of = seq("pin", record.of)?;
            EventBody::Pin(if record.held {
                Pin::hold(of)
            } else {
                Pin::release(of)
            })
        }
        BodyRecord::Custom(record) => EventBody::Custom {
            event_type: EventType::new(&record.r#type).map_err(|_| WireError::OutOfRange {
                field: "event type",
            })?,
            payload: json("payload", record.payload)?,
        },
    })
}

fn message(record: MessageRecord<'_>) -> Result<Message, WireError> {
    let mut message = Message::new(role(record.role), parts(record.parts)?);
    message.name = record.name.map(Cow::into_owned);
    message.shape = shape(record.shape);
    message.extra = fields(record.extra)?;
    Ok(message)
}

fn role(record: RoleRecord<'_>) -> Role {
    match record {
        RoleRecord::System => Role::System,
        RoleRecord::Developer => Role::Developer,
        RoleRecord::User => Role::User,
        RoleRecord::Assistant => Role::Assistant,
        RoleRecord::Tool => Role::Tool,
        RoleRecord::Other(name) => Role::Other(name.into_owned()),
    }
}

fn shape(record: Option<ShapeRecord>) -> Shape {
    match record {
        None => Shape::Parts,
        Some(ShapeRecord::Text) => Shape::Text,
        Some(ShapeRecord::Null) => Shape::Null,
        Some(ShapeRecord::Absent) => Shape::Absent,
    }
}

fn parts(records: Vec<PartRecord<'_>>) -> Result<Vec<Part>, WireError> {
    records.into_iter().map(part).collect()
}

fn part(record: PartRecord<'_>) -> Result<Part, WireError> {
    Ok(match record {
        PartRecord::Text(record) => Part::Text(text(record)?),
        PartRecord::Reasoning(record) => Part::Reasoning(reasoning(record)?),
        PartRecord::ToolCall(record) => Part::ToolCall(call(record)?),
        PartRecord::ToolResult(record) => Part::ToolResult(result(record)?),
        PartRecord::Media(record) => Part::Media(media(record)?),
        PartRecord::Refusal(record) => Part::Refusal(text(record)?),
        PartRecord::Opaque(record) => {
            Part::Opaque(Opaque::new(record.format, json("opaque", record.json)?))
        }
    })
}

fn text(record: TextRecord<'_>) -> Result<Text, WireError> {
    let mut text = Text::new(record.text);
    text.extra = fields(record.extra)?;
    Ok(text)
}

fn reasoning(record: ReasoningRecord<'_>) -> Result<Reasoning, WireError> {
    Ok(Reasoning {
        text: record.text.map(Cow::into_owned),
        signature: record.signature.map(Cow::into_owned),
        encrypted: record.encrypted.map(Cow::into_owned),
        extra: fields(record.extra)?,
    })
}

fn call(record: CallRecord<'_>) -> Result<ToolCall, WireError> {
    let mut call = ToolCall::new(record.id, record.name, String::new());
    call.arguments = match record.arguments {
        ArgumentsRecord::Text(text) => Arguments::Text(text.into_owned()),
        ArgumentsRecord::Value(value) => Arguments::Value(json("arguments", value)?),
    };
    call.extra = fields(record.extra)?;
    Ok(call)
}

fn result(record: ResultRecord<'_>) -> Result<ToolResult, WireError> {
    let mut result = ToolResult::new(record.call_id, parts(record.parts)?);
    result.name = record.name.map(Cow::into_owned);
    result.is_error = record.is_error;
    result.shape = shape(record.shape);
    result.extra = fields(record.extra)?;
    Ok(result)
}

fn media(record: MediaRecord<'_>) -> Result<Media, WireError> {
    let kind = match record.kind {
        MediaKindRecord::Image => MediaKind::Image,
        MediaKindRecord::Audio => MediaKind::Audio,
        MediaKindRecord::Video => MediaKind::Video,
        MediaKindRecord::File => MediaKind::File,
    };
    let source = match record.source {
        SourceRecord::Base64(text) => MediaSource::Base64(text.into_owned()),
        SourceRecord::Url(url) => MediaSource::Url(url.into_owned()),
        SourceRecord::FileId(id) => MediaSource::FileId(id.into_owned()),
        SourceRecord::Text(text) => MediaSource::Text(text.into_owned()),
    };
    let mut media = Media::new(kind, source);
    media.media_type = record.media_type.map(Cow::into_owned);
    media.name = record.name.map(Cow::into_owned);
    media.extra = fields(record.extra)?;
    Ok(media)
}

fn boundary(record: BoundaryRecord<'_>) -> Result<Boundary, WireError> {
    let kept_from = seq("kept_from", record.kept_from)?;
    let mut boundary = Boundary::new(kept_from, receipt(record.receipt)?);
    boundary.pinned = seqs("pinned", &record.pinned)?;
    boundary.superseded = seqs("superseded", &record.superseded)?;
    boundary.cleared = seqs("cleared", &record.cleared)?;
    boundary.held = seqs("held", &record.held)?;
    boundary.pins = seqs("pins", &record.pins)?;
    let ids = record.summary.iter().map(|id| event_id("summary id", id));
    boundary.summary = ids.collect::<Result<_, _>>()?;
    Ok(boundary)
}

fn seqs(field: &'static str, numbers: &[u64]) -> Result<Vec<Seq>, WireError> {
    numbers.iter().map(|number| seq(field, *number)).collect()
}

fn receipt(record: ReceiptRecord<'_>) -> Result<Receipt, WireError> {
    let trigger = json("trigger", record.trigger)?;
    let strategy = json("strategy", record.strategy)?;
    let mut receipt = Receipt::new(trigger, strategy, record.estimator);
    receipt.before = size(&record.before);
    receipt.after = size(&record.after);
    receipt.covered = covered(record.covered)?;
    receipt.summary = record.summary.map(summary);
    receipt.erasures = record.erasures;
    Ok(receipt)
}

fn size(record: &SizeRecord) -> Size {
    Size::new(record.events, record.turns, record.tokens)
}

fn covered(record: CoveredRecord<'_>) -> Result<Covered, WireError> {
    let first = record.first.map(|first| seq("first covered", first));
    let last = record.last.map(|last| seq("last covered", last));
    Ok(Covered {
        count: record.count,
        first: first.transpose()?,
        last: last.transpose()?,
        digest: record.digest.into_owned(),
    })
}

fn summary(record: SummaryRecord<'_>) -> SummaryReceipt {
    let mut summary = SummaryReceipt::new(record.model);
    summary.input_tokens = record.input_tokens;
    summary.output_tokens = record.output_tokens;
    summary.duration_ms = record.duration_ms;
    summary.attempts = record.attempts;
    summary.retained_per_mille = record.retained_per_mille;
    summary
}
