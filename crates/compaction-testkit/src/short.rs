//! Every short log there is.

use crate::log::Log;
use crate::note::Note;
use crate::parse::NotationError;

/// Calls `each` with every log of at most `max_len` notes, each note one of `words`.
///
/// A note is named by the first letter of its word and its position, so `"u c[k] t(k)"` gives
/// `u0 c1[k] t2(k)` among others. There are (n^(max_len + 1) - 1) / (n - 1) logs of n words.
///
/// ```
/// use compaction_testkit::for_each_short_log;
///
/// let mut logs = Vec::new();
/// for_each_short_log("u a", 2, |log| logs.push(log.to_string()))?;
/// assert_eq!(logs, ["", "u0", "u0 u1", "u0 a1", "a0", "a0 u1", "a0 a1"]);
/// # Ok::<(), compaction_testkit::NotationError>(())
/// ```
///
/// # Errors
///
/// A word is no note.
pub fn for_each_short_log(
    words: &str,
    max_len: usize,
    mut each: impl FnMut(&Log),
) -> Result<(), NotationError> {
    let notes: Vec<Note> = words
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    grow(&Log::new(), &notes, max_len, &mut each);
    Ok(())
}

fn grow(log: &Log, notes: &[Note], left: usize, each: &mut impl FnMut(&Log)) {
    each(log);
    let Some(left) = left.checked_sub(1) else {
        return;
    };
    for note in notes {
        let mut longer = log.clone();
        longer.push(note.renamed(log.notes().len()));
        grow(&longer, notes, left, each);
    }
}
