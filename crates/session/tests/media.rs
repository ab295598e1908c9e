//! Media cost the same whoever counts them.

use compaction_tokens::MediaCosts;
use session_log::{AUDIO_TOKENS, FILE_TOKENS, IMAGE_TOKENS, VIDEO_TOKENS};

#[test]
fn an_event_costs_what_the_counters_say() {
    let events = MediaCosts {
        image: IMAGE_TOKENS,
        audio: AUDIO_TOKENS,
        video: VIDEO_TOKENS,
        file: FILE_TOKENS,
    };
    assert_eq!(events, MediaCosts::default());
}
