//! An append-only session log with compaction, wired.
