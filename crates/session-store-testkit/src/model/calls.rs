//! The calls a history is made of, in a world small enough that they meet.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use session_log::{Branch, EventBody, Message, NewEvent, Role, SessionId, Version};
use session_store::{
    Batch, Branches, Counters, Direction, EventQuery, Expected, NewSession, Order, Recount, Scope,
    SearchQuery, SessionMark, SessionPatch, SessionQuery, SessionStore, SessionStoreExt as _,
    Synthetic,
};

use super::{in_full, show};
use crate::make::{
    assistant, at, boundary, custom, eid, pin, revert, said, seq, sid, tokens, user,
};

/// One call of the port.
#[derive(Clone, Debug)]
pub(super) enum Call {
    Create(NewSession),
    Update(SessionId, SessionPatch),
    Delete(SessionId),
    Sweep(i64),
    List(SessionQuery),
    Append(SessionId, Expected, Batch),
    Read(SessionId, EventQuery),
    Search(Scope, SearchQuery),
    Recount(SessionId, Version, Recount),
    Erase(SessionId, u64),
}

impl Call {
    /// Makes the call and shows the answer.
    pub(super) async fn make(&self, store: &impl SessionStore) -> String {
        match self.clone() {
            Self::Create(new) => show(store.create(new).await),
            Self::Update(id, patch) => show(store.update(&id, patch).await),
            Self::Delete(id) => show(store.delete(&id).await),
            Self::Sweep(before) => show(store.sweep(at(before)).await),
            Self::List(query) => show(store.all_sessions(query).await),
            Self::Append(id, expected, batch) => {
                let appended = store.append(&id, expected, batch).await;
                show(appended.map(|appended| match appended.clone().done() {
                    Some(done) => {
                        format!("{:?} {} {:?}", done.head, done.new, in_full(&done.events))
                    }
                    None => format!("{appended:?}"),
                }))
            }
            Self::Read(id, query) => {
                let events = store.read_all(&id, query).await;
                show(events.map(|events| in_full(&events)))
            }
            Self::Search(scope, query) => show(store.search_all(&scope, query).await.map(|hits| {
                let place = |hit: &session_store::Hit| {
                    let snippet = hit.snippet.text.clone();
                    (
                        hit.session.clone(),
                        hit.event.seq,
                        hit.keywords,
                        hit.occurrences,
                        snippet,
                    )
                };
                hits.iter().map(place).collect::<Vec<_>>()
            })),
            Self::Recount(id, version, recount) => show(store.recount(&id, version, recount).await),
            Self::Erase(id, place) => show(store.erase(&id, seq(place), tombstone()).await),
        }
    }
}

pub(super) fn tombstone() -> EventBody {
    EventBody::Message(Message::new(Role::User, Vec::new()))
}

/// Ordered otherwise by languages and by letter case.
pub(super) fn session_ids() -> [SessionId; 3] {
    ["a b", "B", "aa"].map(sid)
}

pub(super) fn calls() -> impl Strategy<Value = Vec<Call>> {
    vec(call(), 1..40)
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        4 => (ids(), owners(), option::of(moments()), moments(), option::of(ids())).prop_map(
            |(id, owner, expires, created, parent)| {
                let mut new = NewSession::new(id, at(created)).with_attribute("k", "v");
                new.owner = owner;
                new.expires_at = expires.map(at);
                new.parent = parent;
                Call::Create(new)
            }
        ),
        1 => (ids(), option::of(option::of(moments())), any::<bool>()).prop_map(
            |(id, expires, clears)| {
                let mut patch = SessionPatch::new();
                patch.expires_at = expires.map(|expires| expires.map(at));
                patch.attributes = clears.then(Default::default);
                Call::Update(id, patch)
            }
        ),
        1 => ids().prop_map(Call::Delete),
        1 => moments().prop_map(Call::Sweep),
        2 => lists().prop_map(Call::List),
        12 => appends(),
        4 => (ids(), reads()).prop_map(|(id, query)| Call::Read(id, query)),
        4 => (scopes(), searches()).prop_map(|(scope, query)| Call::Search(scope, query)),
        1 => (ids(), 0..8_u64, 1..8_u64, any::<bool>()).prop_map(|(id, version, place, all)| {
            let mut recount = Recount::new(vec![(seq(place), tokens(100))]);
            recount.counters = all.then(|| Counters::new(9, 9, Some(tokens(99))));
            Call::Recount(id, Version::new(version), recount)
        }),
        1 => (ids(), 1..8_u64).prop_map(|(id, place)| Call::Erase(id, place)),
    ]
}

fn ids() -> impl Strategy<Value = SessionId> {
    (0..3_usize).prop_map(|index| session_ids()[index].clone())
}

fn moments() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => 0..5_i64,
        1 => Just(i64::MIN),
        1 => Just(i64::MAX),
    ]
}

fn owners() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        2 => Just(None),
        3 => Just(Some("ann".into())),
        1 => Just(Some("Ann".into())),
        1 => Just(Some(String::new())),
        1 => Just(Some("\0 bo\\0".into())),
    ]
}

fn lists() -> impl Strategy<Value = SessionQuery> {
    let mark = option::of((moments(), ids()));
    let more = (option::of(moments()), option::weighted(0.2, ids()), mark);
    (owners(), any::<bool>(), any::<bool>(), 1..4_usize, more).prop_map(
        |(owner, is_backward, is_marked, limit, (expires, parent, mark))| {
            let mut query = SessionQuery::all().with_limit(limit);
            query.owner = owner;
            query.expires_before = expires.map(at);
            query.parent = parent;
            query.after = mark.map(|(created, id)| SessionMark::new(at(created), id));
            if is_backward {
                query.direction = Direction::Backward;
            }
            if is_marked {
                query = query.with_attribute("k", "v");
            }
            query
        },
    )
}

fn appends() -> impl Strategy<Value = Call> {
    let expected = prop_oneof![
        2 => Just(Expected::Any),
        1 => (0..8_u64).prop_map(|number| Expected::Exact(Version::new(number))),
    ];
    let counters = option::weighted(0.3, (0..9_u64, 0..9_u64));
    (ids(), expected, vec(events(), 0..4), counters).prop_map(|(id, expected, events, counters)| {
        let mut batch = Batch::new(events);
        if let (Some((events, turns)), Expected::Exact(_)) = (counters, expected) {
            batch.counters = Some(Counters::new(events, turns, Some(tokens(events))));
        }
        Call::Append(id, expected, batch)
    })
}

fn events() -> impl Strategy<Value = NewEvent> {
    let what = (0..20_u32, 0..14_u32, 1..8_u64);
    (what, option::of(0..5_u64), moments()).prop_map(|((name, kind, place), count, moment)| {
        let id = &format!("e{name}");
        let mut event = match kind {
            0 | 1 => user(id, "a plum and a fig"),
            2 => assistant(id, "Plum plum!"),
            3 => assistant(id, "no fruit"),
            4 => said(id, Message::system("Talk of plums.")),
            5 => said(id, Message::tool_result("k", "one fig")),
            6 | 7 => boundary(id, place, &[1]),
            8 | 9 => revert(id, place),
            10 => pin(id, place),
            12 => user(
                id,
                "İstanbul ırmağı, Straße STRASSE ΒΟΡΡΑΣ \0 e\u{301} é 梅酒 100%_\\",
            ),
            13 => assistant(id, "plum").with_branch(Branch::new("root.a").unwrap()),
            _ => custom(id, "ACME.AUDIT", "1"),
        };
        event.tokens = count.map(tokens);
        event.timestamp = at(moment);
        event
    })
}

fn reads() -> impl Strategy<Value = EventQuery> {
    let places = || option::of((1..9_u64).prop_map(seq));
    let also = vec((1..9_u64).prop_map(seq), 0..3);
    let synthetic = prop_oneof![Just(Synthetic::With), Just(Synthetic::Without)];
    let page = (any::<bool>(), places(), option::of(1..4_usize));
    let named = vec((0..20_u32).prop_map(|name| eid(&format!("e{name}"))), 0..3);
    let times = option::weighted(0.3, (moments(), moments()));
    let more = (any::<bool>(), any::<bool>(), named, times);
    (places(), places(), also, synthetic, page, more).prop_map(
        |(from, to, also, synthetic, page, (only_users, is_at_root, named, times))| {
            let (is_backward, after, limit) = page;
            let mut query = EventQuery::all().with_synthetic(synthetic).with_also(also);
            query.ids = named;
            if is_at_root {
                query.branches = Branches::Root;
            }
            if let Some((since, until)) = times {
                query.since = Some(at(since));
                query.until = Some(at(until));
            }
            query.from = from;
            query.to = to;
            query.after = after;
            query.limit = limit;
            if is_backward {
                query.direction = Direction::Backward;
            }
            if only_users {
                query = query.with_roles([Role::User]);
            }
            query
        },
    )
}

fn scopes() -> impl Strategy<Value = Scope> {
    prop_oneof![
        ids().prop_map(Scope::Session),
        Just(Scope::Owner("ann".into())),
        Just(Scope::Owner(String::new())),
    ]
}

fn searches() -> impl Strategy<Value = SearchQuery> {
    let word = prop_oneof![
        Just("plum"),
        Just("FIG"),
        Just("um"),
        Just("a plum and"),
        Just("!"),
        Just("straße"),
        Just("İST"),
        Just("ISTANBUL"),
        Just("ıRMA"),
        Just("βορρας"),
        Just("E\u{301} é"),
        Just("梅酒"),
        Just("\0"),
        Just("0%_\\"),
    ];
    (vec(word, 1..3), any::<[bool; 3]>(), 1..4_usize).prop_map(
        |(words, [all, text_only, relevance], limit)| {
            let mut query = SearchQuery::new(words).with_limit(limit);
            if all {
                query.keywords = session_store::Keywords::All;
            }
            if text_only {
                query.reach = session_store::Reach::Text;
            }
            if relevance {
                query.order = Order::Relevance;
            }
            query
        },
    )
}
