//! Random histories against the plain model, with the trigram index and without any extras.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use session_store_postgres::{Extras, PostgresOptions, PostgresStore};
use session_store_testkit::{BoxFuture, model};

use crate::common::{CLUSTER, RUNTIME, open};

fn run(future: BoxFuture<'_>) {
    RUNTIME.block_on(future);
}

fn fresh(extras: Extras) -> PostgresStore {
    let options = PostgresOptions::default().with_extras(extras);
    open(&CLUSTER.url("postgres"), options)
}

#[test]
fn the_store_answers_like_the_model() {
    model::check(|| fresh(Extras::IfThere), run, 48);
}

#[test]
fn without_extras_it_answers_the_same() {
    model::check(|| fresh(Extras::Never), run, 24);
}
