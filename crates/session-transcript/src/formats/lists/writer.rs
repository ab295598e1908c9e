//! Writes messages as records with a role and a list of parts.

use session_log::{Message, Part, Role, Shape, ToolCall, ToolResult};

use crate::call_ids::{CallIds, Fit};
use crate::envelope::Layout;
use crate::format::Format;
use crate::formats::lists::find::Containers;
use crate::formats::lists::frame::{Laid, as_body, lay_out};
use crate::formats::lists::turns::{Entry, Turn, Turns};
use crate::formats::style::Style;
use crate::json::Object;
use crate::lost::Lost;
use crate::note::Place;
use crate::repair::{Arranged, arrange};
use crate::write::{Draft, Repair, Written};

/// How a format writes its records and their parts, and what it remembers on the way.
pub(crate) trait Records: Default {
    /// The format.
    const FORMAT: Format;
    /// How its lists are called.
    const CONTAINERS: &'static Containers;
    /// The role of the model.
    const MODEL: &'static str;
    /// The role of messages of an unknown one, where they are written at all.
    const OTHER: Option<&'static str>;
    /// What is said of parts that have no place.
    const FOREIGN: &'static str;

    /// The ids that calls may have.
    fn fit(is_request: bool) -> Fit;

    /// The call under the id `id`, and what was done to its arguments.
    fn call(&mut self, call: &ToolCall, id: &str, style: Style) -> (String, Option<&'static str>);

    /// The result of the call with the id `id`.
    fn result(&mut self, result: &ToolResult, id: &str, style: Style) -> String;

    /// Any other part; `None` when this format has no place for it.
    fn part(part: &Part, style: Style) -> Option<String>;

    /// Whether a part that is kept unread is sent to the provider.
    fn is_sent(json: &str) -> bool;

    /// A system message that comes from the field beside the list of a file that is written again;
    /// `parts` are those that were written of it.
    fn own_system(&mut self, message: &Message, parts: &[String]);

    /// The value of the field for the system prompt; `parts` is `None` without any system message.
    fn system(self, parts: Option<Vec<String>>, is_exact: bool) -> Option<String>;

    /// Adds to the turn of a file that is written again what stood beside its parts.
    fn add_fields(turn: &mut Turn, message: &Message);

    /// The turn as a record.
    fn record(turn: &Turn) -> String;
}

/// Writes the draft in the layout it was read in, or as plainly as possible.
pub(crate) fn write<R: Records>(draft: &Draft<'_>) -> Written {
    let mut writer = Writer {
        records: R::default(),
        is_exact: draft.repair == Repair::Nothing,
        is_request: draft.is_request,
        system: None,
        turns: Turns::of(draft),
        ids: CallIds::of(draft, R::fit(draft.is_request)),
        lost: Lost::default(),
    };
    let mut warnings = Vec::new();
    for arranged in arrange(draft, &mut warnings) {
        writer.message(&arranged);
    }
    let (laid, lost) = writer.finish();
    warnings.extend(lost.into_warnings());
    let own = draft
        .envelope
        .filter(|envelope| envelope.format == R::FORMAT);
    let mut written = Written::new(match draft.is_request {
        true => as_body(&laid, R::CONTAINERS),
        false => {
            let layout = own.map_or(&Layout::Messages, |envelope| &envelope.layout);
            lay_out(layout, &laid, R::CONTAINERS)
        }
    });
    written.warnings = warnings;
    written
}

struct Writer<R> {
    records: R,
    is_exact: bool,
    is_request: bool,
    system: Option<Vec<String>>,
    turns: Turns,
    ids: CallIds,
    lost: Lost,
}

impl<R: Records> Writer<R> {
    fn message(&mut self, arranged: &Arranged<'_>) {
        let note = arranged.note.as_ref();
        let own_note = note.filter(|note| note.format == R::FORMAT);
        let style = Style {
            is_own: note.is_none() || own_note.is_some(),
            is_exact: self.is_exact,
        };
        let message = &*arranged.message;
        let is_field = note.is_none_or(|note| note.place == Place::System);
        let is_kept = style.is_own && style.is_exact;
        let role = match &message.role {
            Role::User | Role::Tool => Some("user"),
            Role::Assistant => Some(R::MODEL),
            role if role.is_system() && (is_field || !is_kept) => {
                return self.system(message, is_field, style);
            }
            role if role.is_system() => Some("system"),
            _ => R::OTHER.filter(|_| is_kept),
        };
        let Some(role) = role else {
            return self.lost.one("message(s) of an unknown role were left out");
        };
        let mut turn = Turn::new(role, own_note);
        let slots = own_note.and_then(|note| note.slots.as_deref());
        let slots = slots.unwrap_or_default();
        for (at, part) in message.parts.iter().enumerate() {
            if let Some(json) = self.part(part, style) {
                turn.entries.push(Entry {
                    json,
                    is_result: matches!(part, Part::ToolResult(_)),
                    slot: slots.get(at).copied(),
                });
            }
        }
        if turn.entries.is_empty() && !self.is_exact {
            let what = "message(s) with nothing this format can say were left out";
            return self.lost.one(what);
        }
        turn.is_absent = message.parts.is_empty() && message.shape == Shape::Absent;
        if style.is_own && !self.is_request {
            R::add_fields(&mut turn, message);
        }
        self.turns.push(turn);
    }

    fn system(&mut self, message: &Message, is_field: bool, style: Style) {
        let parts = message.parts.iter();
        let written: Vec<String> = parts.filter_map(|part| self.part(part, style)).collect();
        if is_field && style.is_own && !self.is_request {
            self.records.own_system(message, &written);
        }
        self.system.get_or_insert_default().extend(written);
    }

    fn part(&mut self, part: &Part, style: Style) -> Option<String> {
        match part {
            Part::ToolCall(call) => {
                let id = self.ids.call(&call.id);
                let (json, warning) = self.records.call(call, &id, style);
                if let Some(what) = warning {
                    self.lost.one(what);
                }
                Some(json)
            }
            Part::ToolResult(result) => {
                let id = self.ids.result(&result.call_id);
                Some(self.records.result(result, &id, style))
            }
            Part::Opaque(opaque) if self.is_request && !R::is_sent(opaque.json.as_str()) => {
                self.lost.one(R::FOREIGN);
                None
            }
            part => {
                let json = R::part(part, style);
                match part {
                    _ if json.is_some() => {}
                    Part::Text(_) => {}
                    Part::Reasoning(_) => {
                        let what = "reasoning part(s) of another format were left out";
                        self.lost.one(what);
                    }
                    _ => self.lost.one(R::FOREIGN),
                }
                json
            }
        }
    }

    fn finish(mut self) -> (Laid, Lost) {
        let (turns, is_put_first) = self
            .turns
            .finish(|| plain_text("(The conversation continues.)"));
        if is_put_first {
            self.lost.one(
                "user message(s) were put first, since the conversation starts with the model",
            );
        }
        let records = turns.iter().map(|turn| (turn.place, R::record(turn)));
        let laid = Laid {
            records: records.collect(),
            system: self.records.system(self.system, self.is_exact),
            text: None,
        };
        (laid, self.lost)
    }
}

/// A part that is a text and nothing else.
pub(crate) fn plain_text(text: &str) -> String {
    let mut object = Object::new();
    object.str("text", text);
    object.finish()
}
