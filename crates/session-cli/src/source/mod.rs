//! Where conversations come from: files, standard input, sessions in a store.

pub(crate) mod bytes;
pub(crate) mod count;
pub(crate) mod desk;
pub(crate) mod grown;
pub(crate) mod id;
pub(crate) mod input;
pub(crate) mod place;
pub(crate) mod resolve;

pub(crate) use crate::source::desk::{Desk, Talk};
pub(crate) use crate::source::input::Input;
pub(crate) use crate::source::resolve::{Source, resolve};
