//! A compiler out of a Debian release, on a machine with another one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process::read;
use crate::workspace::Workspace;

/// Compiler → the release that ships it.
const RELEASES: &[(&str, &str)] = &[("1.85", "trixie")];

const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// What the compiler's packages ask for and the machine has in its own version: the linker.
const OF_THE_MACHINE: &[(&str, &str)] = &[("gcc", ""), ("binutils", ""), ("libc6-dev", "libc-dev")];

/// The folder with `rustc` and `cargo` of this version, after they were installed if they had to be.
pub(super) fn find_or_install(workspace: &Workspace, version: &str) -> Result<PathBuf, Failure> {
    let Some((_, release)) = RELEASES.iter().find(|(ships, _)| *ships == version) else {
        return Err(Failure::new(format!(
            "no release of Debian is known to ship Rust {version}: \
             `rustup toolchain install {version} --profile minimal`, then again"
        )));
    };
    let folder = workspace
        .target()
        .join("tools")
        .join(format!("rust-{version}"));
    let programs = folder.join("bin");
    // The scripts are written last, so what is half installed is installed again.
    if !programs.join("cargo").is_file() {
        install(&folder, release).map_err(|failure| {
            Failure::new(format!(
                "{failure}\nwithout apt: `rustup toolchain install {version} --profile minimal`, \
                 then again"
            ))
        })?;
        write_scripts(&folder.join("root"), &programs)?;
    }
    Ok(programs)
}

fn install(folder: &Path, release: &str) -> Result<(), Failure> {
    let apt = Apt::new(folder)?;
    apt.use_release(release)?;
    println!("installing Rust of Debian {release} for this check alone");
    read(&mut apt.command(&["update", "--quiet"]))?;
    read(&mut apt.command(&[
        "install",
        "--quiet=2",
        "--yes",
        "--download-only",
        "rustc",
        "cargo",
    ]))?;
    let root = folder.join("root");
    let packages = fs::read_dir(folder.join("apt/cache/archives"))
        .map_err(|error| Failure::because("cannot see what apt downloaded", error))?;
    for package in packages.filter_map(Result::ok).map(|entry| entry.path()) {
        if package.extension().is_some_and(|it| it == "deb") {
            read(
                Command::new("dpkg-deb")
                    .arg("--extract")
                    .arg(&package)
                    .arg(&root),
            )?;
        }
    }
    remove(&folder.join("apt"))
}

/// An apt with a state of its own: it sees one release, and installs nothing on the machine.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn new(folder: &Path) -> Result<Self, Failure> {
        let folder = folder.join("apt");
        remove(&folder)?;
        for part in ["lists/partial", "cache/archives/partial"] {
            let part = folder.join(part);
            fs::create_dir_all(&part).map_err(|error| {
                Failure::because(&format!("cannot create {}", part.display()), error)
            })?;
        }
        let mut there = String::new();
        for (name, provides) in OF_THE_MACHINE {
            there.push_str(&format!(
                "Package: {name}\nStatus: install ok installed\nArchitecture: amd64\n\
                 Version: 99\nProvides: {provides}\nMaintainer: -\nDescription: -\n\n"
            ));
        }
        write(&folder.join("status"), &there.replace("Provides: \n", ""))?;
        Ok(Self { folder })
    }

    /// Finds where the machine gets its packages from, and asks there for this release.
    fn use_release(&self, release: &str) -> Result<(), Failure> {
        read(&mut self.command(&["update", "--quiet"]))?;
        let targets = read(&mut self.command(&[
            "indextargets",
            "--format",
            "$(ORIGIN) $(REPO_URI)",
            "Created-By: Packages",
        ]))?;
        let archive = archive(&targets).ok_or_else(|| {
            Failure::new("this machine gets no packages from an archive of Debian")
        })?;
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let line = format!("deb [arch=amd64 signed-by={keys}] {archive} {release} main\n");
        write(&self.folder.join("sources.list"), &line)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("apt-get");
        let mut set = |name: &str, value: &Path| {
            command.arg("-o").arg(format!("{name}={}", value.display()));
        };
        set("Dir::State::Lists", &self.folder.join("lists"));
        set("Dir::State::status", &self.folder.join("status"));
        set("Dir::Cache", &self.folder.join("cache"));
        let sources = self.folder.join("sources.list");
        if sources.is_file() {
            set("Dir::Etc::SourceList", &sources);
            set("Dir::Etc::SourceParts", Path::new("-"));
        }
        command
            .args(["-o", "APT::Architecture=amd64"])
            .args(["-o", "APT::Install-Recommends=false"])
            .args(["-o", "APT::Sandbox::User=root"])
            .args(["-o", "Acquire::Languages=none"])
            .args(arguments);
        command
    }
}

/// The first archive of Debian itself that is not for updates alone.
fn archive(targets: &str) -> Option<&str> {
    let mut archives = targets
        .lines()
        .filter_map(|line| line.strip_prefix("Debian "));
    archives.find(|archive| archive.trim_end_matches('/').ends_with("debian"))
}

/// Programs that start those of the release with its own C library.
fn write_scripts(root: &Path, programs: &Path) -> Result<(), Failure> {
    fs::create_dir_all(programs).map_err(|error| {
        Failure::because(&format!("cannot create {}", programs.display()), error)
    })?;
    let libraries = root.join(LIBRARIES);
    let loader = libraries.join("ld-linux-x86-64.so.2");
    for name in ["rustc", "cargo"] {
        let script = format!(
            "#!/bin/sh\nexec '{}' --library-path '{}' '{}' \"$@\"\n",
            loader.display(),
            libraries.display(),
            root.join("usr/bin").join(name).display()
        );
        let path = programs.join(name);
        write(&path, &script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(|error| {
            Failure::because(&format!("cannot make {} a program", path.display()), error)
        })?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text)
        .map_err(|error| Failure::because(&format!("cannot write {}", path.display()), error))
}

fn remove(folder: &Path) -> Result<(), Failure> {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder)
        .map_err(|error| Failure::because(&format!("cannot remove {}", folder.display()), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_debians_own_and_not_the_one_for_updates() {
        let targets = "nodistro http://a.example/node/\n\
                       Debian http://a.example/debian-security/\n\
                       Debian http://a.example/debian/\n";
        assert_eq!(archive(targets), Some("http://a.example/debian/"));
        assert_eq!(archive("Ubuntu http://a.example/ubuntu/"), None);
    }
}
