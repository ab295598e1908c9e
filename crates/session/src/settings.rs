//! When and how a pass runs, and which settings can never work.

use compaction_core::{Trigger, Window};

use crate::strategy::Target;

/// Settings that can never do what they are for. Each says what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSettings {
    /// A number that must be at least 1 is zero.
    #[error("{setting} must be greater than 0")]
    Zero {
        /// The name of the setting.
        setting: &'static str,
    },
    /// A text that must say something is blank.
    #[error("{setting} must not be blank")]
    Blank {
        /// The name of the setting.
        setting: &'static str,
    },
    /// More is to be kept in a summary than there is, so that none could land.
    #[error("no summary keeps {per_mille} of 1000; ask for at most 1000")]
    MoreThanAll {
        /// The minimum that was asked for, in thousandths.
        per_mille: u32,
    },
    /// A strategy that has what it covers summarized, without a summarizer.
    #[error("{strategy} needs a summarizer")]
    NoSummarizer {
        /// The name of the strategy.
        strategy: String,
    },
    /// Tiers without anything that says when one of them is enough.
    #[error("tiers need a target, a token window behind them, or a trigger that ends")]
    NoTarget,
    /// A token window whose reserve leaves nothing of its budget.
    #[error("the reserve of {reserve} tokens must be smaller than the budget of {budget}")]
    ReserveTooLarge {
        /// The budget in tokens.
        budget: u64,
        /// The reserve in tokens.
        reserve: u64,
    },
    /// A window fraction outside of what can be reached.
    #[error("a window fraction needs room beside the reply and lies between 0 and 1")]
    Fraction,
    /// A trigger made of no other triggers.
    #[error("any_of and all_of need at least one trigger")]
    NoTriggers,
    /// A trigger that still fires on a view the strategy leaves alone, so that passes would run
    /// for ever without effect.
    #[error(
        "the trigger fires on {trigger}, but the strategy leaves up to {keeps} alone; keep less or fire later"
    )]
    NeverSatisfied {
        /// What the trigger fires on.
        trigger: String,
        /// What the strategy keeps.
        keeps: String,
    },
    /// The overlap of the named summarizing strategy does not fit what it keeps.
    #[error(
        "overlap_size ({overlap_size}) must be smaller than max_events_to_keep ({max_events_to_keep})"
    )]
    OverlapTooLarge {
        /// The overlap in events.
        overlap_size: usize,
        /// What is kept, in events.
        max_events_to_keep: usize,
    },
}

/// Refuses a window of zero and a reserve that leaves nothing.
pub(crate) fn check_window(window: &Window) -> Result<(), InvalidSettings> {
    let zero = |setting| Err(InvalidSettings::Zero { setting });
    match *window {
        Window::Events(0) => zero("last_events"),
        Window::Turns(0) => zero("last_turns"),
        Window::Tokens { budget: 0, .. } => zero("tokens"),
        Window::Tokens { budget, reserve } if reserve >= budget => {
            Err(InvalidSettings::ReserveTooLarge { budget, reserve })
        }
        _ => Ok(()),
    }
}

/// Refuses triggers that can never be asked sensibly.
pub(crate) fn check_trigger(trigger: &Trigger) -> Result<(), InvalidSettings> {
    let zero = |setting| Err(InvalidSettings::Zero { setting });
    match trigger {
        Trigger::TurnCount(0) => zero("the turn count"),
        Trigger::EventCount(0) => zero("the event count"),
        Trigger::TokenCount(0) => zero("the token count"),
        Trigger::WindowFraction {
            limit,
            reserve_output,
            per_mille,
        } if reserve_output >= limit || !(1..=1000).contains(per_mille) => {
            Err(InvalidSettings::Fraction)
        }
        Trigger::AnyOf(children) | Trigger::AllOf(children) if children.is_empty() => {
            Err(InvalidSettings::NoTriggers)
        }
        Trigger::AnyOf(children) | Trigger::AllOf(children) => {
            children.iter().try_for_each(check_trigger)
        }
        _ => Ok(()),
    }
}

/// Refuses a trigger that still fires on a view which the strategy leaves alone.
pub(crate) fn check_pair(trigger: &Trigger, target: Target) -> Result<(), InvalidSettings> {
    match trigger {
        Trigger::AnyOf(children) => children
            .iter()
            .try_for_each(|child| check_pair(child, target)),
        Trigger::AllOf(children) => {
            let mut refusals = children
                .iter()
                .map(|child| check_pair(child, target))
                .collect::<Vec<_>>()
                .into_iter();
            // One child that is satisfied after a pass is enough to end it.
            if refusals.clone().any(|refusal| refusal.is_ok()) {
                return Ok(());
            }
            refusals.next().unwrap_or(Ok(()))
        }
        _ if fires_on_target(trigger, target) => Err(InvalidSettings::NeverSatisfied {
            trigger: trigger.to_string(),
            keeps: target.to_string(),
        }),
        _ => Ok(()),
    }
}

fn fires_on_target(trigger: &Trigger, target: Target) -> bool {
    match (trigger, target) {
        (Trigger::TurnCount(limit), Target::Turns(kept)) => kept > *limit,
        (Trigger::EventCount(limit), Target::Events(kept)) => kept > *limit,
        (Trigger::TokenCount(_) | Trigger::WindowFraction { .. }, Target::Tokens(kept)) => {
            trigger.token_threshold().is_some_and(|limit| kept > limit)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns_over(limit: u64) -> Trigger {
        Trigger::TurnCount(limit)
    }

    #[test]
    fn a_trigger_that_fires_on_what_is_kept_is_refused_with_both_numbers() {
        let refusal = check_pair(&turns_over(2), Target::Turns(3)).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "the trigger fires on more than 2 turns, but the strategy leaves up to 3 turns alone; \
             keep less or fire later"
        );
        check_pair(&turns_over(3), Target::Turns(3)).unwrap();
        check_pair(&turns_over(2), Target::Events(3)).unwrap();
    }

    #[test]
    fn a_threshold_of_the_budget_itself_is_allowed_and_a_lower_one_is_not() {
        check_pair(&Trigger::TokenCount(40), Target::Tokens(40)).unwrap();
        check_pair(&Trigger::TokenCount(39), Target::Tokens(40)).unwrap_err();
        let fraction = Trigger::WindowFraction {
            limit: 100,
            reserve_output: 20,
            per_mille: 500,
        };
        check_pair(&fraction, Target::Tokens(40)).unwrap();
        check_pair(&fraction, Target::Tokens(41)).unwrap_err();
    }

    #[test]
    fn one_child_is_enough_to_refuse_any_of_and_all_are_needed_to_refuse_all_of() {
        let bad = turns_over(2);
        let good = Trigger::TokenCount(10);
        let children = vec![good, bad.clone()];
        check_pair(&Trigger::AnyOf(children.clone()), Target::Turns(3)).unwrap_err();
        check_pair(&Trigger::AllOf(children), Target::Turns(3)).unwrap();
        check_pair(&Trigger::AllOf(vec![bad]), Target::Turns(3)).unwrap_err();
    }

    #[test]
    fn zero_and_nothing_are_refused_by_name() {
        for (trigger, message) in [
            (
                Trigger::TurnCount(0),
                "the turn count must be greater than 0",
            ),
            (
                Trigger::TokenCount(0),
                "the token count must be greater than 0",
            ),
            (
                Trigger::AnyOf(vec![]),
                "any_of and all_of need at least one trigger",
            ),
            (
                Trigger::AllOf(vec![Trigger::EventCount(0)]),
                "the event count must be greater than 0",
            ),
        ] {
            assert_eq!(check_trigger(&trigger).unwrap_err().to_string(), message);
        }
        for (window, message) in [
            (Window::Events(0), "last_events must be greater than 0"),
            (Window::Turns(0), "last_turns must be greater than 0"),
            (
                Window::Tokens {
                    budget: 10,
                    reserve: 10,
                },
                "the reserve of 10 tokens must be smaller than the budget of 10",
            ),
        ] {
            assert_eq!(check_window(&window).unwrap_err().to_string(), message);
        }
    }
}
