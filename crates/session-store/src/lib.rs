//! The storage port: one append-only log per session, with expected versions.
