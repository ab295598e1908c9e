//! Any text as a log in notation: one that is read is written as an equal one.

#![no_main]

use compaction_testkit::Log;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(log) = text.parse::<Log>() {
        assert_eq!(log.to_string().parse(), Ok(log));
    }
});
