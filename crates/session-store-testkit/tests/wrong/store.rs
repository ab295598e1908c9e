//! The wrong stores: the one in memory with one thing changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use session_log::{Event, EventBody, Json, Message, Part, Seq, SessionId, Timestamp, Version};
use session_store::{
    Appended, Batch, BoundaryMark, Counters, Created, Direction, EventQuery, Expected, Head, Hit,
    HitMark, NewSession, Order, Page, Reach, Recount, Scope, SearchQuery, Session, SessionMark,
    SessionPatch, SessionQuery, SessionStore, SessionStoreExt as _, StoreError,
};
use session_store_memory::MemoryStore;
use session_store_testkit::make::sid;

use crate::how::How;

#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) right: MemoryStore,
    pub(crate) how: How,
    pub(crate) memory: Mutex<Memory>,
}

/// What a wrong store remembers or forgets at the wrong time.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) expiries: BTreeMap<SessionId, Option<Timestamp>>,
    taken: BTreeSet<String>,
    logs: BTreeMap<SessionId, Vec<Arc<Event>>>,
    pub(crate) erased: Vec<(SessionId, Arc<Event>)>,
}

impl Wrong {
    pub(crate) fn new(how: How) -> Self {
        let (right, memory) = (MemoryStore::new(), Mutex::default());
        Self { right, how, memory }
    }

    fn is(&self, how: How) -> bool {
        self.how == how
    }

    fn id(&self, id: &SessionId) -> SessionId {
        if self.is(How::KnowsSessionsWithoutCase) {
            return sid(&id.as_str().to_lowercase());
        }
        id.clone()
    }

    fn note_expiry(&self, new: &NewSession) {
        let mut memory = self.memory.lock().unwrap();
        let noted = memory.expiries.entry(new.id.clone());
        noted.or_insert(new.expires_at);
    }

    pub(crate) async fn log(&self, id: &SessionId) -> Vec<Arc<Event>> {
        self.right.read_all(id, EventQuery::all()).await.unwrap()
    }

    pub(crate) async fn all(&self) -> Vec<Session> {
        self.right.all_sessions(SessionQuery::all()).await.unwrap()
    }

    async fn forget(&self, id: &SessionId, keeps_ids: bool) {
        let log = self.log(id).await;
        let mut memory = self.memory.lock().unwrap();
        if keeps_ids {
            let ids = log.iter().map(|event| event.id.to_string());
            memory.taken.extend(ids);
        }
        if self.is(How::KeepsTheLogOfTheDeleted) && !log.is_empty() {
            memory.logs.insert(id.clone(), log);
        }
    }

    /// What the session looks like from outside.
    async fn seen(&self, mut session: Session) -> Session {
        let log = self.log(&session.id).await;
        let head = &mut session.head;
        match self.how {
            How::NamesTheNewestBoundary => {
                head.boundary = log.iter().rev().find_map(|event| BoundaryMark::of(event));
            }
            How::NamesNoBoundary => head.boundary = None,
            How::KeepsNoCounters => head.counters = None,
            How::CutsLargeSums => {
                let tokens = head.counters.as_mut().and_then(|it| it.tokens.as_mut());
                if let Some(tokens) = tokens {
                    tokens.tokens = tokens.tokens.min(i64::MAX.unsigned_abs() / 2);
                }
            }
            How::ErasesOnce => head.erasures = head.erasures.min(2),
            _ => {}
        }
        session
    }
}

fn without_nul(message: &mut Message) {
    for part in &mut message.parts {
        if let Part::Text(text) = part
            && let Some((before, _)) = text.text.split_once('\0')
        {
            text.text = before.into();
        }
    }
}

#[async_trait]
impl SessionStore for Wrong {
    async fn create(&self, mut new: NewSession) -> Result<Created, StoreError> {
        new.id = self.id(&new.id);
        match self.how {
            How::MakesItAgain => drop(self.right.delete(&new.id).await),
            How::KeepsSeconds => {
                let seconds = new.created_at.as_millis() / 1_000;
                new.created_at = Timestamp::from_millis(seconds * 1_000);
            }
            How::TakesNoOwnerForEmpty => new.owner = new.owner.filter(|owner| !owner.is_empty()),
            How::TrimsOwners => new.owner = new.owner.map(|owner| owner.trim().to_owned()),
            How::LosesMetadata => new.metadata.clear(),
            How::KeepsAHundredAttributes => {
                while new.attributes.len() > 100 {
                    new.attributes.pop_last();
                }
            }
            _ => {}
        }
        self.note_expiry(&new);
        match self.right.create(new.clone()).await? {
            Created::Exists(_) if self.is(How::AnswersWithWhatWasHandedIn) => {
                Ok(Created::Exists(new.into_stored()))
            }
            created => Ok(created),
        }
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        let id = self.id(id);
        if self.is(How::MakesWhatIsLookedAt) {
            let new = NewSession::new(id.clone(), Timestamp::from_millis(0));
            let _ = self.right.create(new).await?;
        }
        match self.right.session(&id).await? {
            Some(session) => Ok(Some(self.seen(session).await)),
            None => Ok(None),
        }
    }

    async fn sessions(
        &self,
        query: &SessionQuery,
    ) -> Result<Page<Session, SessionMark>, StoreError> {
        if !self.is(How::AnswersSenselessQueries) {
            query.check()?;
        }
        let listed = self.listed(query).await;
        Ok(self.page(listed, query))
    }

    async fn update(&self, id: &SessionId, mut patch: SessionPatch) -> Result<Session, StoreError> {
        let id = self.id(id);
        if let (How::MergesAttributes, Some(attributes)) = (self.how, &mut patch.attributes)
            && let Some(session) = self.right.session(&id).await?
        {
            for (name, value) in session.attributes {
                attributes.entry(name).or_insert(value);
            }
        }
        if self.is(How::ForgetsExpiryInUpdates) {
            patch.expires_at.get_or_insert(None);
        }
        let session = self.right.update(&id, patch).await?;
        Ok(self.seen(session).await)
    }

    async fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        let id = self.id(id);
        self.forget(&id, self.is(How::KeepsIdsOfTheDeleted)).await;
        for session in self.all().await {
            let is_child = session.parent.as_ref() == Some(&id);
            let is_longer = session.id.as_str().starts_with(id.as_str());
            if (is_child && self.is(How::DeletesChildren))
                || (is_longer && self.is(How::DeletesByPrefix))
            {
                self.right.delete(&session.id).await?;
            }
        }
        let was_there = self.right.delete(&id).await?;
        Ok(was_there || self.is(How::DeletesTheUnknown) || self.is(How::DeletesByPrefix))
    }

    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError> {
        let later = Timestamp::from_millis(before.as_millis().saturating_add(1));
        let mut count = 0;
        for session in self.all().await {
            let is_meant = match (session.expires_at, self.how) {
                (None, How::SweepsWhatNeverExpires) => before.as_millis() > 150,
                (Some(at), How::SweepsWhatExpiresNow) => at < later,
                (Some(at), _) => at < before,
                (None, _) => false,
            };
            if is_meant {
                self.forget(&session.id, self.is(How::KeepsIdsOfTheSwept))
                    .await;
                let was_there = self.right.delete(&session.id).await?;
                let prefix = session.id.as_str();
                if self.is(How::DeletesByPrefix) {
                    for other in self.all().await {
                        if other.id.as_str().starts_with(prefix) {
                            self.right.delete(&other.id).await?;
                        }
                    }
                }
                count += u64::from(was_there);
            }
        }
        if self.is(How::CountsOneTooMany) {
            return Ok(count + u64::from(count > 0));
        }
        Ok(count)
    }

    async fn append(
        &self,
        id: &SessionId,
        mut expected: Expected,
        mut batch: Batch,
    ) -> Result<Appended, StoreError> {
        let id = &self.id(id);
        let version = self.right.head(id).await?.map(|head| head.version);
        let is_ahead = matches!(expected, Expected::Exact(it) if Some(it) > version);
        let is_wrong = matches!(expected, Expected::Exact(it) if Some(it) != version);
        let actual = version.unwrap_or(Version::EMPTY);
        let known: BTreeSet<_> = self.log(id).await.iter().map(|it| it.id.clone()).collect();
        let is_retry = batch.events.iter().all(|event| known.contains(&event.id));
        match self.how {
            How::MakesWhatIsAppendedTo => {
                let new = NewSession::new(id.clone(), Timestamp::from_millis(0));
                let _ = self.right.create(new).await?;
            }
            How::SaysConflictOfTheUnknown
                if version.is_none() && is_wrong && expected != Expected::Exact(actual) =>
            {
                return Ok(Appended::Conflict { actual });
            }
            How::AllowsLaterVersions if is_ahead => expected = Expected::Any,
            How::ChecksNoEmptyBatch if batch.events.is_empty() => expected = Expected::Any,
            How::TakesCountersWithoutEvents if is_retry && !is_wrong => {
                if let Some(counters) = batch.counters.clone() {
                    let recount = Recount::default().with_counters(counters);
                    self.right.recount(id, actual, recount).await?;
                }
            }
            How::RefusesRetries if is_wrong && version.is_some() => {
                return Ok(Appended::Conflict { actual });
            }
            How::AnswersConflictBeforeClash if is_wrong && !is_retry => {
                return Ok(Appended::Conflict { actual });
            }
            How::CutsAtNul => {
                for event in &mut batch.events {
                    if let EventBody::Message(message) = &mut event.body {
                        without_nul(message);
                    }
                }
            }
            How::WritesJsonAnew => {
                for event in &mut batch.events {
                    for value in event.metadata.values_mut() {
                        *value = Json::new(value.to_value().unwrap().to_string()).unwrap();
                    }
                    if let EventBody::Custom { payload, .. } = &mut event.body {
                        *payload = Json::new(payload.to_value().unwrap().to_string()).unwrap();
                    }
                }
            }
            How::LeavesOutWhatItCannotKeep => {
                let is_fine = |event: &session_log::NewEvent| {
                    Batch::from(event.clone()).check(Expected::Any).is_ok()
                };
                batch.events.retain(is_fine);
            }
            How::TakesHugeCounters
                if batch.check(expected).is_err() && expected != Expected::Any =>
            {
                batch.counters = batch.counters.map(|_| Counters::default());
            }
            How::AppendsOneByOne | How::StopsInTheMiddle => {
                while batch.events.len() > 1 {
                    let first = Batch::from(batch.events.remove(0));
                    let _ = self.right.append(id, expected, first).await?;
                    if self.is(How::AppendsOneByOne) {
                        std::thread::yield_now();
                    } else {
                        yield_once().await;
                    }
                }
            }
            _ => {}
        }
        let taken = self.memory.lock().unwrap().taken.clone();
        for event in &batch.events {
            if taken.contains(event.id.as_str()) {
                let event = event.id.clone();
                return Err(StoreError::EventElsewhere { event });
            }
        }
        let appended = self.right.append(id, expected, batch.clone()).await;
        match (appended, self.how) {
            (Err(error), How::KeepsTheBeginningOfWhatFailed) => {
                batch.events.truncate(1);
                let _ = self.right.append(id, expected, batch).await?;
                Err(error)
            }
            (Err(StoreError::EventDiffers { .. }), How::TakesAnyEventForTheSame) => {
                self.right.append(id, expected, Batch::default()).await
            }
            (Ok(Appended::Done(mut written)), how) => {
                if how == How::CountsRetries && written.new == 0 {
                    written.new = written.events.len();
                }
                let session = self.right.session(id).await?;
                if let Some(session) = session {
                    written.head = match how {
                        How::AppendsOneByOne => written.head,
                        _ if session.head == written.head => self.seen(session).await.head,
                        _ => written.head,
                    };
                }
                Ok(Appended::Done(written))
            }
            (appended, _) => appended,
        }
    }

    async fn read(
        &self,
        id: &SessionId,
        query: &EventQuery,
    ) -> Result<Page<Arc<Event>, Seq>, StoreError> {
        let id = &self.id(id);
        if self.is(How::AnswersSenselessQueries) && query.check().is_err() {
            return Ok(Page::empty());
        }
        let mut query = query.clone();
        match self.how {
            How::LeavesOutTheLastMoment => {
                let until = query.until.map(Timestamp::as_millis);
                query.until = until.map(|it| Timestamp::from_millis(it.saturating_sub(1)));
                query.since = query.since.min(query.until.or(query.since));
            }
            How::LeavesOutTheFirstMoment => {
                let since = query.since.map(Timestamp::as_millis);
                query.since = since.map(|it| Timestamp::from_millis(it.saturating_add(1)));
                query.until = query
                    .until
                    .max(query.since.filter(|_| query.until.is_some()));
            }
            How::ReadsNoPlacesBeside => query.also.clear(),
            How::ReadsForwardOnly => query.direction = Direction::Forward,
            How::TakesAThousandRoles => query.roles.truncate(1_000),
            How::RepeatsTheMark => {
                query.after = query.after.and_then(|after| Seq::new(after.as_u64() - 1));
            }
            How::CountsPagesFromTheEnd if query.direction == Direction::Backward => {
                // The mark is how many were read, from the end as it is now.
                let skipped = query.after.take();
                let limit = query.limit.take().unwrap_or(usize::MAX);
                let all = self.right.read_all(id, query).await?;
                let skipped = skipped.map_or(0, |it| usize::try_from(it.as_u64()).unwrap());
                let rest: Vec<_> = all.into_iter().skip(skipped).collect();
                let mark = u64::try_from(skipped.saturating_add(limit)).unwrap_or(1);
                return Ok(Page::cut(rest, limit, |_| Seq::new(mark).unwrap()));
            }
            _ => {}
        }
        let mut page = self.right.read(id, &query).await?;
        match self.how {
            How::EndsAfterTheFirstPage => page.next = None,
            How::ReadsByTime => page.items.sort_by_key(|event| event.timestamp),
            How::ReadsPlacesTwice => {
                let again = page.items.iter().filter(|it| query.also.contains(&it.seq));
                let again: Vec<_> = again.cloned().collect();
                page.items.extend(again);
            }
            How::KeepsTheLogOfTheDeleted => {
                let memory = self.memory.lock().unwrap();
                if page.items.is_empty()
                    && let Some(log) = memory.logs.get(id)
                {
                    page.items.clone_from(log);
                }
            }
            _ => {}
        }
        Ok(page)
    }

    async fn search(
        &self,
        scope: &Scope,
        query: &SearchQuery,
    ) -> Result<Page<Hit, HitMark>, StoreError> {
        if self.is(How::AnswersSenselessQueries) && query.check().is_err() {
            return Ok(Page::empty());
        }
        query.check()?;
        let mut all = query.clone().with_limit(1_000_000);
        let after = all.after.take();
        if self.is(How::SearchesNoTools) {
            all.reach = Reach::Text;
        }
        let mut hits = self.imagines(scope, query).await;
        for scope in self.scopes(scope).await {
            let scope = match scope {
                Scope::Session(id) => Scope::Session(self.id(&id)),
                other => other,
            };
            for hit in self.right.search_all(&scope, all.clone()).await? {
                if !self.overlooks(&hit, query).await {
                    hits.push(hit);
                }
            }
        }
        let order = query.order;
        hits.sort_by(|one, other| {
            let right = one.mark().cmp_in(&other.mark(), order, scope);
            match (self.how, order) {
                (How::FindsTheNewestFirst, Order::OldestFirst) => right.reverse(),
                _ => right,
            }
        });
        if let Some(after) = after {
            let place = hits.iter().position(|hit| {
                let hit = hit.mark();
                after.cmp_in(&hit, order, scope).is_lt()
                    || (self.is(How::FindsTheMarkAgain) && hit == after)
            });
            hits = hits.split_off(place.unwrap_or(hits.len()));
        }
        Ok(Page::cut(hits, query.limit, Hit::mark))
    }

    async fn recount(
        &self,
        id: &SessionId,
        at: Version,
        mut recount: Recount,
    ) -> Result<bool, StoreError> {
        let id = &self.id(id);
        if !self.is(How::AnswersSenselessQueries) {
            recount.check()?;
        }
        let head = self.right.head(id).await?;
        let at = match head {
            Some(head) if self.is(How::RecountsAtAnyVersion) => head.version,
            _ => at,
        };
        match self.how {
            How::RecountsNoEvents => recount.counts.clear(),
            How::TakesTheFirstOfTwoCounts => recount.counts.reverse(),
            How::RecountsEverywhere => {
                for session in self.all().await {
                    let counts = Recount::new(recount.counts.clone());
                    self.right.recount(&session.id, at, counts).await?;
                }
            }
            _ => {}
        }
        self.right.recount(id, at, recount).await
    }

    async fn erase(
        &self,
        id: &SessionId,
        seq: Seq,
        tombstone: EventBody,
    ) -> Result<Head, StoreError> {
        let id = &self.id(id);
        let before = self.right.head(id).await?;
        let old = self
            .log(id)
            .await
            .into_iter()
            .find(|event| event.seq == seq);
        if self.is(How::ErasesEverywhere) {
            for session in self.all().await {
                let _ = self.right.erase(&session.id, seq, tombstone.clone()).await;
            }
        }
        let mut head = self.right.erase(id, seq, tombstone).await?;
        if let Some(old) = old {
            self.memory.lock().unwrap().erased.push((id.clone(), old));
        }
        if let (How::KeepsCountersOfTheErased, Some(before)) = (self.how, before)
            && let Some(counters) = before.counters
        {
            let recount = Recount::default().with_counters(counters.clone());
            self.right.recount(id, head.version, recount).await?;
            head.counters = Some(counters);
        }
        if self.is(How::ErasesOnce) {
            head.erasures = head.erasures.min(2);
        }
        Ok(head)
    }
}

async fn yield_once() {
    let mut has_waited = false;
    std::future::poll_fn(move |context| {
        if has_waited {
            return std::task::Poll::Ready(());
        }
        has_waited = true;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}
