//! The laws of the storage port as tests.
