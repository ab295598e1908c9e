//! Counts and estimates tokens.
