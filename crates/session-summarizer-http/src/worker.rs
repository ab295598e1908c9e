//! The thread that sends requests. It has a runtime of its own, so that whoever waits for a summary
//! may wait in any runtime or in none.

use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use reqwest::header::HeaderMap;
use reqwest::{Client, Url, redirect};
use tokio::sync::{mpsc, oneshot};

use crate::options::{HttpOptions, Proxy};
use crate::settings::SettingsError;
use crate::tls;

/// A request, ready to be sent.
pub(crate) struct Outgoing {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// An answer, read to its end, or as far as was allowed when its status tells an error.
pub(crate) struct Incoming {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It took longer than allowed.
    Timeout,
    /// It is larger than allowed.
    TooLarge,
    /// The connection failed or broke off.
    Connection(reqwest::Error),
    /// There are no certificates to check the server's against.
    Certificates(rustls::Error),
    /// The thread could not be started, or ended.
    Thread(io::Error),
}

/// Sends requests one after the other or at once, in a thread that starts with the first of them
/// and ends with the last clone.
#[derive(Clone)]
pub(crate) struct Worker {
    plan: Arc<Plan>,
    jobs: Arc<Mutex<Option<mpsc::UnboundedSender<Job>>>>,
}

/// What the client is made of.
struct Plan {
    options: HttpOptions,
    is_encrypted: bool,
    is_loopback: bool,
}

struct Job {
    request: Outgoing,
    answer: oneshot::Sender<Result<Incoming, Failure>>,
}

impl Worker {
    /// A worker that sends as `options` say.
    ///
    /// # Errors
    ///
    /// [`SettingsError::OutOfRange`], [`SettingsError::InvalidProxy`] or
    /// [`SettingsError::InvalidHeader`].
    pub(crate) fn new(
        options: HttpOptions,
        is_encrypted: bool,
        is_loopback: bool,
    ) -> Result<Self, SettingsError> {
        options.check()?;
        if let Proxy::Url(url) = &options.proxy {
            reqwest::Proxy::all(url).map_err(|_| SettingsError::InvalidProxy)?;
        }
        if reqwest::header::HeaderValue::from_str(&options.user_agent).is_err() {
            let name = "user-agent".into();
            return Err(SettingsError::InvalidHeader { name });
        }
        Ok(Self {
            plan: Arc::new(Plan {
                options,
                is_encrypted,
                is_loopback,
            }),
            jobs: Arc::default(),
        })
    }

    pub(crate) fn options(&self) -> &HttpOptions {
        &self.plan.options
    }

    /// Sends `request` and waits for the answer. When the future is dropped, the connection is
    /// closed.
    pub(crate) async fn send(&self, request: Outgoing) -> Result<Incoming, Failure> {
        let (answer, answered) = oneshot::channel();
        self.enqueue(Job { request, answer })
            .map_err(Failure::Thread)?;
        let lost = |_| Failure::Thread(io::Error::other("the sending thread ended"));
        answered.await.map_err(lost)?
    }

    /// Hands the job to the thread, which is started when there is none.
    fn enqueue(&self, job: Job) -> io::Result<()> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let job = match &*jobs {
            None => job,
            Some(sender) => match sender.send(job) {
                Ok(()) => return Ok(()),
                Err(mpsc::error::SendError(job)) => job,
            },
        };
        let (sender, receiver) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let plan = Arc::clone(&self.plan);
        thread::Builder::new()
            .name("session-summarizer-http".into())
            .spawn(move || runtime.block_on(serve(&plan, receiver)))?;
        let lost = |_| io::Error::other("the sending thread ended");
        sender.send(job).map_err(lost)?;
        *jobs = Some(sender);
        Ok(())
    }
}

/// Sends what comes, until there is nobody left who could ask.
async fn serve(plan: &Arc<Plan>, mut jobs: mpsc::UnboundedReceiver<Job>) {
    let mut client: Option<Client> = None;
    while let Some(Job { request, answer }) = jobs.recv().await {
        let ready = match &client {
            Some(client) => Ok(client.clone()),
            None => plan.client(),
        };
        match ready {
            Ok(ready) => {
                client = Some(ready.clone());
                let plan = Arc::clone(plan);
                tokio::spawn(async move { answer_one(&plan, &ready, request, answer).await });
            }
            Err(failure) => {
                // Whoever asked may be gone already.
                let _ = answer.send(Err(failure));
            }
        }
    }
}

/// Sends one request, unless whoever asked goes away first.
async fn answer_one(
    plan: &Plan,
    client: &Client,
    request: Outgoing,
    mut answer: oneshot::Sender<Result<Incoming, Failure>>,
) {
    let result = {
        let limit = plan.options.time_limit;
        let most = plan.options.max_answer_bytes;
        let mut work = pin!(tokio::time::timeout(limit, exchange(client, request, most)));
        poll_fn(|context| {
            if answer.poll_closed(context).is_ready() {
                return Poll::Ready(None);
            }
            work.as_mut().poll(context).map(Some)
        })
        .await
    };
    if let Some(result) = result {
        let _ = answer.send(result.unwrap_or(Err(Failure::Timeout)));
    }
}

/// One request and its answer.
async fn exchange(client: &Client, request: Outgoing, most: usize) -> Result<Incoming, Failure> {
    // The URL may hold a secret in its query.
    let lost = |error: reqwest::Error| match error.is_timeout() && !error.is_connect() {
        true => Failure::Timeout,
        false => Failure::Connection(error.without_url()),
    };
    let mut response = client
        .post(request.url)
        .headers(request.headers)
        .body(request.body)
        .send()
        .await
        .map_err(lost)?;
    let status = response.status();
    let headers = core::mem::take(response.headers_mut());
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break,
            // The status has told already what went wrong.
            Err(_) if !status.is_success() => break,
            Err(error) => return Err(lost(error)),
        }
        if body.len() > most {
            if status.is_success() {
                return Err(Failure::TooLarge);
            }
            body.truncate(most);
            break;
        }
    }
    Ok(Incoming {
        status: status.as_u16(),
        headers,
        body,
    })
}

impl Plan {
    fn client(&self) -> Result<Client, Failure> {
        let tls = tls::config(self.is_encrypted).map_err(Failure::Certificates)?;
        let builder = Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .connect_timeout(self.options.connect_limit)
            .user_agent(&self.options.user_agent)
            .referer(false);
        let builder = match &self.options.proxy {
            Proxy::Environment if !self.is_loopback => builder,
            Proxy::Environment | Proxy::Never => builder.no_proxy(),
            Proxy::Url(url) => {
                let proxy = reqwest::Proxy::all(url).map_err(Failure::Connection)?;
                builder.no_proxy().proxy(proxy)
            }
        };
        builder.build().map_err(Failure::Connection)
    }
}
