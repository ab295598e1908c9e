//! Every example runs to its end. `cargo test` only builds them.

use std::process::Command;

use serde::Deserialize;

use crate::failure::Failure;
use crate::process::{self, cargo, run};
use crate::workspace::Workspace;

/// What an example needs to be told.
const ARGUMENTS: &[(&str, &[&str])] = &[("survey", &["docs/examples"])];

/// Examples that need a server, which a person starts: they are built and not run. Tests that have
/// one run `postgres`.
const NEED_A_SERVER: &[&str] = &["planted_facts", "postgres"];

pub(crate) fn run_all(workspace: &Workspace) -> Result<(), Failure> {
    let selection = ["--workspace", "--all-features", "--examples"];
    run(cargo(workspace, ["build", "--quiet", "--locked"]).args(selection))?;
    let examples = examples(workspace)?;
    let folder = workspace.target().join("debug").join("examples");
    for example in &examples {
        if NEED_A_SERVER.contains(&example.as_str()) {
            println!("{example}: built, needs a server");
            continue;
        }
        let known = ARGUMENTS.iter().find(|(name, _)| name == example);
        let arguments = known.map_or([].as_slice(), |(_, arguments)| arguments);
        let mut command = Command::new(folder.join(example));
        process::read(command.args(arguments).current_dir(workspace.root()))?;
        println!("{example}: ok");
    }
    if examples.is_empty() {
        return Err(Failure::new("there are no examples".to_owned()));
    }
    Ok(())
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
}

/// The names of all examples, in order. Two of one name would overwrite each other.
fn examples(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let metadata = ["metadata", "--format-version=1", "--no-deps"];
    let text = process::read(&mut cargo(workspace, metadata))?;
    let metadata: Metadata = serde_json::from_str(&text)
        .map_err(|error| Failure::because("cannot understand `cargo metadata`", error))?;
    let targets = metadata
        .packages
        .into_iter()
        .flat_map(|package| package.targets);
    let mut names: Vec<_> = targets
        .filter(|target| target.kind.iter().any(|kind| kind == "example"))
        .map(|target| target.name)
        .collect();
    names.sort();
    let twice = names.windows(2).find(|pair| pair.first() == pair.last());
    match twice.and_then(|pair| pair.first()) {
        Some(name) => Err(Failure::new(format!(
            "there are two examples named `{name}`; rename one"
        ))),
        None => Ok(names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_tables_name_exists() {
        let examples = examples(&Workspace::load().unwrap()).unwrap();
        let named = ARGUMENTS.iter().map(|(name, _)| name);
        for name in named.chain(NEED_A_SERVER) {
            assert!(examples.iter().any(|example| example == name), "{name}");
        }
    }
}
