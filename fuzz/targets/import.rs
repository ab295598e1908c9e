//! Bytes as a transcript of one format: reading says what it skips and never panics, what is
//! written can be read again, and a request is one that its provider takes.
//!
//! `IMPORTER` is the number of the format; without it the format is found out by the content.

#![no_main]

use std::process::exit;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use session_transcript::{
    Format, ReadOptions, WriteOptions, check_request, read, view_as_request, write,
};

/// Ends the list of formats for whoever counts through it.
const NO_SUCH_IMPORTER: i32 = 64;

static FORMAT: OnceLock<Option<Format>> = OnceLock::new();

fuzz_target!(
    init: {
        let number = std::env::var("IMPORTER").ok();
        let number = number.map(|number| number.parse::<usize>().expect("IMPORTER is a number"));
        let format = number.map(|number| match Format::ALL.get(number) {
            Some(format) => *format,
            None => exit(NO_SUCH_IMPORTER),
        });
        FORMAT.set(format).expect("it starts once");
    },
    |bytes: &[u8]| {
        let mut options = ReadOptions::default();
        options.format = *FORMAT.get().expect("it has started");
        import(bytes, &options);
    }
);

fn import(bytes: &[u8], options: &ReadOptions) {
    let Ok(transcript) = read(bytes, options) else {
        return;
    };
    // What cannot be written says so as an error.
    let _ = transcript.write_back();
    for conversation in &transcript.conversations {
        let events = &conversation.events;
        for format in Format::ALL.iter().copied() {
            if let Ok(request) = view_as_request(events, format) {
                assert_eq!(check_request(format, &request.text), [], "{}", request.text);
            }
        }
        let own = write(events, None, Format::Jsonl, &WriteOptions::default());
        let written = own.expect("our own format has room for everything").text;
        if written.is_empty() {
            continue;
        }
        let mut ours = ReadOptions::default();
        ours.format = Some(Format::Jsonl);
        let again = read(written.as_bytes(), &ours).expect("what we write we read");
        let again: Vec<_> = again
            .conversations
            .iter()
            .flat_map(|one| &one.events)
            .collect();
        assert!(again.into_iter().eq(events), "our own format loses nothing");
    }
}
