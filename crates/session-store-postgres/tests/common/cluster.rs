//! A PostgreSQL server of the tests' own, on a socket in a temporary folder.
//!
//! A guard beside the test process stops the server and removes the folder when the process is
//! gone, however it went: the guard reads from a pipe that ends with it.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) struct Cluster {
    folder: PathBuf,
    bin: PathBuf,
    user: Option<(u32, u32)>,
    options: String,
    _guard: Child,
}

impl Cluster {
    /// Makes a server with these options beside the tests' own, and waits until it answers.
    pub(crate) fn start(options: &str) -> Self {
        Self::start_after(options, |_| {})
    }

    /// As `start`; `prepare` may put files in the server's folder before it runs.
    pub(crate) fn start_after(options: &str, prepare: impl FnOnce(&Path)) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pg-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        let user = ordinary_user(&folder);
        if let Some((uid, gid)) = user {
            chown(&folder, Some(uid), Some(gid)).unwrap();
        }
        let bin = programs();
        let made = init(&bin, &folder, user, "C.UTF-8");
        made.or_else(|_| init(&bin, &folder, user, "C")).unwrap();
        prepare(&folder.join("data"));
        let options = format!(
            "-c listen_addresses='' -c unix_socket_directories='{}' -c fsync=off \
             -c max_connections=200 {options}",
            folder.display()
        );
        let guard = guard(&bin, &folder, user, &options);
        Self {
            folder,
            bin,
            user,
            options,
            _guard: guard,
        }
    }

    /// The connection string of a database.
    pub(crate) fn url(&self, database: &str) -> String {
        let host = self.folder.display();
        format!("host={host} user=postgres dbname={database}")
    }

    /// The folder of the server's files.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Gives a file to whoever owns `folder`, and to nobody else.
    pub(crate) fn hand_over(file: &Path, folder: &Path) {
        let owner = fs::metadata(folder).unwrap();
        chown(file, Some(owner.uid()), Some(owner.gid())).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Stops the server as a crash would.
    pub(crate) fn crash(&self) {
        self.control(&["-m", "immediate", "stop"]);
    }

    /// Starts it again, and waits until it answers.
    pub(crate) fn restart(&self) {
        self.control(&["-o", &self.options, "start"]);
    }

    fn control(&self, arguments: &[&str]) {
        let mut command = as_user(&self.bin.join("pg_ctl"), self.user);
        command.arg("-D").arg(self.folder.join("data"));
        command.arg("-l").arg(self.folder.join("log"));
        command.args(["-s", "-w"]).args(arguments);
        assert!(command.status().unwrap().success(), "{arguments:?}");
    }
}

/// Where the programs of the newest PostgreSQL are, or of the one that `POSTGRES_BIN` names.
fn programs() -> PathBuf {
    if let Some(folder) = std::env::var_os("POSTGRES_BIN") {
        return PathBuf::from(folder);
    }
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut found: Vec<(u32, PathBuf)> = versions
        .flatten()
        .filter_map(|version| {
            let number = version.file_name().to_str()?.parse().ok()?;
            Some((number, version.path().join("bin")))
        })
        .collect();
    found.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::split_paths(&path);
    let folders = found
        .into_iter()
        .rev()
        .map(|(_, folder)| folder)
        .chain(path);
    let mut complete = folders.filter(|folder| folder.join("initdb").exists());
    complete
        .next()
        .expect("these tests need a PostgreSQL server of their own, and there is no `initdb`; `.ci/run` installs it")
}

/// The server refuses to be run by the administrator.
fn ordinary_user(folder: &Path) -> Option<(u32, u32)> {
    if fs::metadata(folder).unwrap().uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let of = |name: &str| {
        users.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(':').collect();
            let is_it = fields.first() == Some(&name);
            let number = |at: usize| fields.get(at)?.parse().ok();
            is_it.then(|| number(2).zip(number(3)))?
        })
    };
    Some(of("postgres").or_else(|| of("nobody")).unwrap())
}

fn as_user(program: &Path, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
    command.current_dir("/").env("LC_ALL", "C");
    command
}

fn init(bin: &Path, folder: &Path, user: Option<(u32, u32)>, locale: &str) -> Result<(), String> {
    let mut command = as_user(&bin.join("initdb"), user);
    command.arg("-D").arg(folder.join("data"));
    command.args(["-U", "postgres", "--auth=trust", "-E", "UTF8", "--no-sync"]);
    command.arg(format!("--locale={locale}"));
    let output = command.output().unwrap();
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

const GUARD: &str = "\
    trap '' INT HUP TERM
    \"$1/pg_ctl\" -D \"$2/data\" -s -w -l \"$2/log\" -o \"$3\" start && echo ready || echo failed
    cat >/dev/null
    \"$1/pg_ctl\" -D \"$2/data\" -s -m immediate stop 2>/dev/null
    rm -rf \"$2\"";

fn guard(bin: &Path, folder: &Path, user: Option<(u32, u32)>, options: &str) -> Child {
    let mut command = as_user(Path::new("/bin/sh"), user);
    command
        .args(["-c", GUARD, "sh"])
        .arg(bin)
        .arg(folder)
        .arg(options);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut guard = command.spawn().unwrap();
    let mut line = String::new();
    let said = guard.stdout.take().unwrap();
    BufReader::new(said).read_line(&mut line).unwrap();
    let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
    assert_eq!(line, "ready\n", "the server did not start: {log}");
    guard
}
