//! The HTTP client. It follows redirects itself, not through the library: each target is checked,
//! and keys and bodies stay with the server they were meant for.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use model::Cancel;
use reqwest::header::{ETAG, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url, redirect};
use tokio::runtime::Runtime;

use crate::address::AddressPolicy;
use crate::call::{Answer, Call, Method};
use crate::error::OutboundError;
use crate::resolver::GuardedResolver;
use crate::tls;

const MAX_REDIRECTS: usize = 10;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval at which a waiting caller checks whether to stop.
pub(crate) const STOP_CHECK: Duration = Duration::from_millis(50);

/// HTTP client, cheap to clone.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    http: reqwest::Client,
    policy: AddressPolicy,
    /// Runtime for blocking callers. Taken when dropped.
    runtime: Option<Runtime>,
}

impl Client {
    pub fn new(policy: AddressPolicy) -> Result<Self, OutboundError> {
        let setup = |error: &dyn fmt::Display| OutboundError::Setup(error.to_string());
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::config()?)
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .dns_resolver(Arc::new(GuardedResolver { policy: policy.clone() }))
            .user_agent(concat!("sonde/", env!("CARGO_PKG_VERSION")));
        if policy != AddressPolicy::Any {
            // A proxy resolves names itself, bypassing the policy.
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|error| setup(&error))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("outbound")
            .enable_all()
            .build()
            .map_err(|error| setup(&error))?;
        Ok(Self { shared: Arc::new(Shared { http, policy, runtime: Some(runtime) }) })
    }

    /// Makes the call on the caller's runtime.
    pub async fn send(&self, call: &Call) -> Result<Answer, OutboundError> {
        let answer = tokio::time::timeout(call.timeout, self.follow(call)).await;
        answer.unwrap_or(Err(OutboundError::Timeout(call.timeout)))
    }

    /// Makes the call and waits for it, from a thread that may block.
    pub fn send_blocking(&self, call: Call, cancel: &Cancel) -> Result<Answer, OutboundError> {
        let Some(runtime) = self.runtime() else { return Err(OutboundError::Stopped) };
        let (sender, receiver) = mpsc::sync_channel(1);
        let client = self.clone();
        let sent = runtime.spawn(async move {
            // The caller is gone: there is nothing to do.
            let _ = sender.send(client.send(&call).await);
        });
        loop {
            match receiver.recv_timeout(STOP_CHECK) {
                Ok(answer) => return answer,
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(OutboundError::Stopped),
                Err(mpsc::RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                    sent.abort();
                    return Err(OutboundError::Stopped);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
        }
    }

    async fn follow(&self, call: &Call) -> Result<Answer, OutboundError> {
        read(self.open(call).await?, call.max_answer_bytes).await
    }

    pub(crate) fn runtime(&self) -> Option<&Runtime> {
        self.shared.runtime.as_ref()
    }

    /// Follows redirects and returns the answer, its body still unread.
    pub(crate) async fn open(&self, call: &Call) -> Result<Response, OutboundError> {
        let mut url = parse(&call.url)?;
        let first = origin(&url);
        let mut method = call.method;
        let headers = headers(&call.headers)?;
        for _ in 0..=MAX_REDIRECTS {
            self.check(&url)?;
            let own = origin(&url) == first;
            let mut request = match method {
                Method::Get => self.shared.http.get(url.clone()),
                method if own => {
                    let request = self.shared.http.request(name_of(method), url.clone());
                    request.body(call.body.clone())
                }
                // The body is only for the original server.
                _ => return Err(OutboundError::Redirected),
            };
            if own {
                request = request.headers(headers.clone());
            }
            let response = request.send().await.map_err(network)?;
            let Some(target) = redirect_target(&response, &url) else {
                return Ok(response);
            };
            if !keeps_method(response.status()) {
                method = Method::Get;
            }
            url = target?;
        }
        Err(OutboundError::TooManyRedirects(MAX_REDIRECTS))
    }

    /// Checks literal addresses; names are checked when they are resolved.
    fn check(&self, url: &Url) -> Result<(), OutboundError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(OutboundError::Scheme(url.scheme().to_owned()));
        }
        let host = url.host_str().unwrap_or_default();
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        match host.parse::<IpAddr>() {
            Ok(address) => self.shared.policy.check(address),
            Err(_) => Ok(()),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("policy", &self.shared.policy).finish_non_exhaustive()
    }
}

impl Drop for Shared {
    /// Shuts down in the background: dropping a runtime waits for its threads, which is forbidden
    /// in asynchronous code.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn name_of(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
        Method::Put => reqwest::Method::PUT,
        Method::Patch => reqwest::Method::PATCH,
        Method::Delete => reqwest::Method::DELETE,
    }
}

fn parse(url: &str) -> Result<Url, OutboundError> {
    Url::parse(url).map_err(|error| OutboundError::BadUrl(error.to_string()))
}

fn origin(url: &Url) -> (String, Option<String>, Option<u16>) {
    (url.scheme().to_owned(), url.host_str().map(str::to_owned), url.port_or_known_default())
}

fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, OutboundError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let bad = || OutboundError::BadHeader(name.clone());
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

fn redirect_target(response: &Response, url: &Url) -> Option<Result<Url, OutboundError>> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let target = response.headers().get(LOCATION)?.to_str().ok()?;
    Some(url.join(target).map_err(|error| OutboundError::BadUrl(error.to_string())))
}

fn keeps_method(status: StatusCode) -> bool {
    matches!(status.as_u16(), 307 | 308)
}

async fn read(mut response: Response, limit: usize) -> Result<Answer, OutboundError> {
    let status = response.status().as_u16();
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let retry_after =
        retry_after.and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
    let etag = response.headers().get(ETAG).and_then(|value| value.to_str().ok());
    let etag = etag.map(str::to_owned);
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(network)? {
        if body.len() + chunk.len() > limit {
            return Err(OutboundError::TooLarge { limit });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status, retry_after, etag, body: Bytes::from(body) })
}

/// Returns the library's message, innermost first and without the URL, which may hold a key.
pub(crate) fn network(error: reqwest::Error) -> OutboundError {
    let error = error.without_url();
    let mut innermost = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(rejected) = inner.downcast_ref::<OutboundError>() {
            return rejected.clone();
        }
        innermost = inner.to_string();
        source = inner.source();
    }
    OutboundError::Network(innermost)
}
