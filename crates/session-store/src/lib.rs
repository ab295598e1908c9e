#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![forbid(unsafe_code)]

mod append;
mod error;
mod events;
mod ext;
mod forward;
mod head;
mod page;
pub mod search;
mod session;
mod sessions;
mod store;

pub use compaction_core::{Entry, EntryKind};

pub use crate::append::{
    Appended, Batch, Expected, Place, Recount, Settled, Written, check_tombstone,
};
pub use crate::error::{BoxError, StoreError};
pub use crate::events::{Branches, EventQuery, OnDamage, Synthetic};
pub use crate::ext::SessionStoreExt;
pub use crate::head::{BoundaryMark, Counters, Head};
pub use crate::page::{Damage, Direction, Page};
pub use crate::search::{Hit, HitMark, Keywords, Order, Reach, Scope, SearchQuery, Snippet};
pub use crate::session::{Attributes, Created, NewSession, Session, SessionPatch, attribute};
pub use crate::sessions::{SessionMark, SessionQuery};
pub use crate::store::SessionStore;
