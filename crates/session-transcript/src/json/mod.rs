//! JSON looked at where it lies: values stay slices of the text they came from, so that nothing is
//! re-written on the way through and depth costs no stack.

mod clean;
mod members;
mod out;
mod raw;
mod visit;

pub(crate) use crate::json::clean::{inspect, without_lone_surrogates, without_nan};
pub(crate) use crate::json::members::Members;
pub(crate) use crate::json::out::{Object, array, quote};
pub(crate) use crate::json::raw::{Kind, Raw};
