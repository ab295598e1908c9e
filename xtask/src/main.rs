//! The repository's commands.

fn main() {}
