//! The SQLite store keeps its laws with the lowest and the highest `rusqlite` that it allows.
//!
//! One program can link SQLite once, so the store leaves the choice of `rusqlite` to its users within
//! a range, of which the lockfile tries one version only. Two throw-away packages, each with a lock of
//! its own, pin the ends and run the store's own tests. The highest is what the registry has now,
//! within the range, for this compiler.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::failure::Failure;
use crate::process;
use crate::workspace::{Dependency, Package, Workspace};

const STORE: &str = "session-store-sqlite";
const LIBRARY: &str = "rusqlite";

/// The store's tests that say what is kept, and in which file. Those that start processes say
/// nothing more about a version of the library.
const TESTS: &[&str] = &[
    "damage", "files", "group", "index", "laws", "model", "schema_1", "short",
];

pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let range = Range::of(workspace)?;
    let lowest = lowest_of(range.requirement)?;
    let (highest, reach) = range.highest()?;
    println!("{LIBRARY} {}: {lowest} to {highest}", range.requirement);
    let ends = [("lowest", lowest), ("highest", highest)];
    let mut findings = Vec::new();
    for (name, version) in ends {
        let start = Instant::now();
        let folder = range.write(name, &format!("={version}"))?;
        match test(&folder, &range.target, reach) {
            Ok(()) => println!("{version} {:>7.1} s", start.elapsed().as_secs_f64()),
            Err(failure) => findings.push(format!("{LIBRARY} {version}: {failure}")),
        }
    }
    Failure::unless_empty(
        &format!("{STORE} does not work with all of {}", range.requirement),
        &findings,
    )
}

/// The versions that the store allows, and where they are tried.
struct Range<'a> {
    store: &'a Package,
    requirement: &'a str,
    workspace: &'a Workspace,
    target: PathBuf,
}

impl<'a> Range<'a> {
    fn of(workspace: &'a Workspace) -> Result<Self, Failure> {
        let missing = || Failure::new(format!("there is no `{STORE}` that needs `{LIBRARY}`"));
        let store = workspace.package(STORE).ok_or_else(missing)?;
        let is_library = |it: &&Dependency| it.name == LIBRARY && !it.is_for_tests();
        let library = store.dependencies.iter().find(is_library);
        Ok(Self {
            store,
            requirement: &library.ok_or_else(missing)?.req,
            workspace,
            target: workspace.target().join("sqlite-range"),
        })
    }

    /// Lets cargo choose, as it chooses for a user who has no lock yet; and with which arguments it
    /// could.
    fn highest(&self) -> Result<(String, &'static [&'static str]), Failure> {
        let folder = self.write("newest", self.requirement)?;
        let update = |more: &[&str]| {
            let mut command = Command::new(process::cargo_path());
            command
                .current_dir(&folder)
                .args(["update", "--quiet", "--package", LIBRARY]);
            process::read(command.args(more)).map(drop)
        };
        let mut reach: &[&str] = &[];
        if let Err(failure) = update(reach) {
            println!("the highest version is the highest that was downloaded before: {failure}");
            reach = &["--offline"];
            update(reach)?;
        }
        let lock = fs::read_to_string(folder.join("Cargo.lock"))
            .map_err(|error| Failure::because("cannot read the new Cargo.lock", error))?;
        locked(&lock, LIBRARY)
            .map(|version| (version.to_owned(), reach))
            .ok_or_else(|| Failure::new(format!("the new Cargo.lock has no `{LIBRARY}`")))
    }

    /// Writes a throw-away package that needs this version, and otherwise what our lock has.
    fn write(&self, name: &str, requirement: &str) -> Result<PathBuf, Failure> {
        let folder = self.target.join(name);
        fs::create_dir_all(folder.join("src")).map_err(|error| {
            Failure::because(&format!("cannot create {}", folder.display()), error)
        })?;
        let lock = self.workspace.read("Cargo.lock")?;
        let manifest = manifest(self.workspace, self.store, requirement);
        write_file(&folder.join("Cargo.toml"), &manifest)?;
        write_file(&folder.join("Cargo.lock"), &lock)?;
        write_file(&folder.join("src/lib.rs"), "")?;
        Ok(folder)
    }
}

/// Builds the package and runs its tests.
fn test(folder: &Path, target: &Path, reach: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new(process::cargo_path());
    command
        .current_dir(folder)
        .args(["test", "--quiet", "--tests", "--target-dir"])
        .arg(target.join("target"))
        .args(reach);
    let output = process::capture(&mut command)?;
    if output.status.success() {
        return Ok(());
    }
    // Cargo says what does not build, the tests say which law is broken.
    Err(Failure::new(format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )))
}

/// The manifest of a package that has the store's tests and what they need, without a workspace.
fn manifest(workspace: &Workspace, store: &Package, requirement: &str) -> String {
    let mut manifest = String::from(
        "[package]\nname = \"sqlite-range-check\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         publish = false\n\n[profile.dev]\ndebug = false\nincremental = false\n\n[workspace]\n",
    );
    let tests = folder_of(store).join("tests");
    for test in TESTS {
        let path = tests.join(format!("{test}.rs"));
        let _ = write!(manifest, "\n[[test]]\nname = {test:?}\npath = {path:?}\n");
    }
    let _ = writeln!(
        manifest,
        "\n[dependencies]\n{STORE} = {{ path = {:?} }}\n{LIBRARY} = {requirement:?}",
        folder_of(store)
    );
    for dependency in &store.dependencies {
        let name = &dependency.name;
        if name == LIBRARY || dependency.optional {
            continue;
        }
        let _ = match workspace.package(name).filter(|_| dependency.is_ours()) {
            Some(ours) => writeln!(manifest, "{name} = {{ path = {:?} }}", folder_of(ours)),
            None => writeln!(manifest, "{name} = {:?}", dependency.req),
        };
    }
    manifest
}

fn folder_of(package: &Package) -> &Path {
    package.manifest_path.parent().unwrap_or(Path::new("."))
}

/// The lowest version that `>=A.B, <C` allows, written out.
fn lowest_of(requirement: &str) -> Result<String, Failure> {
    let from = requirement
        .split(',')
        .find_map(|part| part.trim().strip_prefix(">="));
    let Some(from) = from.map(str::trim) else {
        return Err(Failure::new(format!(
            "`{requirement}` has no lowest version: write it as `>=A.B, <C.D`"
        )));
    };
    let mut lowest = from.to_owned();
    for _ in from.split('.').count()..3 {
        lowest.push_str(".0");
    }
    Ok(lowest)
}

/// The version that a lock has of the package `name`.
fn locked<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let head = format!("name = \"{name}\"");
    let mut lines = lock.lines().skip_while(|line| *line != head).skip(1);
    let version = lines.next()?.strip_prefix("version = \"")?;
    version.strip_suffix('"')
}

/// Leaves a file alone that says the same, so that cargo does not build again what it has.
fn write_file(path: &Path, content: &str) -> Result<(), Failure> {
    if fs::read_to_string(path).is_ok_and(|there| there == content) {
        return Ok(());
    }
    fs::write(path, content)
        .map_err(|error| Failure::because(&format!("cannot write {}", path.display()), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_version_is_written_out() {
        for (requirement, lowest) in [
            (">=0.32, <0.44", "0.32.0"),
            ("<0.44,>= 0.32.1", "0.32.1"),
            (">=1", "1.0.0"),
        ] {
            assert_eq!(lowest_of(requirement).unwrap(), lowest, "{requirement}");
        }
        for requirement in ["0.40", "^0.40", "<0.44", "*"] {
            assert!(lowest_of(requirement).is_err(), "{requirement}");
        }
    }

    #[test]
    fn the_version_in_a_lock_is_that_of_the_package_itself() {
        let lock = "[[package]]\nname = \"rusqlite-more\"\nversion = \"9.0.0\"\n\n\
                    [[package]]\nname = \"rusqlite\"\nversion = \"0.40.2\"\n\
                    dependencies = [\n \"libsqlite3-sys\",\n]\n";
        assert_eq!(locked(lock, "rusqlite"), Some("0.40.2"));
        assert_eq!(locked(lock, "libsqlite3-sys"), None);
    }

    #[test]
    fn what_does_not_build_and_what_fails_is_told() {
        let target = Workspace::load()
            .unwrap()
            .target()
            .join("sqlite-range-tests");
        let try_out = |name: &str, source: &str| {
            let folder = target.join(name);
            fs::create_dir_all(folder.join("src")).unwrap();
            let manifest =
                format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n[workspace]\n");
            write_file(&folder.join("Cargo.toml"), &manifest).unwrap();
            write_file(&folder.join("src/lib.rs"), source).unwrap();
            test(&folder, &target, &[])
        };
        try_out("holds", "#[test] fn law() {}").unwrap();
        let failure = try_out("breaks", "#[test] fn law() { panic!() }").unwrap_err();
        assert!(failure.to_string().contains("law"), "{failure}");
        let failure = try_out("unbuilt", "pub fn one() -> u8 { absent() }").unwrap_err();
        assert!(failure.to_string().contains("absent"), "{failure}");
    }

    #[test]
    fn the_package_pins_the_version_and_has_tests_that_are_there() {
        let workspace = Workspace::load().unwrap();
        let range = Range::of(&workspace).unwrap();
        let manifest = manifest(&workspace, range.store, "=1.2.3");
        let mentions = |line: &str| manifest.lines().filter(|it| it.starts_with(line)).count();
        assert_eq!(mentions("rusqlite = \"=1.2.3\""), 1);
        assert_eq!(mentions("rusqlite"), 1);
        assert_eq!(mentions("session-store-testkit = { path = "), 1);
        assert_eq!(mentions("tempfile = "), 1);
        for test in TESTS {
            let path = folder_of(range.store).join(format!("tests/{test}.rs"));
            assert!(path.is_file(), "{test}");
        }
    }

    #[test]
    fn every_test_of_the_store_is_run_but_those_with_processes() {
        let workspace = Workspace::load().unwrap();
        let range = Range::of(&workspace).unwrap();
        let mut there: Vec<String> = fs::read_dir(folder_of(range.store).join("tests"))
            .unwrap()
            .filter_map(|entry| {
                let name = entry.unwrap().file_name().into_string().unwrap();
                name.strip_suffix(".rs").map(str::to_owned)
            })
            .filter(|name| !["crash", "processes"].contains(&name.as_str()))
            .collect();
        there.sort();
        assert_eq!(there, TESTS);
    }
}
