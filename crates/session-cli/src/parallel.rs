//! Doing the same to many things on all cores.

use std::num::NonZero;
use std::slice::ChunksMut;
use std::sync::{Mutex, PoisonError};
use std::thread;

use indicatif::ProgressBar;

use crate::progress;

/// Things a thread takes at a time: enough to make taking cheap, few enough to share evenly.
const AT_A_TIME: usize = 32;

/// For fewer things another thread costs more than it saves.
const WORTH_A_THREAD: usize = 128;

/// Does `work` to each of `things`; a bar says `what` if that takes long.
pub(crate) fn each<T: Send>(
    things: &mut [T],
    what: &'static str,
    is_long: bool,
    work: impl Fn(&mut T) + Sync,
) {
    let steps = u64::try_from(things.len()).unwrap_or(u64::MAX);
    let bar = progress::bar(what, steps, is_long);
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(things.len() / WORTH_A_THREAD);
    let chunks = Mutex::new(things.chunks_mut(AT_A_TIME));
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| take(&chunks, &bar, &work));
        }
        take(&chunks, &bar, &work);
    });
    bar.finish_and_clear();
}

fn take<T>(chunks: &Mutex<ChunksMut<'_, T>>, bar: &ProgressBar, work: &impl Fn(&mut T)) {
    loop {
        let chunk = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(chunk) = chunk else {
            return;
        };
        chunk.iter_mut().for_each(work);
        bar.inc(u64::try_from(chunk.len()).unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_is_done_once_however_many_there_are() {
        for count in [0, 1, 31, 32, 33, 5000] {
            let mut things: Vec<usize> = (0..count).collect();
            each(&mut things, "testing", false, |thing| *thing += 1);
            assert_eq!(things, (1..=count).collect::<Vec<_>>());
        }
    }
}
