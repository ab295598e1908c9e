//! Events that say more, or something else, than when they were imported.
//!
//! Other tools write a message to their file while the model still speaks. Who imports such a file
//! and imports it again later finds a message that has grown.

use std::collections::HashMap;
use std::sync::Arc;

use session::{Event, EventId, NewEvent};
use session_log::EventBody;

/// Events as they may be appended to a log that has some of them.
#[derive(Debug, Default)]
pub(crate) struct Reconciled {
    pub(crate) events: Vec<NewEvent>,
    /// How many say something else than the stored ones, which stay.
    pub(crate) changed: usize,
}

/// Makes `events` say nothing that contradicts `log`: of a message that has grown only the rest is
/// left, as a message of its own; one that has changed is left out.
pub(crate) fn reconcile(events: Vec<NewEvent>, log: &[Arc<Event>]) -> Reconciled {
    let stored: HashMap<&EventId, &Event> = log.iter().map(|event| (&event.id, &**event)).collect();
    let mut reconciled = Reconciled::default();
    for mut event in events {
        loop {
            let Some(known) = stored.get(&event.id) else {
                reconciled.events.push(event);
                break;
            };
            if known.says_the_same_as(&event) {
                break;
            }
            match rest(known, &event) {
                Some(rest) => event = rest,
                None => {
                    reconciled.changed += 1;
                    break;
                }
            }
        }
    }
    reconciled
}

/// What `new` says beyond `known`, if it begins with all that `known` says.
fn rest(known: &Event, new: &NewEvent) -> Option<NewEvent> {
    let (EventBody::Message(old), EventBody::Message(message)) = (&known.body, &new.body) else {
        return None;
    };
    let count = old.parts.len();
    let begins_alike = message.parts.get(..count)? == old.parts.as_slice();
    if !begins_alike || message.parts.len() == count || message.role != old.role {
        return None;
    }
    let mut message = message.clone();
    message.parts.drain(..count);
    let mut rest = new.clone();
    rest.id = EventId::new(format!("{}+{count}", new.id)).ok()?;
    rest.body = EventBody::Message(message);
    // Notes on how the whole message was written do not fit a part of it, nor does its count.
    rest.metadata.clear();
    rest.tokens = None;
    Some(rest)
}

#[cfg(test)]
mod tests {
    use session::{Message, Role, Seq, Timestamp};
    use session_log::Part;

    use super::*;

    fn event(id: &str, texts: &[&str]) -> NewEvent {
        let parts = texts.iter().map(|text| Part::text(*text)).collect();
        let message = Message::new(Role::Assistant, parts);
        NewEvent::message(EventId::new(id).unwrap(), Timestamp::default(), message)
    }

    fn log(events: &[NewEvent]) -> Vec<Arc<Event>> {
        let seqs = (1..).filter_map(Seq::new);
        events
            .iter()
            .zip(seqs)
            .map(|(event, seq)| Arc::new(event.clone().at(seq)))
            .collect()
    }

    fn said(reconciled: &Reconciled) -> Vec<(&str, String)> {
        let text = |event: &NewEvent| match &event.body {
            EventBody::Message(message) => message.text().into_owned(),
            _ => String::new(),
        };
        reconciled
            .events
            .iter()
            .map(|event| (event.id.as_str(), text(event)))
            .collect()
    }

    #[test]
    fn of_a_grown_message_only_the_rest_is_new_however_often_it_grows() {
        let once = reconcile(vec![event("e", &["a", "b"])], &log(&[event("e", &["a"])]));
        assert_eq!(said(&once), [("e+1", "b".into())]);
        let stored = log(&[event("e", &["a"]), event("e+1", &["b"])]);
        assert_eq!(said(&reconcile(vec![event("e", &["a", "b"])], &stored)), []);
        let twice = reconcile(vec![event("e", &["a", "b", "c"])], &stored);
        assert_eq!(said(&twice), [("e+1+1", "c".into())]);
        assert_eq!(twice.changed, 0);
    }

    #[test]
    fn a_changed_message_is_left_out_and_counted() {
        let reconciled = reconcile(
            vec![event("e", &["x", "b"]), event("f", &["new"])],
            &log(&[event("e", &["a"])]),
        );
        assert_eq!(said(&reconciled), [("f", "new".into())]);
        assert_eq!(reconciled.changed, 1);
    }
}
