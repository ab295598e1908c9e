//! The laws of a pass, each as a function that says how it is broken.
//!
//! They are numbered as at [`compact`](compaction_core::compact). Laws 1 to 8 hold for every
//! strategy, since the core snaps what it proposes; a strategy may claim 9 to 11. With
//! [`laws!`](crate::laws!) each becomes a test.

mod claims;
mod run;
mod structural;
mod trial;
mod triggers;

pub use crate::laws::claims::{budget, idempotent, monotone};
pub use crate::laws::run::{hold, hold_budget, hold_idempotent, hold_monotone};
pub use crate::laws::structural::{
    declining, newest, order, partition, pausing, preamble, system, turn_start,
};
pub use crate::laws::trial::Trial;
pub use crate::laws::triggers::{hold_trigger, hold_trigger_monotone};

/// How a law is broken; `Ok` when it holds.
pub type Verdict = Result<(), String>;

/// A law that one pass can be held to.
pub type Law = fn(&Trial<'_>) -> Verdict;

/// The structural laws with their numbers and names.
pub const STRUCTURAL: [(u8, &str, Law); 8] = [
    (1, "order", order),
    (2, "partition", partition),
    (3, "turn start", turn_start),
    (4, "newest", newest),
    (5, "preamble", preamble),
    (6, "system", system),
    (7, "pausing", pausing),
    (8, "declining", declining),
];

/// Makes a test of each law for a strategy of yours.
///
/// The first argument names the module of the tests, the second makes the strategy; laws 1 to 8
/// follow. What the strategy claims beyond comes after: `monotone = family`, where `family` makes
/// the strategy of a size, from 0 up; `budget = (tokens, reserve)`; `idempotent = tokens`, where a
/// summary costs so many tokens.
///
/// ```
/// use compaction_core::{Entry, Strategy, View};
///
/// /// Keeps the newest so many hundredths.
/// struct Share(usize);
///
/// impl<E: Entry> Strategy<E> for Share {
///     fn keep_from(&self, view: &View<'_, E>) -> usize {
///         view.entries().len() * (100 - self.0.min(100)) / 100
///     }
/// }
///
/// compaction_testkit::laws!(share, Share(30), monotone = |size| Share(size * 10));
/// # fn main() {}
/// ```
///
/// # Panics
///
/// The tests do, with the number and name of a law that is broken and the log that broke it.
#[macro_export]
macro_rules! laws {
    ($module:ident, $strategy:expr $(, $claim:ident = $value:expr)* $(,)?) => {
        mod $module {
            #[allow(unused_imports, reason = "a strategy may need nothing from around it")]
            use super::*;

            $crate::laws!(@structural $strategy;
                law_1_order 1, law_2_partition 2, law_3_turn_start 3, law_4_newest 4,
                law_5_preamble 5, law_6_system 6, law_7_pausing 7, law_8_declining 8);
            $($crate::laws!(@$claim $strategy; $value);)*
        }
    };
    (@structural $strategy:expr; $($test:ident $law:literal),*) => {
        $(
            #[test]
            fn $test() {
                $crate::laws::hold($law, &$strategy);
            }
        )*
    };
    (@monotone $strategy:expr; $family:expr) => {
        #[test]
        fn law_9_monotone() {
            $crate::laws::hold_monotone(&$family);
        }
    };
    (@budget $strategy:expr; $budget:expr) => {
        #[test]
        fn law_10_budget() {
            let (tokens, reserve) = $budget;
            $crate::laws::hold_budget(&$strategy, tokens, reserve);
        }
    };
    (@idempotent $strategy:expr; $summary_tokens:expr) => {
        #[test]
        fn law_11_idempotent() {
            $crate::laws::hold_idempotent(&$strategy, $summary_tokens);
        }
    };
}
