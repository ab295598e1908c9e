//! Each law is worth its number: stores that break one of them, in a way stores are broken, and the
//! law that tells.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod how;
mod lists;
mod searches;
mod store;

use std::panic::{AssertUnwindSafe, catch_unwind};

use session_store_testkit::{block_on, check_law, laws};

use crate::how::How;
use crate::store::Wrong;

/// Runs the law against a store that is wrong like this; whether it told.
macro_rules! tells {
    ($($how:ident: $law:ident,)*) => {[$({
        let run = || check_law(|| Wrong::new(How::$how), block_on, laws::$law);
        let told = catch_unwind(AssertUnwindSafe(run)).is_err();
        (stringify!($how), stringify!($law), told)
    }),*]};
}

#[test]
fn every_wrong_store_is_told_by_its_law() {
    // What a law says when it does not hold is of no interest here.
    std::panic::set_hook(Box::new(|_| {}));
    let all = tells! {
        MakesItAgain: law_01_create_once,
        AnswersWithWhatWasHandedIn: law_01_create_once,
        KeepsSeconds: law_02_round_trip,
        TakesNoOwnerForEmpty: law_02_round_trip,
        TrimsOwners: law_02_round_trip,
        LosesMetadata: law_02_round_trip,
        KeepsAHundredAttributes: law_02_round_trip,
        MakesWhatIsLookedAt: law_03_unknown,
        MakesWhatIsAppendedTo: law_03_unknown,
        SaysConflictOfTheUnknown: law_03_unknown,
        DeletesTheUnknown: law_03_unknown,
        MergesAttributes: law_04_update,
        ForgetsExpiryInUpdates: law_04_update,
        ListsByTheFirstExpiry: law_04_update,
        OrdersWithoutCase: law_05_list,
        OrdersWithoutPunctuation: law_05_list,
        OrdersByUtf16: law_05_list,
        ComparesOwnersWithoutCase: law_05_list,
        ListsWhatExpiresNow: law_05_list,
        BeginsAnewWhenTheMarkIsGone: law_05_list,
        LosesTheListAtTheMark: law_05_list,
        SweepsWhatExpiresNow: law_06_sweep,
        SweepsWhatNeverExpires: law_06_sweep,
        KeepsIdsOfTheSwept: law_06_sweep,
        CountsOneTooMany: law_06_sweep,
        KeepsIdsOfTheDeleted: law_07_delete,
        DeletesChildren: law_07_delete,
        KeepsTheLogOfTheDeleted: law_07_delete,
        ReadsByTime: law_08_contiguous,
        AppendsOneByOne: law_08_contiguous,
        KeepsTheBeginningOfWhatFailed: law_09_whole,
        AllowsLaterVersions: law_10_expected,
        ChecksNoEmptyBatch: law_10_expected,
        TakesCountersWithoutEvents: law_10_expected,
        RefusesRetries: law_11_again,
        CountsRetries: law_11_again,
        AnswersConflictBeforeClash: law_12_clash,
        TakesAnyEventForTheSame: law_12_clash,
        CutsAtNul: law_13_byte_for_byte,
        WritesJsonAnew: law_13_byte_for_byte,
        KnowsSessionsWithoutCase: law_14_isolation,
        DeletesByPrefix: law_14_isolation,
        ErasesEverywhere: law_14_isolation,
        RecountsEverywhere: law_14_isolation,
        LeavesOutWhatItCannotKeep: law_15_refused,
        TakesHugeCounters: law_15_refused,
        LeavesOutTheLastMoment: law_16_filters,
        LeavesOutTheFirstMoment: law_16_filters,
        ReadsNoPlacesBeside: law_16_filters,
        ReadsPlacesTwice: law_16_filters,
        ReadsForwardOnly: law_16_filters,
        TakesAThousandRoles: law_16_filters,
        RepeatsTheMark: law_17_pages,
        EndsAfterTheFirstPage: law_17_pages,
        CountsPagesFromTheEnd: law_17_pages,
        NamesTheNewestBoundary: law_18_boundary,
        NamesNoBoundary: law_18_boundary,
        KeepsNoCounters: law_19_counters,
        CutsLargeSums: law_19_counters,
        RecountsAtAnyVersion: law_20_recount,
        RecountsNoEvents: law_20_recount,
        TakesTheFirstOfTwoCounts: law_20_recount,
        KeepsCountersOfTheErased: law_21_erase,
        ErasesOnce: law_21_erase,
        FindsTheErased: law_21_erase,
        FindsNoTombstone: law_21_erase,
        TakesPercentForAPattern: law_22_literal,
        FoldsAsciiOnly: law_22_literal,
        SearchesTheView: law_23_complete,
        SearchesNoTools: law_23_complete,
        FindsTheLastOneLater: law_23_complete,
        FindsTheNewestFirst: law_24_order_and_pages,
        FindsTheMarkAgain: law_24_order_and_pages,
        SearchesTheOwnerless: law_25_scope,
        SearchesOwnersWithoutCase: law_25_scope,
        StopsInTheMiddle: law_26_dropped_futures,
        AnswersSenselessQueries: law_27_queries_are_checked,
    };
    let _ = std::panic::take_hook();
    let survivors: Vec<_> = all.iter().filter(|(_, _, told)| !told).collect();
    assert!(survivors.is_empty(), "{survivors:?}");
}
