//! Figures: each bench prints a table, of this machine and this run.
//!
//! Times fail nothing. Instructions are counted and not timed, so their growth is a law: `instructions`
//! fails when it is broken.

mod cli;
mod instructions;

use crate::failure::Failure;
use crate::process::{cargo, run};
use crate::workspace::Workspace;

/// What can be measured.
pub(crate) struct Bench {
    pub(crate) name: &'static str,
    how: How,
}

enum How {
    /// A bench of a package, by their names.
    Program(&'static str, &'static str),
    /// A part of it, which the whole prints too.
    Part(&'static str, &'static str, &'static str),
    /// One of ours.
    Here(fn(&Workspace) -> Result<(), Failure>),
}

pub(crate) const BENCHES: &[Bench] = &[
    Bench {
        name: "tokens",
        how: How::Program("compaction-tokens", "counting"),
    },
    Bench {
        name: "cut",
        how: How::Program("compaction-core", "cut"),
    },
    Bench {
        name: "store",
        how: How::Program("session-store-sqlite", "store"),
    },
    Bench {
        name: "view",
        how: How::Part("session-store-sqlite", "store", "view"),
    },
    Bench {
        name: "search",
        how: How::Part("session-store-sqlite", "store", "search"),
    },
    Bench {
        name: "postgres",
        how: How::Program("session-store-postgres", "measure"),
    },
    Bench {
        name: "cli",
        how: How::Here(cli::run),
    },
    Bench {
        name: "instructions",
        how: How::Here(instructions::run),
    },
];

/// Runs the bench of this name, or all of them.
pub(crate) fn bench(workspace: &Workspace, name: Option<&str>) -> Result<(), Failure> {
    for bench in chosen(name)? {
        match bench.how {
            How::Program(package, bench) => run(&mut program(workspace, package, bench))?,
            How::Part(package, bench, part) => {
                run(program(workspace, package, bench).args(["--", part]))?;
            }
            How::Here(measure) => measure(workspace)?,
        }
    }
    Ok(())
}

/// The one of this name; without a name all but the parts of others.
fn chosen(name: Option<&str>) -> Result<Vec<&'static Bench>, Failure> {
    let Some(name) = name else {
        let is_whole = |bench: &&Bench| !matches!(bench.how, How::Part(..));
        return Ok(BENCHES.iter().filter(is_whole).collect());
    };
    let found = BENCHES.iter().find(|bench| bench.name == name);
    found.map(|bench| vec![bench]).ok_or_else(|| {
        let known: Vec<_> = BENCHES.iter().map(|bench| bench.name).collect();
        Failure::new(format!(
            "there is no bench {name}; there are: {}",
            known.join(", ")
        ))
    })
}

fn program(workspace: &Workspace, package: &str, bench: &str) -> std::process::Command {
    cargo(workspace, ["bench", "--package", package, "--bench", bench])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: Option<&str>) -> Vec<&'static str> {
        chosen(name).unwrap().iter().map(|it| it.name).collect()
    }

    #[test]
    fn a_part_runs_alone_and_never_beside_the_whole() {
        assert_eq!(names(Some("view")), ["view"]);
        assert!(names(None).contains(&"store"));
        assert!(!names(None).contains(&"view"));
    }

    #[test]
    fn an_unknown_bench_is_told_what_there_is() {
        let Err(failure) = chosen(Some("speed")) else {
            panic!("there is no bench `speed`");
        };
        assert_eq!(
            failure.to_string(),
            "there is no bench speed; there are: tokens, cut, store, view, search, postgres, cli, \
             instructions"
        );
    }
}
