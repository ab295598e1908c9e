//! The stored form of events: frozen records, one module a version.
