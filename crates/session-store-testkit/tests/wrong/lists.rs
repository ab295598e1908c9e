//! Lists of sessions in another order, under other conditions, or from another place.

use session_log::Timestamp;
use session_store::{Direction, Page, Session, SessionMark, SessionQuery};

use crate::how::How;
use crate::store::Wrong;

impl Wrong {
    /// Sessions as a list by another order or other conditions has them, the whole list.
    pub(crate) async fn listed(&self, query: &SessionQuery) -> Vec<Session> {
        let mut all = self.all().await;
        let expiries = self.memory.lock().unwrap().expiries.clone();
        let mut asked = query.clone();
        match self.how {
            How::ListsWhatExpiresNow => {
                let before = query.expires_before.map(Timestamp::as_millis);
                let later = before.map(|it| Timestamp::from_millis(it.saturating_add(1)));
                asked.expires_before = later;
            }
            How::ComparesOwnersWithoutCase => asked.owner = None,
            How::ListsByTheFirstExpiry => asked.expires_before = None,
            _ => {}
        }
        all.retain(|session| asked.matches(session));
        if let (How::ComparesOwnersWithoutCase, Some(owner)) = (self.how, &query.owner) {
            let lower = |it: &String| it.to_lowercase() == owner.to_lowercase();
            all.retain(|session| session.owner.as_ref().is_some_and(lower));
        }
        if let (How::ListsByTheFirstExpiry, Some(before)) = (self.how, query.expires_before) {
            all.retain(|session| expiries[&session.id].is_some_and(|it| it < before));
        }
        let text = |session: &Session| session.id.as_str().to_owned();
        let letters = |it: String| it.replace(|c: char| c.is_ascii_punctuation() || c == ' ', "");
        let how = self.how;
        let key = move |session: &Session| match how {
            How::OrdersWithoutCase => text(session).to_lowercase().into_bytes(),
            How::OrdersWithoutPunctuation => letters(text(session)).into_bytes(),
            How::OrdersByUtf16 => {
                let units = text(session).encode_utf16().collect::<Vec<_>>();
                units.into_iter().flat_map(u16::to_be_bytes).collect()
            }
            _ => text(session).into_bytes(),
        };
        all.sort_by_key(|session| (session.created_at, key(session)));
        if query.direction == Direction::Backward {
            all.reverse();
        }
        all
    }

    /// Cuts a page out of the whole list, behind the place where the mark is.
    pub(crate) fn page(
        &self,
        all: Vec<Session>,
        query: &SessionQuery,
    ) -> Page<Session, SessionMark> {
        let place = query.after.as_ref().map(|mark| {
            let found = all.iter().position(|session| session.id == mark.id);
            match (found, self.how) {
                (Some(place), _) => place + 1,
                (None, How::BeginsAnewWhenTheMarkIsGone) => 0,
                (None, How::LosesTheListAtTheMark) => all.len(),
                (None, _) => {
                    let is_before = |it: &&Session| match query.direction {
                        Direction::Forward => SessionMark::of(it) < *mark,
                        Direction::Backward => SessionMark::of(it) > *mark,
                    };
                    all.iter().filter(is_before).count()
                }
            }
        });
        let rest = all.into_iter().skip(place.unwrap_or(0));
        let rest = rest.take(query.limit.saturating_add(1)).collect();
        Page::cut(rest, query.limit, SessionMark::of)
    }
}
