//! Laws 1 to 8, which hold for every strategy.

use compaction_core::{EntryKind, Grain, Order, Outcome, Plan, Preamble, Superseded, Unchanged};

use crate::laws::Verdict;
use crate::laws::trial::Trial;
use crate::oracle::{held, pairs};

/// Law 1, order: entries that stay keep their order.
///
/// Where the policy shows some in front, that is each of conversation and summaries for itself.
///
/// # Errors
///
/// The law is broken, and how.
pub fn order(trial: &Trial<'_>) -> Verdict {
    let Some(plan) = trial.plan() else {
        return Ok(());
    };
    let ascends = |is_of_them: &dyn Fn(usize) -> bool| {
        let mut last = None;
        plan.view_order().filter(|at| is_of_them(*at)).all(|at| {
            let follows = last < Some(at);
            last = Some(at);
            follows
        })
    };
    let is_summary = |at| trial.kind(at) == Some(EntryKind::Summary);
    let is_in_order = match trial.policy().order {
        Order::AsStored => ascends(&|_| true),
        _ => ascends(&|at| trial.is_conversation(at)) && ascends(&is_summary),
    };
    demand(is_in_order, || "what stays is out of order".into())
}

/// Law 2, partition: pinned, superseded, covered and kept are disjoint and complete, and a
/// summary is asked of exactly what is covered.
///
/// # Errors
///
/// The law is broken, and how.
pub fn partition(trial: &Trial<'_>) -> Verdict {
    let Some(plan) = trial.plan() else {
        return Ok(());
    };
    let mut times = vec![0_u32; trial.log().notes().len()];
    let mut count = |at: usize| -> Verdict {
        let times = times.get_mut(at);
        *times.ok_or_else(|| format!("position {at} is not in the log"))? += 1;
        Ok(())
    };
    plan.pinned().iter().try_for_each(|at| count(*at))?;
    for part in [plan.superseded(), plan.covered(), plan.kept()] {
        part.iter().try_for_each(&mut count)?;
    }
    if let Some(at) = times.iter().position(|times| *times != 1) {
        let name = trial.log().names([at]);
        return Err(format!(
            "`{name}` is in {} parts",
            times.get(at).unwrap_or(&0)
        ));
    }
    let Some(pending) = trial.pending() else {
        return Ok(());
    };
    let request = pending.request();
    let mut asked: Vec<usize> = request.prior.iter().chain(request.covered.iter()).collect();
    asked.sort_unstable();
    demand(plan.covered().iter().eq(asked), || {
        "what is covered is not what a summary is asked of".into()
    })
}

/// Law 3, turn start: what is kept begins at a turn, or at step grain at a step of the newest
/// turn whose opening message is pinned and no pair of which is parted.
///
/// # Errors
///
/// The law is broken, and how.
pub fn turn_start(trial: &Trial<'_>) -> Verdict {
    let Some((plan, at)) = trial.cut() else {
        return Ok(());
    };
    demand(plan.kept().first() == Some(at), || {
        format!("what is kept does not begin at the cut, {at}")
    })?;
    match trial.kind(at) {
        Some(EntryKind::TurnStart) => return Ok(()),
        Some(EntryKind::StepStart) if trial.grain() == Grain::Step => {}
        kind => return Err(format!("what is kept begins with {kind:?}")),
    }
    let turn = trial.last(EntryKind::TurnStart, 0);
    let turn = turn.ok_or_else(|| "there is no turn".to_owned())?;
    demand(turn < at, || "an older turn is cut inside".into())?;
    demand(plan.pinned().contains(&turn), || {
        "the message that opens the turn is not pinned".into()
    })?;
    for (call, result) in pairs(trial.log()) {
        let Some(result) = result else { continue };
        let is_parted = plan.covered().contains(call) != plan.covered().contains(result);
        demand(call < turn || !is_parted, || {
            let pair = trial.log().names([call, result]);
            format!("the pair `{pair}` is parted")
        })?;
    }
    Ok(())
}

/// Law 4, newest: the newest turn stays whole; at step grain its newest step does, the message
/// that opens it, and what waits for a result.
///
/// # Errors
///
/// The law is broken, and how.
pub fn newest(trial: &Trial<'_>) -> Verdict {
    let Some((plan, at)) = trial.cut() else {
        return Ok(());
    };
    let Some(turn) = trial.last(EntryKind::TurnStart, 0) else {
        return Err("a log without a turn is cut".into());
    };
    let stays = match trial.grain() {
        Grain::Step if at > turn => {
            let step = trial.last(EntryKind::StepStart, turn).unwrap_or(turn);
            let mut stays = held(trial.log());
            stays.extend(step..trial.log().notes().len());
            stays
        }
        _ => (turn..trial.log().notes().len()).collect(),
    };
    let lost = stays
        .into_iter()
        .find(|at| trial.is_conversation(*at) && plan.covered().contains(*at));
    match lost {
        None => Ok(()),
        Some(at) => Err(format!("`{}` is covered", trial.log().names([at]))),
    }
}

/// Law 5, preamble: what stands before the first turn stays, under policies that pin it.
///
/// # Errors
///
/// The law is broken, and how.
pub fn preamble(trial: &Trial<'_>) -> Verdict {
    let (Some(plan), Preamble::Pinned) = (trial.plan(), trial.policy().preamble) else {
        return Ok(());
    };
    let notes = trial.log().notes().len();
    let first = (0..notes).find(|at| trial.kind(*at) == Some(EntryKind::TurnStart));
    let lost = (0..first.unwrap_or(notes))
        .find(|at| trial.is_conversation(*at) && plan.covered().contains(*at));
    match lost {
        None => Ok(()),
        Some(at) => Err(format!("`{}` is covered", trial.log().names([at]))),
    }
}

/// Law 6, system: of the system prompts exactly the latest stays after a cut, and none is
/// summarized.
///
/// # Errors
///
/// The law is broken, and how.
pub fn system(trial: &Trial<'_>) -> Verdict {
    let is_system = |at: &usize| trial.kind(*at) == Some(EntryKind::System);
    if let Some(pending) = trial.pending() {
        let request = pending.request();
        let shown = [&request.prior, &request.covered, &request.overlap];
        let shown = shown.into_iter().flat_map(|spans| spans.iter());
        demand(!shown.into_iter().any(|at| is_system(&at)), || {
            "a system prompt is shown to the summarizer".into()
        })?;
    }
    let Some((plan, _)) = trial.cut() else {
        return Ok(());
    };
    demand(plan.superseded().iter().all(|at| is_system(&at)), || {
        "something is superseded that is no system prompt".into()
    })?;
    let latest = trial.last(EntryKind::System, 0);
    let stay: Vec<usize> = plan.view_order().filter(is_system).collect();
    demand(stay.iter().copied().eq(latest), || {
        let stay = trial.log().names(stay.iter().copied());
        format!("of the system prompts `{stay}` stay")
    })
}

/// Law 7, pausing: the plan of a pass that was asked for a summary is the plan that was made
/// before it was asked.
///
/// # Errors
///
/// The law is broken, and how.
pub fn pausing(trial: &Trial<'_>) -> Verdict {
    let Some(pending) = trial.pending() else {
        return Ok(());
    };
    demand(trial.plan() == Some(pending.plan()), || {
        "the plan changed while it waited".into()
    })
}

/// Law 8, declining: without a summary nothing changes, but superseded system prompts leave
/// under policies that drop them always.
///
/// # Errors
///
/// The law is broken, and how.
pub fn declining(trial: &Trial<'_>) -> Verdict {
    let Some(pending) = trial.pending() else {
        return demand(trial.provided() == trial.declined(), || {
            "a pass that asked nothing has two endings".into()
        });
    };
    let drops = trial.policy().superseded == Superseded::LeaveAlways
        && !pending.plan().superseded().is_empty();
    match trial.declined() {
        Outcome::Unchanged(Unchanged::Declined) if !drops => Ok(()),
        Outcome::Compacted(plan) if drops => declined_plan(plan, pending.plan()),
        other => Err(format!("declining ends as {other:?}")),
    }
}

fn declined_plan(plan: &Plan, asked: &Plan) -> Verdict {
    let superseded = plan.superseded();
    demand(plan.cut().is_none() && plan.covered().is_empty(), || {
        "something is covered without a summary".into()
    })?;
    demand(superseded == asked.superseded(), || {
        "what is superseded depends on the summary".into()
    })
}

fn demand(holds: bool, why: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(why()) }
}
