//! Chunks of a reply, as a stream gives them: those of one id are one message.

use std::borrow::Cow;
use std::collections::BTreeMap;

use session_log::{Json, Message};

use crate::formats::langchain::encoding::{self, Unwrapped};
use crate::formats::langchain::message_in::{self, INVALID};
use crate::formats::langchain::sums::{Adder, How, List, Object, Sum};
use crate::json::{self, Kind, Members, Raw, array};
use crate::note::Note;

/// The chunks of a message as they were, each behind the number of its record.
const CHUNKS: &str = "@chunks";

/// The pieces of calls.
const PIECES: &str = "tool_call_chunks";

/// Chunks with nothing else between them; those of several replies may be mixed.
#[derive(Default)]
pub(super) struct Stretch<'a> {
    replies: Vec<Reply<'a>>,
    places: BTreeMap<String, usize>,
}

/// Chunks of one id.
pub(super) struct Reply<'a> {
    pub(super) id: String,
    /// Where the first of them came from.
    pub(super) note: Note,
    chunks: Vec<(u64, Raw<'a>)>,
}

impl<'a> Stretch<'a> {
    pub(super) fn add(&mut self, id: &str, note: Note, raw: Raw<'a>) {
        let chunk = (note.record, raw);
        let at = self.places.get(id).copied();
        if let Some(reply) = at.and_then(|at| self.replies.get_mut(at)) {
            return reply.chunks.push(chunk);
        }
        self.places.insert(id.into(), self.replies.len());
        self.replies.push(Reply {
            id: id.into(),
            note,
            chunks: vec![chunk],
        });
    }

    /// The replies, in the order in which they began.
    pub(super) fn into_replies(self) -> Vec<Reply<'a>> {
        self.replies
    }
}

impl Reply<'_> {
    /// The message they come to, and how many values could not be added.
    pub(super) fn message(&self) -> Option<(Message, usize)> {
        whole(&self.chunks)
    }
}

/// The chunks of a message that is still what they come to, each with the number of its record.
pub(super) fn records(message: &Message) -> Option<Vec<(u64, String)>> {
    let items = Raw::parse(message.extra.get(CHUNKS)?.as_str())?.items()?;
    let chunks: Option<Vec<(u64, Raw<'_>)>> = items.into_iter().map(numbered).collect();
    let chunks = chunks?;
    let (was, _) = whole(&chunks)?;
    let texts = chunks
        .iter()
        .map(|(number, raw)| (*number, raw.text().to_owned()));
    (was == *message).then(|| texts.collect())
}

fn numbered(raw: Raw<'_>) -> Option<(u64, Raw<'_>)> {
    let [number, chunk] = raw.items()?.try_into().ok()?;
    Some((number.text().parse().ok()?, chunk))
}

fn whole(chunks: &[(u64, Raw<'_>)]) -> Option<(Message, usize)> {
    let (mut message, differing) = match chunks {
        [(_, chunk)] => (message_in::message(encoding::unwrap(*chunk)?), 0),
        chunks => added(chunks)?,
    };
    let marked = chunks
        .iter()
        .map(|(number, raw)| format!("[{number},{}]", raw.text()));
    let marked = Json::new(array(marked)).ok()?;
    message.extra.insert(CHUNKS.into(), marked);
    Some((message, differing))
}

fn added(chunks: &[(u64, Raw<'_>)]) -> Option<(Message, usize)> {
    let mut adder = Adder::default();
    let mut fields = Object::default();
    let mut content = Sum::Raw(Raw::trusted("null"));
    let mut pieces = List::default();
    let mut encoding = None;
    for (_, raw) in chunks {
        let unwrapped = encoding::unwrap(*raw)?;
        encoding.get_or_insert(unwrapped.encoding);
        for (name, value) in unwrapped.fields.into_pairs() {
            let how = match &*name {
                "content" => {
                    adder.content(&mut content, value);
                    continue;
                }
                PIECES => {
                    let items = value.items();
                    adder.differing += usize::from(items.is_none() && !value.is_null());
                    for piece in items.unwrap_or_default() {
                        adder.item(&mut pieces, piece);
                    }
                    continue;
                }
                "usage_metadata" => How::Counts,
                "response_metadata" => How::Facts,
                "additional_kwargs" | "tool_calls" | INVALID => How::Pieces,
                "type" => continue,
                _ => How::Same,
            };
            adder.member(&mut fields, &name, value, how);
        }
    }
    let calls = Calls::of(&pieces);
    let mut whole = json::Object::new();
    whole.raw("content", &content.to_text()).str("type", "ai");
    if !(calls.read.is_empty() && calls.unread.is_empty()) {
        whole
            .raw("tool_calls", &array(&calls.read))
            .raw(INVALID, &array(&calls.unread));
    }
    if !calls.nameless.is_empty() {
        whole.raw(PIECES, &array(&calls.nameless));
    }
    for (name, sum) in fields.iter() {
        whole.raw(name, &sum.to_text());
    }
    let whole = whole.finish();
    let message = message_in::message(Unwrapped {
        encoding: encoding?,
        kind: "ai".into(),
        is_chunk: false,
        fields: Raw::parse(&whole)?.members()?,
        outer: None,
    });
    Some((message, adder.differing + calls.nameless.len()))
}

/// Calls put together from their pieces, as JSON.
#[derive(Default)]
struct Calls {
    read: Vec<String>,
    /// Those whose arguments are no object.
    unread: Vec<String>,
    /// Pieces of calls that have no name, and so are none.
    nameless: Vec<String>,
}

impl Calls {
    fn of(pieces: &List<'_>) -> Self {
        let mut calls = Self::default();
        for text in pieces.texts() {
            let members = Raw::parse(&text).and_then(Raw::members).unwrap_or_default();
            calls.add(&members, &text);
        }
        calls
    }

    fn add(&mut self, members: &Members<'_>, text: &str) {
        let Some(name) = members.peek_str("name").filter(|name| !name.is_empty()) else {
            return self.nameless.push(text.into());
        };
        let args = members.peek("args").filter(|args| !args.is_null());
        let said = args.map(|args| args.as_str().unwrap_or(Cow::Borrowed(args.text())));
        let said = said.unwrap_or_default();
        let is_object = |raw: &Raw<'_>| raw.kind() == Kind::Object;
        let mut call = json::Object::new();
        call.str("name", &name);
        let read = match said.is_empty() {
            true => Some("{}"),
            false => Raw::parse(&said).filter(is_object).map(Raw::text),
        };
        match read {
            Some(args) => call.raw("args", args),
            None => call.str("args", &said),
        };
        call.raw("id", members.peek("id").map_or("null", Raw::text));
        match read {
            Some(_) => self.read.push(kind(call, "tool_call")),
            None => self.unread.push(kind(call, "invalid_tool_call")),
        }
    }
}

fn kind(mut call: json::Object, kind: &str) -> String {
    call.str("type", kind);
    call.finish()
}
