//! Serves one connection from its first byte to its last: TLS if it is on, then the version of HTTP
//! that was negotiated.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, Request, Response, StatusCode, Version, header};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::activity::{Activity, RunningBody};
use super::connection_limiter::{ConnectionLimiter, ConnectionPermit};
use super::tls::{HTTP2, Tls};
use super::write_timeout::WriteTimeout;
use crate::bounds::Bounds;
use crate::dispatch::Front;
use crate::http::error::Scheme;
use crate::http::head::MAX_HEAD_BYTES;
use crate::http::{answer, error};

/// `MAX_HEAD_BYTES` as the type that HTTP/2 settings take.
const MAX_HEADER_LIST_BYTES: u32 = MAX_HEAD_BYTES as u32;
const MAX_HEADERS: usize = 100;

/// Requests of one connection that are answered at the same time (HTTP/2).
const MAX_STREAMS: u32 = 100;

/// When an idle connection is pinged, and how long it may take to answer (HTTP/2).
const PING_AFTER: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(20);

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// How long answering 503 to a connection without a permit may take.
const REFUSAL: Duration = Duration::from_secs(5);

/// Shared state with which each connection is handled.
#[derive(Clone)]
pub struct ConnectionHandler {
    pub front: Front,
    pub tls: Option<Tls>,
    pub bounds: Bounds,
    pub limiter: Arc<ConnectionLimiter>,
    /// Turns true when the server closes.
    pub closing: watch::Receiver<bool>,
}

impl ConnectionHandler {
    /// Answers the requests of a connection, which holds its permit until it ends.
    pub async fn serve(&self, stream: TcpStream, _permit: ConnectionPermit, watcher: Watcher) {
        let scheme = if self.tls.is_some() { Scheme::Https } else { Scheme::Http };
        let activity = Activity::new();
        let service = {
            let (front, activity) = (self.front.clone(), activity.clone());
            service_fn(move |request: Request<Incoming>| {
                let (front, running) = (front.clone(), activity.begin());
                async move {
                    let response = front.answer(request, scheme).await;
                    Ok::<_, Infallible>(response.map(|body| RunningBody::new(body, running)))
                }
            })
        };
        tokio::select! {
            () = self.serve_stream(stream, service, watcher) => {}
            () = self.limiter.asked_to_close(&activity, self.bounds.quiet) => {
                tracing::debug!("an idle connection was closed for a new one");
            }
        }
    }

    /// Answers one request with 503, and closes the connection.
    pub async fn refuse(
        &self,
        stream: TcpStream,
        _waiting: Option<ConnectionPermit>,
        watcher: Watcher,
    ) {
        let activity = Activity::new();
        let service = service_fn(move |request: Request<Incoming>| {
            let mut response = answer::empty(StatusCode::SERVICE_UNAVAILABLE);
            response.headers_mut().insert(header::RETRY_AFTER, error::RETRY_AFTER);
            if request.version() < Version::HTTP_2 {
                response.headers_mut().insert(header::CONNECTION, CLOSE);
            }
            let running = activity.begin();
            let response = response.map(|body| RunningBody::new(body, running));
            async { Ok::<_, Infallible>(response) }
        });
        // A client that does not even read the refusal goes without one.
        let _ = tokio::time::timeout(REFUSAL, self.serve_stream(stream, service, watcher)).await;
    }

    async fn serve_stream<S>(&self, stream: TcpStream, service: S, watcher: Watcher)
    where
        S: Service<Request<Incoming>, Response = Response<RunningBody>, Error = Infallible>,
        S::Future: Send + 'static,
    {
        // Answers are written whole; waiting to fill a packet would only delay them.
        let _ = stream.set_nodelay(true);
        let stream = WriteTimeout::new(stream, self.bounds.unread);
        let Some(tls) = &self.tls else {
            return self.serve_http1(stream, service, watcher).await;
        };
        let mut closing = self.closing.clone();
        let encrypted = tokio::select! {
            done = tokio::time::timeout(self.bounds.handshake, tls.acceptor().accept(stream)) => done,
            _ = closing.wait_for(|&closing| closing) => return,
        };
        match encrypted {
            Ok(Ok(stream)) if stream.get_ref().1.alpn_protocol() == Some(HTTP2) => {
                self.serve_http2(stream, service, watcher).await;
            }
            Ok(Ok(stream)) => self.serve_http1(stream, service, watcher).await,
            Ok(Err(error)) => tracing::debug!("no encryption could be agreed on: {error}"),
            Err(_) => tracing::debug!("no encryption was agreed on in time"),
        }
    }

    async fn serve_http1<I, S>(&self, stream: I, service: S, watcher: Watcher)
    where
        I: AsyncRead + AsyncWrite + Unpin + 'static,
        S: Service<Request<Incoming>, Response = Response<RunningBody>, Error = Infallible>,
    {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.bounds.head)
            .max_buf_size(MAX_HEAD_BYTES)
            .max_headers(MAX_HEADERS)
            .serve_connection(TokioIo::new(stream), service);
        ended(watcher.watch(connection).await);
    }

    async fn serve_http2<I, S>(&self, stream: I, service: S, watcher: Watcher)
    where
        I: AsyncRead + AsyncWrite + Unpin + 'static,
        S: Service<Request<Incoming>, Response = Response<RunningBody>, Error = Infallible>,
        S::Future: Send + 'static,
    {
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(MAX_STREAMS)
            .max_header_list_size(MAX_HEADER_LIST_BYTES)
            .keep_alive_interval(PING_AFTER)
            .keep_alive_timeout(PING_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service);
        ended(watcher.watch(connection).await);
    }
}

fn ended(outcome: hyper::Result<()>) {
    if let Err(error) = outcome {
        // Clients disconnect all the time; that is not an error.
        tracing::debug!("a connection ended early: {error}");
    }
}
