//! Encrypted connections, with a server that has a certificate of the test's own.

#![cfg(feature = "tls")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use std::fs;
use std::future::Future;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use session_store::{SessionQuery, SessionStore as _, StoreError};
use session_store_postgres::{PostgresOptions, PostgresStore, Tls};

use crate::common::{CLUSTER, Cluster, RUNTIME, fresh_schema, query};

/// A server that lets `certified` in with a certificate only, and where to find it.
static SECURE: LazyLock<Secure> = LazyLock::new(Secure::start);

struct Secure {
    cluster: Cluster,
    port: u16,
}

impl Secure {
    fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={port} -c ssl=on -c ssl_ca_file=root.crt \
             -c ssl_cert_file=server.crt -c ssl_key_file=server.key"
        );
        let cluster = Cluster::start_after(&options, |data| {
            let authority = "basicConstraints=critical,CA:TRUE";
            openssl(data, "root", None, "/CN=root", authority);
            openssl(data, "other", None, "/CN=root", authority);
            let host = "subjectAltName=DNS:localhost";
            openssl(data, "server", Some("root"), "/CN=db", host);
            let person = "extendedKeyUsage=clientAuth";
            openssl(data, "ann", Some("root"), "/CN=certified", person);
            for name in ["root.crt", "server.crt", "server.key"] {
                Cluster::hand_over(&data.join(name), data);
            }
            let rules = "local all all trust\n\
                         hostssl all certified 127.0.0.1/32 cert\n\
                         host all postgres 127.0.0.1/32 trust\n";
            fs::write(data.join("pg_hba.conf"), rules).unwrap();
        });
        let secure = Self { cluster, port };
        let role = "CREATE ROLE certified SUPERUSER LOGIN";
        RUNTIME.block_on(common::run_sql(&secure.socket(), role));
        secure
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.cluster.data().join(name)).unwrap()
    }

    fn url(&self, host: &str, user: &str) -> String {
        format!("postgres://{user}@{host}:{}/postgres", self.port)
    }

    fn socket(&self) -> String {
        format!("{} port={}", self.cluster.url("postgres"), self.port)
    }
}

fn run(test: impl Future<Output = ()>) {
    LazyLock::force(&SECURE);
    RUNTIME.block_on(test);
}

/// Makes a key and a certificate for it, signed by `signer` or by itself.
fn openssl(folder: &Path, name: &str, signer: Option<&str>, subject: &str, extension: &str) {
    let mut command = Command::new("openssl");
    command
        .current_dir(folder)
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes"]);
    command.args(["-days", "36500", "-subj", subject, "-addext", extension]);
    command.args([
        "-keyout",
        &format!("{name}.key"),
        "-out",
        &format!("{name}.crt"),
    ]);
    if let Some(signer) = signer {
        command.args([
            "-CA",
            &format!("{signer}.crt"),
            "-CAkey",
            &format!("{signer}.key"),
        ]);
        command.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    }
    let output = command
        .output()
        .expect("these tests need `openssl`; `.ci/run` installs it");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

async fn connect(url: &str, tls: Option<Tls>) -> Result<PostgresStore, StoreError> {
    let mut options = PostgresOptions::default().with_schema(fresh_schema());
    options.tls = tls;
    PostgresStore::connect_with(url, &options).await
}

fn trusting(root: &str) -> Tls {
    Tls::trusting_pem(&SECURE.read(root)).unwrap()
}

#[track_caller]
fn assert_refused(opened: Result<PostgresStore, StoreError>) {
    let error = opened.unwrap_err();
    assert!(matches!(error, StoreError::Failed { .. }), "{error:?}");
}

#[test]
fn a_server_that_is_trusted_is_spoken_to_in_secret() {
    run(async {
        // Other tests speak to the same server at the same time.
        let url = SECURE.url("localhost", "postgres");
        let url = format!("{url}?application_name=in_secret");
        let store = connect(&url, Some(trusting("root.crt"))).await.unwrap();
        assert!(store.sessions(&SessionQuery::all()).await.is_ok());
        let encrypted = "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                         WHERE application_name = 'in_secret'";
        let encrypted = query(&SECURE.socket(), encrypted).await;
        assert!(
            !encrypted.is_empty() && encrypted.iter().all(|it| it == "t"),
            "{encrypted:?}"
        );
    });
}

#[test]
fn a_certificate_opens_the_door_for_its_owner() {
    run(async {
        let url = SECURE.url("localhost", "certified");
        assert_refused(connect(&url, Some(trusting("root.crt"))).await);
        let (chain, key) = (SECURE.read("ann.crt"), SECURE.read("ann.key"));
        let tls = trusting("root.crt")
            .with_identity_pem(&chain, &key)
            .unwrap();
        assert!(!format!("{tls:?}").contains("PRIVATE"));
        connect(&url, Some(tls)).await.unwrap();
    });
}

#[test]
fn nobody_else_is_spoken_to() {
    run(async {
        let url = SECURE.url("localhost", "postgres");
        let stranger = connect(&url, Some(trusting("other.crt"))).await;
        assert_refused(stranger);
        let other_name = SECURE.url("127.0.0.1", "postgres");
        assert_refused(connect(&other_name, Some(trusting("root.crt"))).await);
        let plain = CLUSTER.url("postgres");
        assert_refused(connect(&plain, Some(trusting("root.crt"))).await);
    });
}

#[test]
fn encryption_is_neither_forgotten_nor_turned_off_by_half() {
    run(async {
        let url = SECURE.url("localhost", "postgres");
        assert_refused(connect(&format!("{url}?sslmode=require"), None).await);
        let tls = Some(trusting("root.crt"));
        assert_refused(connect(&format!("{url}?sslmode=disable"), tls).await);
        connect(&url, None).await.unwrap();
    });
}

#[test]
fn what_is_no_certificate_is_refused_at_once() {
    for text in [
        "",
        "nonsense",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
    ] {
        assert!(Tls::trusting_pem(text).is_err(), "{text}");
    }
    let tls = trusting("root.crt");
    assert!(
        tls.with_identity_pem(&SECURE.read("ann.crt"), "nonsense")
            .is_err()
    );
}
