//! Encrypted connections, by rustls with ring. The name of the host is always checked.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use session_store::StoreError;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::{SslMode, SslNegotiation};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres::{Config, Socket};
use tokio_rustls::TlsConnector;

use crate::fault::Trouble;

/// How connections are encrypted, and whom to trust. A server that does not encrypt, or is not who
/// it says, is not spoken to.
///
/// ```no_run
/// use session_store_postgres::{PostgresStore, PostgresOptions, Tls};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let roots = std::fs::read_to_string("ca.pem")?;
/// let options = PostgresOptions::default().with_tls(Tls::trusting_pem(&roots)?);
/// let store = PostgresStore::connect_with("postgres://ann@db.example/app", &options).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tls {
    roots: Arc<RootCertStore>,
    identity: Option<Arc<Identity>>,
}

struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Tls {
    /// Trusts whom the operating system trusts.
    ///
    /// # Errors
    ///
    /// [`StoreError::Failed`] when the system has no certificates that can be read.
    pub fn trusting_system() -> Result<Self, StoreError> {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(found.certs);
        match found.errors.into_iter().next() {
            Some(error) if added == 0 => Err(StoreError::failed(error)),
            _ => Self::trusting(roots),
        }
    }

    /// Trusts the certificates in this PEM text, and no others.
    ///
    /// # Errors
    ///
    /// [`StoreError::Failed`] when there is none in it, or one that cannot be read.
    pub fn trusting_pem(roots: &str) -> Result<Self, StoreError> {
        let mut trusted = RootCertStore::empty();
        for certificate in certificates(roots)? {
            trusted.add(certificate).map_err(StoreError::failed)?;
        }
        Self::trusting(trusted)
    }

    fn trusting(roots: RootCertStore) -> Result<Self, StoreError> {
        if roots.is_empty() {
            return Err(StoreError::failed("there is no certificate to trust"));
        }
        Ok(Self {
            roots: Arc::new(roots),
            identity: None,
        })
    }

    /// The same, and shows the server this certificate, with the key to it. Both are PEM texts.
    ///
    /// # Errors
    ///
    /// [`StoreError::Failed`] when one of them cannot be read.
    pub fn with_identity_pem(mut self, chain: &str, key: &str) -> Result<Self, StoreError> {
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(StoreError::failed)?;
        let chain = certificates(chain)?;
        self.identity = Some(Arc::new(Identity { chain, key }));
        Ok(self)
    }

    /// Makes `config` insist on encryption.
    pub(crate) fn maker(&self, config: &mut Config) -> Result<MakeTls, StoreError> {
        if config.get_ssl_mode() == SslMode::Disable {
            return Err(StoreError::failed(Trouble::Encryption));
        }
        config.ssl_mode(SslMode::Require);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(StoreError::failed)?
            .with_root_certificates(Arc::clone(&self.roots));
        let mut client = match &self.identity {
            Some(identity) => builder
                .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
                .map_err(StoreError::failed)?,
            None => builder.with_no_client_auth(),
        };
        if config.get_ssl_negotiation() == SslNegotiation::Direct {
            client.alpn_protocols = vec![b"postgresql".to_vec()];
        }
        Ok(MakeTls(TlsConnector::from(Arc::new(client))))
    }
}

impl fmt::Debug for Tls {
    /// Says how many are trusted; shows no key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls")
            .field("roots", &self.roots.len())
            .field("has_identity", &self.identity.is_some())
            .finish()
    }
}

fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, StoreError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    read.map_err(StoreError::failed)
}

#[derive(Clone)]
pub(crate) struct MakeTls(TlsConnector);

impl MakeTlsConnect<Socket> for MakeTls {
    type Stream = Encrypted;
    type TlsConnect = Handshake;
    type Error = rustls::pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<Handshake, Self::Error> {
        Ok(Handshake {
            connector: self.0.clone(),
            host: ServerName::try_from(host)?.to_owned(),
        })
    }
}

pub(crate) struct Handshake {
    connector: TlsConnector,
    host: ServerName<'static>,
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Encrypted;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let stream = self.connector.connect(self.host, socket).await?;
            Ok(Encrypted(stream))
        })
    }
}

pub(crate) struct Encrypted(tokio_rustls::client::TlsStream<Socket>);

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
