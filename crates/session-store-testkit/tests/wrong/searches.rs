//! Searches that look elsewhere, overlook, or imagine.

use std::sync::Arc;

use session_log::{Event, SessionId, Version};
use session_store::search::Matcher;
use session_store::{Hit, Scope, SearchQuery, SessionStore as _};

use crate::how::How;
use crate::store::Wrong;

impl Wrong {
    pub(crate) async fn scopes(&self, scope: &Scope) -> Vec<Scope> {
        let mut all = vec![scope.clone()];
        let Scope::Owner(owner) = scope else {
            return all;
        };
        for session in self.all().await {
            match (&session.owner, self.how) {
                (None, How::SearchesTheOwnerless) => all.push(Scope::Session(session.id)),
                (Some(other), How::SearchesOwnersWithoutCase)
                    if other != owner && other.to_lowercase() == owner.to_lowercase() =>
                {
                    all.push(Scope::Session(session.id));
                }
                _ => {}
            }
        }
        all
    }

    /// Whether a right hit is left out.
    pub(crate) async fn overlooks(&self, hit: &Hit, query: &SearchQuery) -> bool {
        let event = &hit.event;
        match self.how {
            How::FindsNoTombstone => {
                let memory = self.memory.lock().unwrap();
                let is_it = |(id, old): &(SessionId, Arc<Event>)| {
                    *id == hit.session && old.seq == event.seq
                };
                memory.erased.iter().any(is_it)
            }
            How::FoldsAsciiOnly => {
                let text = event.as_message().unwrap().text().to_ascii_lowercase();
                !query
                    .words
                    .iter()
                    .any(|it| text.contains(&it.to_ascii_lowercase()))
            }
            How::SearchesTheView => {
                let session = self.right.session(&hit.session).await.unwrap().unwrap();
                let mark = session.head.boundary;
                mark.is_some_and(|it| event.seq < it.kept_from)
            }
            How::FindsTheLastOneLater => {
                let session = self.right.session(&hit.session).await.unwrap().unwrap();
                Version::from(event.seq) == session.head.version
            }
            _ => false,
        }
    }

    /// What is found too much.
    pub(crate) async fn imagines(&self, scope: &Scope, query: &SearchQuery) -> Vec<Hit> {
        let Scope::Session(id) = scope else {
            return Vec::new();
        };
        let matcher = Matcher::new(query);
        let erased = self.memory.lock().unwrap().erased.clone();
        let is_pattern = query.words.iter().any(|word| word.contains('%'));
        match self.how {
            How::FindsTheErased => {
                let own = erased.iter().filter(|(session, _)| session == id);
                own.filter_map(|(_, event)| matcher.hit(id, event))
                    .collect()
            }
            How::TakesPercentForAPattern if is_pattern && query.after.is_none() => {
                let any = Matcher::new(&SearchQuery::new(["1000"]));
                let log = self.log(id).await;
                log.iter().filter_map(|event| any.hit(id, event)).collect()
            }
            _ => Vec::new(),
        }
    }
}
