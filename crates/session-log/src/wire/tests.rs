//! The exact bytes of each kind of record, and the round trip of everything an event can say.

mod generated;
mod golden;
mod refused;
