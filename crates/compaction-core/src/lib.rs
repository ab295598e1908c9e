//! Where may a conversation be cut, and what does a compaction pass need next?
