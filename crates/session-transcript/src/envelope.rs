//! What stood around the messages of a conversation.

use std::fmt;

use session_log::{Fields, Json};

use crate::format::Format;
use crate::json::{Kind, Object, Raw, array, quote};

/// How a conversation was laid out in its file, so that it can be written in the same way.
///
/// An envelope is plain data: [`to_json`](Self::to_json) is meant to be kept in the metadata of
/// the session that the conversation is imported into.
///
/// ```
/// use session_transcript::{Envelope, Format};
///
/// let envelope = Envelope::new(Format::OpenAiChat);
/// assert_eq!(Envelope::from_json(&envelope.to_json()), Some(envelope));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Envelope {
    /// The format of the file.
    pub format: Format,
    /// How the messages were laid out.
    pub layout: Layout,
    /// What the format wants to remember of the whole conversation, by its own names.
    pub fields: Fields,
}

/// How messages are laid out in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// A bare array of messages.
    #[default]
    Messages,
    /// One record a line.
    Lines,
    /// Inside of an object, such as a request body.
    Framed(Frame),
}

impl Envelope {
    /// An envelope of `format` with its plainest layout.
    #[must_use]
    pub fn new(format: Format) -> Self {
        let layout = match format {
            Format::OpenAiChat
            | Format::OpenAiResponses
            | Format::Anthropic
            | Format::Gemini
            | Format::AiSdk
            | Format::LangChain
            | Format::Bedrock => Layout::Messages,
            _ => Layout::Lines,
        };
        Self {
            format,
            layout,
            fields: Fields::new(),
        }
    }

    pub(crate) fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// The envelope as one JSON value.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.str("format", self.format.name());
        match &self.layout {
            Layout::Messages => object.str("layout", "messages"),
            Layout::Lines => object.str("layout", "lines"),
            Layout::Framed(frame) => object.raw("layout", &frame.to_text()),
        };
        if !self.fields.is_empty() {
            let mut fields = Object::new();
            for (name, json) in &self.fields {
                fields.json(name, json);
            }
            object.raw("fields", &fields.finish());
        }
        object.into_json()
    }

    /// The envelope that [`to_json`](Self::to_json) wrote; `None` for any other value.
    #[must_use]
    pub fn from_json(json: &Json) -> Option<Self> {
        let mut members = Raw::parse(json.as_str())?.members()?;
        let format = members.take_str("format")?.parse().ok()?;
        let layout = members.take("layout")?;
        let layout = match layout.as_str().as_deref() {
            Some("messages") => Layout::Messages,
            Some("lines") => Layout::Lines,
            Some(_) => return None,
            None => Layout::Framed(Frame::from_raw(layout)?),
        };
        let fields = match members.take("fields") {
            Some(fields) => fields.members()?.into_fields(),
            None => Fields::new(),
        };
        Some(Self {
            format,
            layout,
            fields,
        })
    }
}

/// A JSON object with holes where the conversation stood.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame(Vec<Piece>);

#[derive(Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Hole(Hole),
}

/// What fits into a hole of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hole {
    /// The array of messages.
    Messages,
    /// The value of the `system` member.
    System,
    /// A whole `system` member with a comma after it, where there was none.
    SystemMember,
    /// The model's reply, one message.
    Reply,
    /// The model's reply, an array of records.
    Replies,
}

impl Hole {
    const ALL: [Self; 5] = [
        Self::Messages,
        Self::System,
        Self::SystemMember,
        Self::Reply,
        Self::Replies,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::System => "system",
            Self::SystemMember => "system-member",
            Self::Reply => "reply",
            Self::Replies => "replies",
        }
    }
}

impl Frame {
    /// Cuts holes into `text`; each is a slice of it, empty ones included.
    pub(crate) fn cut(text: &str, mut holes: Vec<(Hole, &str)>) -> Option<Self> {
        let start_of = |slice: &str| (slice.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
        holes.sort_by_key(|(_, slice)| slice.as_ptr() as usize);
        let mut pieces = Vec::new();
        let mut at = 0;
        for (hole, slice) in holes {
            let start = start_of(slice)?;
            pieces.push(Piece::Text(text.get(at..start)?.into()));
            pieces.push(Piece::Hole(hole));
            at = start + slice.len();
        }
        pieces.push(Piece::Text(text.get(at..)?.into()));
        Some(Self(pieces))
    }

    pub(crate) fn has(&self, hole: Hole) -> bool {
        self.0.contains(&Piece::Hole(hole))
    }

    /// The text with the holes filled.
    pub(crate) fn fill(&self, mut content: impl FnMut(Hole) -> String) -> String {
        let mut filled = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Hole(hole) => filled.push_str(&content(*hole)),
            }
        }
        filled
    }

    fn to_text(&self) -> String {
        array(self.0.iter().map(|piece| match piece {
            Piece::Text(text) => quote(text),
            Piece::Hole(hole) => array([quote(hole.name())]),
        }))
    }

    fn from_raw(raw: Raw<'_>) -> Option<Self> {
        let piece = |raw: Raw<'_>| match raw.kind() {
            Kind::String => Some(Piece::Text(raw.as_str()?.into_owned())),
            _ => {
                let name = raw.items()?.first()?.as_str()?;
                Hole::ALL
                    .into_iter()
                    .find(|hole| hole.name() == name)
                    .map(Piece::Hole)
            }
        };
        raw.items()?
            .into_iter()
            .map(piece)
            .collect::<Option<Vec<_>>>()
            .map(Self)
    }
}

impl fmt::Debug for Frame {
    /// Names the holes, never what stands around them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let holes = self.0.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Hole(hole) => Some(hole.name()),
        });
        f.debug_list().entries(holes).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_filled_with_what_was_cut_out_is_the_text_again() {
        let text = r#"{"model":"m","system":"s","messages":[1, 2],"n":1}"#;
        let members = Raw::parse(text).unwrap().members().unwrap();
        let system = members.peek("system").unwrap().text();
        let messages = members.peek("messages").unwrap().text();
        let frame = Frame::cut(
            text,
            vec![(Hole::Messages, messages), (Hole::System, system)],
        )
        .unwrap();
        let filled = frame.fill(|hole| match hole {
            Hole::Messages => messages.into(),
            _ => system.into(),
        });
        assert_eq!(filled, text);

        let envelope = Envelope::new(Format::Anthropic).with_layout(Layout::Framed(frame));
        assert_eq!(Envelope::from_json(&envelope.to_json()), Some(envelope));
    }

    #[test]
    fn what_is_no_envelope_is_none() {
        for text in [
            "null",
            "{}",
            r#"{"format":"x","layout":"lines"}"#,
            r#"{"format":"jsonl","layout":"x"}"#,
        ] {
            assert_eq!(
                Envelope::from_json(&Json::new(text).unwrap()),
                None,
                "{text}"
            );
        }
    }
}
