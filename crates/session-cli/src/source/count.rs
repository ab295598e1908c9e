//! Counting the tokens of many events.

use session::{NewEvent, Sessions};
use session_log::{EventBody, TokenCount};

use crate::parallel;

/// Gives every message among `events` its token count.
pub(crate) fn count(sessions: &Sessions, events: &mut [NewEvent], is_long: bool) {
    parallel::each(events, "counting", is_long, |event| {
        if let EventBody::Message(message) = &event.body {
            event.tokens = Some(TokenCount::new(
                sessions.estimator(),
                sessions.tokens_of(message),
            ));
        }
    });
}
