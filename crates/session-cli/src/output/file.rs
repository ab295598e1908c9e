//! Writing a file whole or not at all: aside first, then renamed over the old one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, plainly};

/// Writes `text` to `path`. A reader sees the old file or the new one, never a part; where the path
/// is no plain file, such as `/dev/null` or a pipe, it is written to as it is.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    try_write(path, text).map_err(|error| {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::closed();
        }
        let failure = Failure::work(format!(
            "cannot write {}: {}",
            path.display(),
            plainly(&error)
        ));
        match error.kind() {
            io::ErrorKind::NotFound => failure.with_hint("the folder must exist"),
            io::ErrorKind::IsADirectory => failure.with_hint("name a file inside of it"),
            _ => failure,
        }
    })
}

fn try_write(path: &Path, text: &str) -> io::Result<()> {
    let target = behind_links(path);
    let old = fs::metadata(&target).ok();
    match &old {
        Some(old) if old.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Some(old) if !old.is_file() => {
            let mut device = OpenOptions::new().write(true).open(&target)?;
            return device.write_all(text.as_bytes());
        }
        _ => {}
    }
    let (aside, mut file) = create_aside(&target)?;
    let outcome = file
        .write_all(text.as_bytes())
        .and_then(|()| match &old {
            Some(old) => file.set_permissions(old.permissions()),
            None => Ok(()),
        })
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&aside, &target));
    if outcome.is_err() {
        let _ = fs::remove_file(&aside);
    }
    outcome
}

/// What a link points to is replaced, not the link, also when it is not there yet.
fn behind_links(path: &Path) -> PathBuf {
    const MOST_LINKS: usize = 40;
    if let Ok(target) = fs::canonicalize(path) {
        return target;
    }
    let mut target = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&target) else {
            break;
        };
        target.set_file_name("");
        target.push(next);
    }
    target
}

/// A new file beside `target`, under a name nobody has.
fn create_aside(target: &Path) -> io::Result<(PathBuf, File)> {
    const TRIES: u32 = 100;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for number in 0..TRIES {
        let mut aside = std::ffi::OsString::from(".");
        aside.push(name);
        aside.push(format!(".{}-{number}.part", std::process::id()));
        let aside = target.with_file_name(aside);
        match OpenOptions::new().write(true).create_new(true).open(&aside) {
            Ok(file) => return Ok((aside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}
