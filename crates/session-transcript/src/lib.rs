//! Transcripts of other tools, in and out.
