//! Looking at a session as it is stored.

use std::sync::Arc;

use session::View;
use session_log::Event;
use session_store::EventQuery;

use super::{Runs, World, wait};
use crate::failure::with_causes;
use crate::seen::Snapshot;

impl World {
    /// The session as it is now; `None` when it is not there. Rows that cannot be read are left
    /// out and named.
    pub(crate) fn snapshot(&self) -> Runs<Option<Snapshot>> {
        let found = wait(self.sessions.find(&self.session));
        let Some(session) = found.map_err(|error| with_causes(&error))? else {
            return Ok(None);
        };
        let (log, damaged) = self.whole_log()?;
        let folded = View::fold(log.iter().cloned());
        let view = match wait(self.sessions.view(&self.session)) {
            Ok(view) => view,
            Err(_) if !damaged.is_empty() => folded.clone(),
            Err(error) => return Err(with_causes(&error)),
        };
        let ids = |view: &View| -> Vec<_> {
            let events = view.events().iter();
            events.map(|event| event.id.clone()).collect()
        };
        if ids(&view) != ids(&folded) {
            return Err("the view that was loaded is not the fold of the log".into());
        }
        let mut snapshot = Snapshot::new(session.head.version.as_u64(), log, view);
        snapshot.damaged = damaged;
        Ok(Some(snapshot))
    }

    fn whole_log(&self) -> Runs<(Vec<Arc<Event>>, Vec<u64>)> {
        let mut query = EventQuery::all().lenient();
        let (mut log, mut damaged) = (Vec::new(), Vec::new());
        loop {
            let page = wait(self.sessions.read(&self.session, &query));
            let page = page.map_err(|error| with_causes(&error))?;
            log.extend(page.items);
            damaged.extend(page.damaged.iter().map(|damage| damage.seq.as_u64()));
            match page.next {
                Some(mark) => query.after = Some(mark),
                None => return Ok((log, damaged)),
            }
        }
    }
}
