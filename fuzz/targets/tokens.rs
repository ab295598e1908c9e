//! Any text: two libraries count the same, a count stops at its limit, and no estimate is zero.

#![no_main]

use std::collections::HashSet;

use compaction_core::TokenEstimator;
use compaction_tokens::{Encoding, Estimators, Tiktoken};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for (encoding, reference) in [
        (Encoding::O200kBase, tiktoken_rs::o200k_base_singleton()),
        (Encoding::Cl100kBase, tiktoken_rs::cl100k_base_singleton()),
    ] {
        let ours = Tiktoken::new(encoding);
        let count = ours.count(text);
        if let Ok((tokens, _)) = reference.encode(text, &HashSet::new()) {
            assert_eq!(count, tokens.len() as u64, "{encoding:?}");
        }
        assert_eq!(ours.count_up_to(text, count), Some(count));
        if let Some(less) = count.checked_sub(1) {
            assert_eq!(ours.count_up_to(text, less), None);
        }
    }
    for name in Estimators::names() {
        let estimator = Estimators::by_name(name).expect("it is a name of the list");
        assert_eq!(estimator.estimate(text) == 0, text.is_empty(), "{name}");
    }
});
