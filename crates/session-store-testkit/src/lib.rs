#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![forbid(unsafe_code)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a law that does not hold is a panic, as in any test"
)]

mod around;
mod faulty;
mod interleave;
mod lab;
pub mod laws;
pub mod make;
pub mod model;

pub use crate::around::Kept;
pub use crate::faulty::{Fault, FaultyStore};
pub use crate::interleave::{Schedule, SteppingStore, for_each_interleaving};
pub use crate::lab::{BoxFuture, Lab, Run, block_on, check_law};

#[doc(hidden)]
pub use session_store::SessionStore as __SessionStore;

/// Makes one `#[test]` a law of [`SessionStore`](session_store::SessionStore), for the store that
/// `$make` opens and for the same behind `Box<dyn _>` and `Arc<dyn _>`.
///
/// `$make` is called once a test, without arguments, and gives a store without sessions. `run`
/// takes a [`BoxFuture`] and runs it to its end; without it a bare [`block_on`] does.
///
/// ```
/// use session_store_memory::MemoryStore;
///
/// session_store_testkit::store_laws!(MemoryStore::new);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! store_laws {
    ($make:expr) => {
        $crate::store_laws!($make, run = $crate::block_on);
    };
    ($make:expr, run = $run:expr) => {
        fn __open_store() -> impl $crate::__SessionStore {
            ($make)()
        }

        fn __run_future(future: $crate::BoxFuture<'_>) {
            ($run)(future)
        }

        mod store {
            $crate::__law_tests!(super::__open_store);
        }

        mod boxed {
            fn open() -> ::std::boxed::Box<dyn $crate::__SessionStore> {
                ::std::boxed::Box::new(super::__open_store())
            }

            $crate::__law_tests!(open);
        }

        mod shared {
            fn open() -> ::std::sync::Arc<dyn $crate::__SessionStore> {
                ::std::sync::Arc::new(super::__open_store())
            }

            $crate::__law_tests!(open);
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __law_tests {
    ($open:path) => {
        $crate::__law_tests!($open;
            law_01_create_once,
            law_02_round_trip,
            law_03_unknown,
            law_04_update,
            law_05_list,
            law_06_sweep,
            law_07_delete,
            law_08_contiguous,
            law_09_whole,
            law_10_expected,
            law_11_again,
            law_12_clash,
            law_13_byte_for_byte,
            law_14_isolation,
            law_15_refused,
            law_16_filters,
            law_17_pages,
            law_18_boundary,
            law_19_counters,
            law_20_recount,
            law_21_erase,
            law_22_literal,
            law_23_complete,
            law_24_order_and_pages,
            law_25_scope,
            law_26_dropped_futures,
            law_27_queries_are_checked,
        );
    };
    ($open:path; $($law:ident,)*) => {$(
        #[test]
        fn $law() {
            $crate::check_law($open, super::__run_future, $crate::laws::$law);
        }
    )*};
}
