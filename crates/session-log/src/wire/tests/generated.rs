//! Any event at all comes back as it was.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof, proptest};

use crate::wire;
use crate::{
    Arguments, Boundary, Branch, EventBody, EventId, EventType, Fields, Json, Media, MediaKind,
    MediaSource, Message, NewEvent, Opaque, Origin, Part, Pin, Reasoning, Receipt, Revert, Role,
    Seq, Shape, Size, SummaryReceipt, Text, Timestamp, TokenCount, ToolCall, ToolResult,
};

proptest! {
    #[test]
    fn any_event_comes_back_as_it_was(event in events()) {
        let record = wire::encode(&event).unwrap();
        assert!(!record.contains('\n') && !record.contains('\0'));
        assert_eq!(wire::decode(&record).unwrap(), event);
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}", cut in 0_usize..400, event in events()) {
        let _ = wire::decode(&text);
        let record = wire::encode(&event).unwrap();
        let spliced: String = record.chars().take(cut).chain(text.chars()).collect();
        let _ = wire::decode(&spliced);
    }
}

fn texts() -> BoxedStrategy<String> {
    prop_oneof![
        ".{0,12}",
        Just(String::from("a\0b \u{FFFD}\u{2028} 😀 \"\\")),
        Just(String::new()),
    ]
    .boxed()
}

fn jsons() -> BoxedStrategy<Json> {
    prop_oneof![
        Just("null"),
        Just("1.0"),
        Just("1e400"),
        Just(" { \"b\" : [1 , 2], \"a\": \"\\ud800\" } "),
        Just("\"\\u0000\""),
    ]
    .prop_map(|text| Json::new(text).unwrap())
    .boxed()
}

fn fields() -> BoxedStrategy<Fields> {
    btree_map(texts(), jsons(), 0..3).boxed()
}

fn seqs() -> BoxedStrategy<Seq> {
    prop_oneof![1..1000_u64, Just(u64::MAX)]
        .prop_map(|number| Seq::new(number).unwrap())
        .boxed()
}

fn event_ids() -> BoxedStrategy<EventId> {
    "[a-z0-9/:é-]{1,20}"
        .prop_map(|text| EventId::new(text).unwrap())
        .boxed()
}

fn shapes() -> BoxedStrategy<Shape> {
    prop_oneof![
        Just(Shape::Parts),
        Just(Shape::Text),
        Just(Shape::Null),
        Just(Shape::Absent)
    ]
    .boxed()
}

fn roles() -> BoxedStrategy<Role> {
    prop_oneof![
        Just(Role::System),
        Just(Role::Developer),
        Just(Role::User),
        Just(Role::Assistant),
        Just(Role::Tool),
        texts().prop_map(Role::Other),
    ]
    .boxed()
}

fn plain_texts() -> BoxedStrategy<Text> {
    (texts(), fields())
        .prop_map(|(text, extra)| {
            let mut part = Text::new(text);
            part.extra = extra;
            part
        })
        .boxed()
}

fn parts() -> BoxedStrategy<Part> {
    flat_parts()
        .prop_recursive(4, 16, 3, |inner| {
            let result = (texts(), vec(inner, 0..3), option::of(texts()));
            let rest = (option::of(any::<bool>()), shapes(), fields());
            (result, rest).prop_map(|((call_id, parts, name), (is_error, shape, extra))| {
                let mut result = ToolResult::new(call_id, parts);
                result.name = name;
                result.is_error = is_error;
                result.shape = shape;
                result.extra = extra;
                Part::ToolResult(result)
            })
        })
        .boxed()
}

fn flat_parts() -> BoxedStrategy<Part> {
    let optional = || option::of(texts());
    prop_oneof![
        plain_texts().prop_map(Part::Text),
        plain_texts().prop_map(Part::Refusal),
        (optional(), optional(), optional(), fields()).prop_map(
            |(text, signature, encrypted, extra)| {
                Part::Reasoning(Reasoning {
                    text,
                    signature,
                    encrypted,
                    extra,
                })
            }
        ),
        (texts(), texts(), arguments(), fields()).prop_map(|(id, name, arguments, extra)| {
            let mut call = ToolCall::new(id, name, "");
            call.arguments = arguments;
            call.extra = extra;
            Part::ToolCall(call)
        }),
        (media_kinds(), sources(), optional(), optional(), fields()).prop_map(
            |(kind, source, media_type, name, extra)| {
                let mut media = Media::new(kind, source);
                media.media_type = media_type;
                media.name = name;
                media.extra = extra;
                Part::Media(media)
            }
        ),
        (texts(), jsons()).prop_map(|(format, json)| Part::Opaque(Opaque::new(format, json))),
    ]
    .boxed()
}

fn arguments() -> BoxedStrategy<Arguments> {
    prop_oneof![
        texts().prop_map(Arguments::Text),
        jsons().prop_map(Arguments::Value)
    ]
    .boxed()
}

fn media_kinds() -> BoxedStrategy<MediaKind> {
    prop_oneof![
        Just(MediaKind::Image),
        Just(MediaKind::Audio),
        Just(MediaKind::Video),
        Just(MediaKind::File)
    ]
    .boxed()
}

fn sources() -> BoxedStrategy<MediaSource> {
    prop_oneof![
        texts().prop_map(MediaSource::Base64),
        texts().prop_map(MediaSource::Url),
        texts().prop_map(MediaSource::FileId),
        texts().prop_map(MediaSource::Text),
    ]
    .boxed()
}

fn messages() -> BoxedStrategy<Message> {
    let optional = option::of(texts());
    (roles(), vec(parts(), 0..4), optional, shapes(), fields())
        .prop_map(|(role, parts, name, shape, extra)| {
            let mut message = Message::new(role, parts);
            message.name = name;
            message.shape = shape;
            message.extra = extra;
            message
        })
        .boxed()
}

fn sizes() -> BoxedStrategy<Size> {
    any::<(u64, u64, u64)>()
        .prop_map(|(events, turns, tokens)| Size::new(events, turns, tokens))
        .boxed()
}

fn summaries() -> BoxedStrategy<SummaryReceipt> {
    (texts(), any::<[Option<u64>; 3]>(), any::<u64>())
        .prop_map(|(model, numbers, attempts)| {
            let mut summary = SummaryReceipt::new(model);
            [
                summary.input_tokens,
                summary.output_tokens,
                summary.duration_ms,
            ] = numbers;
            summary.attempts = attempts;
            summary.retained_per_mille = numbers[0].and_then(|number| u32::try_from(number).ok());
            summary
        })
        .boxed()
}

fn receipts() -> BoxedStrategy<Receipt> {
    let named = (jsons(), jsons(), texts());
    let covered = (
        any::<u64>(),
        option::of(seqs()),
        option::of(seqs()),
        texts(),
    );
    (named, sizes(), sizes(), covered, option::of(summaries()))
        .prop_map(
            |((trigger, strategy, estimator), before, after, covered, summary)| {
                let mut receipt = Receipt::new(trigger, strategy, estimator);
                receipt.before = before;
                receipt.after = after;
                (
                    receipt.covered.count,
                    receipt.covered.first,
                    receipt.covered.last,
                    receipt.covered.digest,
                ) = covered;
                receipt.summary = summary;
                receipt.erasures = receipt.covered.count;
                receipt
            },
        )
        .boxed()
}

fn boundaries() -> BoxedStrategy<Boundary> {
    let lists = (vec(seqs(), 0..4), vec(seqs(), 0..4), vec(seqs(), 0..4));
    (seqs(), receipts(), lists, vec(event_ids(), 0..3))
        .prop_map(
            |(kept_from, receipt, (pinned, superseded, cleared), summary)| {
                let mut boundary = Boundary::new(kept_from, receipt);
                boundary.pinned = pinned;
                boundary.superseded = superseded;
                boundary.pins = cleared.clone();
                boundary.held = cleared.clone();
                boundary.cleared = cleared;
                boundary.summary = summary;
                boundary
            },
        )
        .boxed()
}

fn bodies() -> BoxedStrategy<EventBody> {
    prop_oneof![
        4 => messages().prop_map(EventBody::Message),
        1 => boundaries().prop_map(|boundary| EventBody::Compaction(Box::new(boundary))),
        1 => seqs().prop_map(|of| EventBody::Revert(Revert::new(of))),
        1 => seqs().prop_map(|of| EventBody::Pin(Pin::hold(of))),
        1 => seqs().prop_map(|of| EventBody::Pin(Pin::release(of))),
        1 => ("[A-Z][A-Z0-9_.]{0,63}", jsons()).prop_map(|(name, payload)| EventBody::Custom {
            event_type: EventType::new(&name).unwrap(),
            payload,
        }),
    ]
    .boxed()
}

fn origins() -> BoxedStrategy<Origin> {
    prop_oneof![
        Just(Origin::Real),
        Just(Origin::Injected),
        option::of(event_ids()).prop_map(|boundary| Origin::Summary { boundary }),
    ]
    .boxed()
}

fn branches() -> BoxedStrategy<Branch> {
    vec("[a-z_0-9\0é]{1,5}", 1..4)
        .prop_map(|path: Vec<String>| Branch::new(path.join(".")).unwrap())
        .boxed()
}

fn events() -> BoxedStrategy<NewEvent> {
    let tokens = (texts(), any::<u64>());
    let beside = (
        origins(),
        option::of(branches()),
        fields(),
        option::of(tokens),
    );
    (event_ids(), any::<i64>(), bodies(), beside)
        .prop_map(|(id, at, body, (origin, branch, metadata, tokens))| {
            let mut event = NewEvent::new(id, Timestamp::from_millis(at), body);
            event.origin = origin;
            event.branch = branch;
            event.metadata = metadata;
            event.tokens = tokens.map(|(estimator, tokens)| TokenCount::new(estimator, tokens));
            event
        })
        .boxed()
}
