//! One bad record never costs a file, and every one is reported.

mod documents;
mod lines;
mod refused;
