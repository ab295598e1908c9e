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
    /// Benches of packages, by the names of both.
    Programs(&'static [(&'static str, &'static str)]),
    /// What a whole one prints too: a bench of a package, or only a part of that.
    Part(&'static str, &'static str, Option<&'static str>),
    /// One of ours.
    Here(fn(&Workspace) -> Result<(), Failure>),
}

const SQLITE: (&str, &str) = ("session-store-sqlite", "store");
const POSTGRES: (&str, &str) = ("session-store-postgres", "measure");

pub(crate) const BENCHES: &[Bench] = &[
    Bench {
        name: "tokens",
        how: How::Programs(&[("compaction-tokens", "counting")]),
    },
    Bench {
        name: "cut",
        how: How::Programs(&[("compaction-core", "cut")]),
    },
    Bench {
        name: "store",
        how: How::Programs(&[SQLITE, POSTGRES]),
    },
    Bench {
        name: "sqlite",
        how: How::Part(SQLITE.0, SQLITE.1, None),
    },
    Bench {
        name: "view",
        how: How::Part(SQLITE.0, SQLITE.1, Some("view")),
    },
    Bench {
        name: "search",
        how: How::Part(SQLITE.0, SQLITE.1, Some("search")),
    },
    Bench {
        name: "postgres",
        how: How::Part(POSTGRES.0, POSTGRES.1, None),
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
            How::Programs(programs) => {
                for (package, bench) in programs {
                    run(&mut program(workspace, package, bench))?;
                }
            }
            How::Part(package, bench, part) => {
                let mut program = program(workspace, package, bench);
                if let Some(part) = part {
                    program.args(["--", part]);
                }
                run(&mut program)?;
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
        assert!(!names(None).contains(&"postgres"));
    }

    #[test]
    fn an_unknown_bench_is_told_what_there_is() {
        let Err(failure) = chosen(Some("speed")) else {
            panic!("there is no bench `speed`");
        };
        assert_eq!(
            failure.to_string(),
            "there is no bench speed; there are: tokens, cut, store, sqlite, view, search, postgres, \
             cli, instructions"
        );
    }
}
