//! Laws on what passes cost and that they end.

use session::Outcome;

use crate::seen::{PassSeen, Seen};

/// Looks at every pass of the case, and at the passes of a driver that goes on with the last one.
pub(super) fn progress(seen: &Seen) -> Result<(), String> {
    let driven = seen.drive.as_ref().map(|drive| drive.passes.as_slice());
    let passes = seen.passes.iter().chain(driven.unwrap_or_default());
    let mut has_pass = false;
    for pass in passes {
        has_pass = true;
        no_effort_for_nothing(pass)?;
    }
    match has_pass {
        true => Ok(()),
        false => Err("no pass was run".into()),
    }
}

fn no_effort_for_nothing(pass: &PassSeen) -> Result<(), String> {
    if pass.is_written() {
        return match pass.before.view_names() == pass.after.view_names() {
            true => Err("a pass wrote a boundary that changes nothing".into()),
            false => Ok(()),
        };
    }
    if pass.before.version != pass.after.version {
        return Err(format!(
            "a pass that changed nothing moved the version from {} to {}",
            pass.before.version, pass.after.version
        ));
    }
    let outcome = pass.report.as_ref().map(|report| report.outcome);
    // A call that declined, failed or was overtaken had something to do.
    let had_reason = matches!(outcome, None | Some(Outcome::Declined | Outcome::Stale));
    match pass.calls.len() {
        0 => Ok(()),
        _ if had_reason => Ok(()),
        calls => Err(format!(
            "a pass that changed nothing asked the summarizer {calls} times"
        )),
    }
}

pub(super) fn terminates(seen: &Seen) -> Result<(), String> {
    match &seen.drive {
        None => Err("no pass was run, so no driver either".into()),
        Some(drive) if drive.has_ended => Ok(()),
        Some(drive) => Err(format!(
            "after {} more passes there is still something to do",
            drive.passes.len()
        )),
    }
}
