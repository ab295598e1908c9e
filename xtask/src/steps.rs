//! The list of checks, and `ci`, which runs all of it.

use std::fmt::Write as _;
use std::time::Duration;
use std::time::Instant;

use crate::bench::BENCHES;
use crate::failure::Failure;
use crate::workspace::Workspace;
use crate::{
    api, book, coverage, deny, examples, features, fuzz, layers, msrv, no_std, sqlite_range, tidy,
    toolchain,
};

/// One check that can be run alone.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    about: &'static str,
    pub(crate) run: fn(&Workspace) -> Result<(), Failure>,
}

/// Cheap checks first, so that a slip is told in seconds.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fmt --check",
        about: "the code is formatted (`fmt` alone formats it)",
        run: toolchain::check_format,
    },
    Step {
        name: "tidy",
        about: "files are short, manifests complete, dependencies explained",
        run: tidy::run,
    },
    Step {
        name: "book",
        about: "the pages are a book, and no link leads nowhere (alone it builds it with mdbook)",
        run: book::check,
    },
    Step {
        name: "layers",
        about: "the arrows between crates are those of Cargo.toml and ARCHITECTURE.md",
        run: layers::run,
    },
    Step {
        name: "deny",
        about: "bans, licences and sources of everything we depend on",
        run: deny::run,
    },
    Step {
        name: "no-std",
        about: "the lowest crates link without the standard library",
        run: no_std::run,
    },
    Step {
        name: "clippy",
        about: "no lint fires, with all features",
        run: toolchain::clippy,
    },
    Step {
        name: "test",
        about: "all tests and all examples in the documentation",
        run: toolchain::test,
    },
    Step {
        name: "coverage",
        about: "tests take 95 % of lines and branches of the lowest crates (`--all`: lines of all)",
        run: coverage::check,
    },
    Step {
        name: "examples",
        about: "every example runs to its end",
        run: examples::run_all,
    },
    Step {
        name: "doc",
        about: "the documentation builds without a warning",
        run: toolchain::doc,
    },
    Step {
        name: "api",
        about: "what crates offer is what is committed (`bless` writes it)",
        run: api::check,
    },
    Step {
        name: "features",
        about: "each crate builds with every selection of its features",
        run: features::run,
    },
    Step {
        name: "msrv",
        about: "the lowest crates build with the oldest compiler they promise",
        run: msrv::run,
    },
    Step {
        name: "sqlite-range",
        about: "the SQLite store keeps its laws with both ends of the range of rusqlite",
        run: sqlite_range::run,
    },
    Step {
        name: "fuzz",
        about: "made-up input of each kind breaks no promise (`fuzz TARGET INPUTS` for more)",
        run: fuzz::run_all,
    },
];

pub(crate) fn find(name: &str) -> Option<&'static Step> {
    STEPS.iter().find(|step| step.name == name)
}

pub(crate) fn help() -> String {
    let mut text = String::from("cargo xtask COMMAND\n\n");
    let _ = writeln!(text, "  {:<12} everything below, in this order", "ci");
    for step in STEPS {
        let _ = writeln!(text, "  {:<12} {}", step.name, step.about);
    }
    let benches: Vec<_> = BENCHES.iter().map(|bench| bench.name).collect();
    let _ = writeln!(
        text,
        "\n  {:<12} prints figures, of one or all: {}",
        "bench",
        benches.join(", ")
    );
    text
}

/// Runs every step until one fails, then says how long each took.
pub(crate) fn ci(workspace: &Workspace) -> Result<(), Failure> {
    run_all(STEPS, workspace)
}

fn run_all(steps: &[Step], workspace: &Workspace) -> Result<(), Failure> {
    let mut taken = Vec::new();
    let mut failure = None;
    for step in steps {
        println!("\n== {} ==", step.name);
        let start = Instant::now();
        let result = (step.run)(workspace);
        taken.push(start.elapsed());
        if let Err(error) = result {
            eprintln!("{error}");
            failure = Some(Failure::new(format!(
                "ci stopped at `{0}`; `cargo xtask {0}` runs it alone",
                step.name
            )));
            break;
        }
    }
    print!("\n{}", summary(steps, &taken, failure.is_some()));
    failure.map_or(Ok(()), Err)
}

/// One line a step: those that ran with their time, the last of them perhaps failed, then the rest.
fn summary(steps: &[Step], taken: &[Duration], failed: bool) -> String {
    let mut text = String::new();
    for (index, step) in steps.iter().enumerate() {
        let word = match taken.len().checked_sub(index + 1) {
            None => "not run",
            Some(0) if failed => "FAILED",
            Some(_) => "ok",
        };
        let time = taken
            .get(index)
            .map(|time| format!("{:>7.1} s", time.as_secs_f64()))
            .unwrap_or_default();
        let line = format!("{:<12} {word:<8}{time}", step.name);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let total: Duration = taken.iter().sum();
    let _ = writeln!(text, "{:<12} {:>15.1} s", "total", total.as_secs_f64());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &'static str) -> Step {
        Step {
            name,
            about: "",
            run: |_| Ok(()),
        }
    }

    #[test]
    fn the_summary_tells_failed_from_not_run() {
        let steps = [step("one"), step("two"), step("three")];
        let taken = [Duration::from_millis(1500), Duration::from_secs(60)];
        assert_eq!(
            summary(&steps, &taken, true),
            "one          ok          1.5 s\n\
             two          FAILED     60.0 s\n\
             three        not run\n\
             total                   61.5 s\n"
        );
    }

    #[test]
    fn the_run_stops_at_the_first_failure_and_names_it() {
        let failing = Step {
            run: |_| Err(Failure::new("no")),
            ..step("two")
        };
        let unreachable = Step {
            run: |_| panic!("a step after the failure ran"),
            ..step("three")
        };
        let workspace = Workspace::load().unwrap();
        let failure = run_all(&[step("one"), failing, unreachable], &workspace).unwrap_err();
        assert_eq!(
            failure.to_string(),
            "ci stopped at `two`; `cargo xtask two` runs it alone"
        );
        run_all(&[step("one")], &workspace).unwrap();
    }

    #[test]
    fn the_help_names_every_step() {
        let help = help();
        for step in STEPS {
            assert!(help.contains(step.name), "{}", step.name);
        }
    }
}
