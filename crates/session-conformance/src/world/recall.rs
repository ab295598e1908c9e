//! Looking: at views, for words, at lists.

use serde_json::{Value, json};
use session_store::{Branches, Keywords, Reach, Scope, SearchQuery, SessionQuery};

use super::{Runs, World, wait};
use crate::case::Search;
use crate::failure::Failure;

impl World {
    /// Reads the view; a refusal is kept as an error.
    pub(super) fn view(
        &mut self,
        branch: Option<&str>,
        session: Option<&str>,
        user: Option<&str>,
    ) -> Runs<()> {
        let sessions = self.in_name_of(user);
        let id = self.named(session)?;
        if let Some(branch) = branch {
            return self.view_of_branch(branch);
        }
        let view = wait(sessions.view(&id));
        self.note(view.map(|_| ()));
        Ok(())
    }

    /// What a branch sees of the view: what the root said, its ancestors and it itself.
    pub(crate) fn view_of_branch(&mut self, branch: &str) -> Runs<()> {
        let branch = session_log::Branch::new(branch).map_err(|error| error.to_string())?;
        let branches = Branches::VisibleTo(branch);
        match wait(self.sessions.view(&self.session)) {
            Ok(view) => {
                let seen = view.events().iter();
                let seen = seen.filter(|event| branches.accepts(event.branch.as_ref()));
                let ids: Vec<&str> = seen.map(|event| event.id.as_str()).collect();
                self.facts.insert("view", json!(ids));
            }
            Err(error) => self.failures.push(Failure::of(&error)),
        }
        Ok(())
    }

    /// Looks for keywords in the session, or in all sessions of a user.
    pub(super) fn search(&mut self, search: &Search, user: Option<&str>) -> Runs<()> {
        let scope = match user {
            Some(user) => Scope::Owner(user.into()),
            None => Scope::Session(self.session.clone()),
        };
        if let Some(found) = self.find(search, &scope) {
            self.facts.insert("found", found);
        }
        Ok(())
    }

    /// The ids that a search finds.
    pub(crate) fn find(&mut self, search: &Search, scope: &Scope) -> Option<Value> {
        let mut query = SearchQuery::new(search.words.iter().cloned())
            .with_keywords(match search.is_all {
                true => Keywords::All,
                false => Keywords::Any,
            })
            .with_reach(Reach::TextAndTools);
        query = query.with_roles(search.roles.iter().cloned());
        query.since = search.since;
        if let Some(limit) = search.limit {
            query = query.with_limit(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        let mut pages_before = search.page;
        let mut ids: Vec<String> = Vec::new();
        loop {
            let page = match scope {
                Scope::Owner(owner) => wait(self.sessions.search_owner(owner, &query)),
                _ => wait(self.sessions.search(&self.session, &query)),
            };
            let page = match page {
                Ok(page) => page,
                Err(error) => {
                    self.failures.push(Failure::of(&error));
                    return None;
                }
            };
            let is_before = search.limit.is_some() && pages_before > 0;
            if !is_before {
                ids.extend(page.items.iter().map(|hit| hit.event.id.as_str().into()));
            }
            match page.next {
                Some(mark) if search.limit.is_none() || is_before => query.after = Some(mark),
                _ => return Some(json!(ids)),
            }
            pages_before = pages_before.saturating_sub(1);
        }
    }

    pub(super) fn list(&mut self, user: Option<&str>) -> Runs<()> {
        let page = wait(self.in_name_of(user).list(&SessionQuery::all()));
        match page {
            Ok(page) => {
                let ids: Vec<&str> = page.items.iter().map(|it| it.id.as_str()).collect();
                self.facts.insert("listed", json!(ids));
            }
            Err(error) => self.failures.push(Failure::of(&error)),
        }
        Ok(())
    }
}
