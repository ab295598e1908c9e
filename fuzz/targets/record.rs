//! Bytes as a stored record: one that is read is written as an equal one, in the same bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use session_log::wire;

fuzz_target!(|record: &str| {
    if let Ok(event) = wire::decode(record) {
        let written = wire::encode(&event).expect("what was read is not nested too deep");
        let again = wire::decode(&written).expect("what we write we read");
        assert_eq!(again, event);
        assert_eq!(wire::encode(&again).ok(), Some(written));
    }
    if let Ok(fields) = wire::decode_fields(record) {
        let written = wire::encode_fields(&fields);
        let again = wire::decode_fields(&written).expect("what we write we read");
        assert_eq!(again, fields);
    }
});
