//! Budgets shared between threads.

use core::sync::atomic::{AtomicU64, Ordering};

use compaction_tokens::TokenBudget;

#[test]
fn an_allocation_over_the_rest_takes_nothing() {
    let budget = TokenBudget::new(10);
    assert_eq!(budget.allocate(10), Ok(()));
    let refused = budget.allocate(1).unwrap_err();
    assert_eq!(
        (refused.wanted, refused.remaining, refused.limit),
        (1, 0, 10)
    );
    assert_eq!(budget.allocate(0), Ok(()));
    assert_eq!(budget.used(), 10);
}

#[test]
fn a_huge_allocation_does_not_wrap_around() {
    let budget = TokenBudget::new(u64::MAX);
    budget.allocate(u64::MAX).unwrap();
    assert!(budget.allocate(1).is_err());
    assert!(budget.allocate(u64::MAX).is_err());
    assert_eq!(budget.used(), u64::MAX);
}

#[test]
fn a_release_never_goes_below_zero() {
    let budget = TokenBudget::new(10);
    budget.allocate(4).unwrap();
    assert_eq!(budget.release(3), 3);
    assert_eq!(budget.release(3), 1);
    assert_eq!(budget.release(3), 0);
    assert_eq!(budget.used(), 0);
    assert_eq!(budget.remaining(), 10);
}

#[test]
fn a_budget_of_zero_is_full() {
    let budget = TokenBudget::new(0);
    assert!(budget.allocate(1).is_err());
    assert_eq!(budget.percentage(), 100.0);
    assert_eq!(budget.remaining(), 0);
}

#[test]
fn a_snapshot_has_numbers_that_belong_together() {
    let budget = TokenBudget::new(8);
    budget.allocate(2).unwrap();
    let snapshot = budget.snapshot();
    budget.allocate(6).unwrap();
    assert_eq!(
        (snapshot.used, snapshot.remaining(), snapshot.percentage()),
        (2, 6, 25.0)
    );
    assert_eq!(budget.percentage(), 100.0);
}

#[test]
fn threads_never_get_more_than_the_limit_together() {
    let budget = TokenBudget::new(1_000);
    let given = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for size in [1, 2, 3, 5, 7, 11, 13, 17] {
            let (budget, given) = (&budget, &given);
            scope.spawn(move || {
                for round in 0..500 {
                    if budget.allocate(size).is_err() {
                        continue;
                    }
                    assert!(budget.used() <= 1_000);
                    if round % 3 == 0 {
                        assert_eq!(budget.release(size), size);
                    } else {
                        given.fetch_add(size, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(budget.used(), given.into_inner());
    assert!(budget.remaining() < 100, "{}", budget.remaining());
}
