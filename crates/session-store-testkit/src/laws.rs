//! One function a law, under the number it has in the docs of
//! [`SessionStore`](session_store::SessionStore).

mod general;
mod head;
mod log;
mod read;
mod search;
mod sessions;

pub use self::general::{law_26_dropped_futures, law_27_queries_are_checked};
pub use self::head::{law_18_boundary, law_19_counters, law_20_recount, law_21_erase};
pub use self::log::{
    law_08_contiguous, law_09_whole, law_10_expected, law_11_again, law_12_clash,
    law_13_byte_for_byte, law_14_isolation, law_15_refused,
};
pub use self::read::{law_16_filters, law_17_pages};
pub use self::search::{law_22_literal, law_23_complete, law_24_order_and_pages, law_25_scope};
pub use self::sessions::{
    law_01_create_once, law_02_round_trip, law_03_unknown, law_04_update, law_05_list,
    law_06_sweep, law_07_delete,
};
