//! The `compaction` command.

fn main() {}
