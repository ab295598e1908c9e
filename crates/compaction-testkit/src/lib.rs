//! Log notation, generators, oracles and laws for compaction strategies.
