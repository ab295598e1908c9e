//! Every law of the port, for the store itself and behind pointers.

use session_store_memory::MemoryStore;

session_store_testkit::store_laws!(MemoryStore::new);
