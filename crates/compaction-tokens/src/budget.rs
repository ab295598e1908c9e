//! A number of tokens that several parts of a program share.

use core::sync::atomic::{AtomicU64, Ordering};

/// Tokens to give out, safe to use from many threads through a shared reference.
///
/// An allocation is made whole or refused; no interleaving of threads gives out more than the
/// limit. Nothing remembers who allocated what: release what you allocated.
///
/// ```
/// use compaction_tokens::TokenBudget;
///
/// let budget = TokenBudget::new(1_000);
/// budget.allocate(600)?;
/// let refused = budget.allocate(500).unwrap_err();
/// assert_eq!(refused.to_string(), "500 tokens wanted, 400 of 1000 remain");
///
/// budget.release(200);
/// budget.allocate(500)?;
/// assert_eq!(budget.remaining(), 100);
/// assert_eq!(budget.percentage(), 90.0);
/// # Ok::<(), compaction_tokens::OverBudget>(())
/// ```
#[derive(Debug)]
pub struct TokenBudget {
    limit: u64,
    used: AtomicU64,
}

impl TokenBudget {
    /// A budget of which nothing is used. A limit of zero gives out nothing.
    pub const fn new(limit: u64) -> Self {
        Self {
            limit,
            used: AtomicU64::new(0),
        }
    }

    /// Takes tokens, all or none.
    ///
    /// # Errors
    ///
    /// [`OverBudget`] when fewer remain than are wanted. Nothing is taken then; it may work after
    /// a [`release`](Self::release).
    pub fn allocate(&self, tokens: u64) -> Result<(), OverBudget> {
        let take = |used: u64| used.checked_add(tokens).filter(|sum| *sum <= self.limit);
        match self
            .used
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, take)
        {
            Ok(_) => Ok(()),
            Err(used) => Err(OverBudget {
                wanted: tokens,
                remaining: self.limit.saturating_sub(used),
                limit: self.limit,
            }),
        }
    }

    /// Gives tokens back and says how many were: never more than are in use.
    pub fn release(&self, tokens: u64) -> u64 {
        let give = |used: u64| Some(used.saturating_sub(tokens));
        match self
            .used
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, give)
        {
            Ok(used) | Err(used) => used.min(tokens),
        }
    }

    /// The most tokens in use at any time.
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// The tokens in use.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Acquire)
    }

    /// The tokens that could be allocated now.
    pub fn remaining(&self) -> u64 {
        self.snapshot().remaining()
    }

    /// The part in use in percent, 0 to 100.
    pub fn percentage(&self) -> f64 {
        self.snapshot().percentage()
    }

    /// The budget at one moment, with numbers that belong together.
    pub fn snapshot(&self) -> BudgetSnapshot {
        BudgetSnapshot {
            limit: self.limit,
            used: self.used(),
        }
    }
}

/// A [`TokenBudget`] at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct BudgetSnapshot {
    /// The most tokens in use at any time.
    pub limit: u64,
    /// The tokens that were in use.
    pub used: u64,
}

impl BudgetSnapshot {
    /// The tokens that could have been allocated.
    pub const fn remaining(self) -> u64 {
        self.limit.saturating_sub(self.used)
    }

    /// The part in use in percent, 0 to 100. A budget of zero is full.
    pub fn percentage(self) -> f64 {
        if self.limit == 0 {
            return 100.0;
        }
        self.used as f64 / self.limit as f64 * 100.0
    }
}

/// Fewer tokens remain than were wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{wanted} tokens wanted, {remaining} of {limit} remain")]
#[non_exhaustive]
pub struct OverBudget {
    /// The tokens that were asked for.
    pub wanted: u64,
    /// The tokens that could have been had.
    pub remaining: u64,
    /// The limit of the budget.
    pub limit: u64,
}
