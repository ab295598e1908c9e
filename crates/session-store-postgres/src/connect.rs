//! Connections: how they are made, pooled, and never handed on in the middle of something.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{
    ClientWrapper, Connect, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod,
    Runtime, TimeoutType,
};
use futures_util::StreamExt as _;
use futures_util::stream::{self, Stream};
use session_store::StoreError;
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Error, NoTls, Socket};

use crate::fault::{Fault, Trouble};
use crate::options::PostgresOptions;

/// What the database sends beside answers. A connection works as long as somebody asks for it.
pub(crate) type Messages = Pin<Box<dyn Stream<Item = Result<AsyncMessage, Error>> + Send>>;

/// After so much silence the peer is asked whether it is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// Makes connections.
#[derive(Clone)]
pub(crate) struct Connector(Arc<Target>);

struct Target {
    config: Config,
    timeout: Duration,
    #[cfg(feature = "tls")]
    tls: Option<crate::tls::MakeTls>,
}

impl Connector {
    /// A connector for `url`, which no error and no `Debug` ever shows: it may hold a password.
    pub(crate) fn new(url: &str, options: &PostgresOptions) -> Result<Self, StoreError> {
        let config: Result<Config, _> = url.parse();
        let Ok(mut config) = config else {
            return Err(StoreError::failed(Trouble::ConnectionString));
        };
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(StoreError::failed(Trouble::ConnectionString));
        }
        if config.get_application_name().is_none() {
            config.application_name(env!("CARGO_PKG_NAME"));
        }
        if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
            config.keepalives_idle(KEEPALIVE);
        }
        #[cfg(feature = "tls")]
        let tls = match &options.tls {
            Some(tls) => Some(tls.maker(&mut config)?),
            None => None,
        };
        #[cfg(feature = "tls")]
        let is_encrypted = tls.is_some();
        #[cfg(not(feature = "tls"))]
        let is_encrypted = false;
        if config.get_ssl_mode() == SslMode::Require && !is_encrypted {
            return Err(StoreError::failed(Trouble::NoEncryption));
        }
        Ok(Self(Arc::new(Target {
            config,
            timeout: options.connect_timeout,
            #[cfg(feature = "tls")]
            tls,
        })))
    }

    /// One connection beside the pool.
    pub(crate) async fn open(&self) -> Result<(Client, Messages), Fault> {
        match tokio::time::timeout(self.0.timeout, self.make()).await {
            Ok(made) => Ok(made?),
            Err(_) => Err(StoreError::unavailable(Trouble::Silent).into()),
        }
    }

    /// The same, kept at work until it is dropped.
    pub(crate) async fn client(&self) -> Result<Client, Fault> {
        let (client, messages) = self.open().await?;
        tokio::spawn(drain(messages));
        Ok(client)
    }

    async fn make(&self) -> Result<(Client, Messages), Error> {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.0.tls {
            let (client, connection) = self.0.config.connect(tls.clone()).await?;
            return Ok((client, messages(connection)));
        }
        let (client, connection) = self.0.config.connect(NoTls).await?;
        Ok((client, messages(connection)))
    }
}

fn messages<T>(mut connection: Connection<Socket, T>) -> Messages
where
    T: TlsStream + Unpin + Send + 'static,
{
    Box::pin(stream::poll_fn(move |context| {
        connection.poll_message(context)
    }))
}

impl Connect for Connector {
    fn connect(
        &self,
        _: &Config,
    ) -> Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), Error>> + Send + '_>> {
        Box::pin(async {
            let (client, messages) = self.make().await?;
            Ok((client, tokio::spawn(drain(messages))))
        })
    }
}

/// Keeps a connection at work; what it says unasked is of no interest.
async fn drain(mut messages: Messages) {
    while let Some(Ok(_)) = messages.next().await {}
}

/// A pool of connections.
pub(crate) struct Connections {
    pool: Pool,
}

impl Connections {
    pub(crate) fn new(connector: Connector, options: &PostgresOptions) -> Result<Self, StoreError> {
        let config = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_connect(connector.0.config.clone(), connector, config);
        let pool = Pool::builder(manager)
            .max_size(options.max_connections.max(1))
            .wait_timeout(Some(options.patience))
            .create_timeout(Some(options.connect_timeout))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(StoreError::failed)?;
        Ok(Self { pool })
    }

    pub(crate) async fn lease(&self) -> Result<Lease, Fault> {
        let trouble = match self.pool.get().await {
            Ok(client) => return Ok(Lease(Some(client))),
            // A new connection that is not to be had will not be had at once either.
            Err(PoolError::Backend(error)) => {
                return Err(Fault::Final(Fault::from(error).into_error()));
            }
            Err(PoolError::Closed) => return Err(StoreError::failed(Trouble::Closed).into()),
            Err(PoolError::Timeout(TimeoutType::Wait)) => Trouble::Busy,
            Err(_) => Trouble::Silent,
        };
        Err(StoreError::unavailable(trouble).into())
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.pool.is_closed()
    }

    /// How many connections are open, and how many of them are free.
    pub(crate) fn count(&self) -> (usize, usize) {
        let status = self.pool.status();
        (status.size, status.available)
    }
}

/// A connection for one call. It goes back to the pool only when it is handed back: a call that is
/// dropped half-way takes its connection with it, and with the connection its transaction.
pub(crate) struct Lease(Option<Object>);

impl Lease {
    pub(crate) fn client(&self) -> Result<&ClientWrapper, Fault> {
        match &self.0 {
            Some(client) => Ok(client),
            None => Err(Fault::Lost(StoreError::unavailable(Trouble::Closed))),
        }
    }

    /// Nothing is under way on the connection: others may use it.
    pub(crate) fn hand_back(mut self) {
        drop(self.0.take());
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(client) = self.0.take() {
            // Out of the pool; dropping the client closes the connection.
            drop(Object::take(client));
        }
    }
}
