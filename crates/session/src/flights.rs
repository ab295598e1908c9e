//! One pass at a time per session in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use async_lock::{Mutex as AsyncMutex, MutexGuardArc};
use session_log::SessionId;

/// The sessions with a pass under way.
#[derive(Debug, Default)]
pub(crate) struct Flights {
    locks: Mutex<HashMap<SessionId, Weak<AsyncMutex<()>>>>,
}

impl Flights {
    /// Waits until no other pass of the session is under way. The pass is over when the guard is
    /// dropped.
    pub(crate) async fn board(&self, id: &SessionId) -> MutexGuardArc<()> {
        let lock = {
            let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
            match locks.get(id).and_then(Weak::upgrade) {
                Some(lock) => lock,
                None => {
                    locks.retain(|_, lock| lock.strong_count() > 0);
                    let lock = Arc::new(AsyncMutex::new(()));
                    locks.insert(id.clone(), Arc::downgrade(&lock));
                    lock
                }
            }
        };
        lock.lock_arc().await
    }
}
