//! Random histories against the plain model.

use session_store_memory::MemoryStore;
use session_store_testkit::{block_on, model};

#[test]
fn the_store_answers_like_the_model() {
    model::check(MemoryStore::new, block_on, 512);
}
