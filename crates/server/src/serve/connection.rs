//! One connection from its first byte to its last: encryption if there is any, then the version
//! of HTTP that was agreed on.

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
use super::crowd::{Crowd, Place};
use super::patient::Patient;
use super::tls::{HTTP2, Tls};
use crate::bounds::Bounds;
use crate::dispatch::Front;
use crate::http::error::Scheme;
use crate::http::head::MAX_HEAD_BYTES;
use crate::http::{answer, error};

/// HTTP/2 counts the bytes of headers in a number of this size.
const MAX_HEADER_LIST_BYTES: u32 = MAX_HEAD_BYTES as u32;
const MAX_HEADERS: usize = 100;

/// Requests of one connection that are answered at the same time (HTTP/2).
const MAX_STREAMS: u32 = 100;

/// When and for how long a silent connection is asked whether it is still there (HTTP/2).
const PING_AFTER: Duration = Duration::from_secs(30);
const PING_PATIENCE: Duration = Duration::from_secs(20);

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// How long telling somebody that there is no place may take.
const REFUSAL: Duration = Duration::from_secs(5);

/// What every connection needs.
#[derive(Clone)]
pub struct Reception {
    pub front: Front,
    pub tls: Option<Tls>,
    pub bounds: Bounds,
    pub crowd: Arc<Crowd>,
    /// Turns true when the server closes.
    pub closing: watch::Receiver<bool>,
}

impl Reception {
    /// Answers the requests of a connection, which has its place until it ends.
    pub async fn converse(&self, stream: TcpStream, _place: Place, watcher: Watcher) {
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
            () = self.speak(stream, service, watcher) => {}
            () = self.crowd.must_give_way(&activity, self.bounds.quiet) => {
                tracing::debug!("a quiet connection was closed to make room");
            }
        }
    }

    /// Answers one request by saying that there is no room, and closes.
    pub async fn refuse(&self, stream: TcpStream, _waiting: Option<Place>, watcher: Watcher) {
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
        // Whoever does not even take the refusal is left without one.
        let _ = tokio::time::timeout(REFUSAL, self.speak(stream, service, watcher)).await;
    }

    async fn speak<S>(&self, stream: TcpStream, service: S, watcher: Watcher)
    where
        S: Service<Request<Incoming>, Response = Response<RunningBody>, Error = Infallible>,
        S::Future: Send + 'static,
    {
        // Answers are written whole; waiting to fill a packet would only delay them.
        let _ = stream.set_nodelay(true);
        let stream = Patient::new(stream, self.bounds.unread);
        let Some(tls) = &self.tls else {
            return self.speak_http1(stream, service, watcher).await;
        };
        let mut closing = self.closing.clone();
        let encrypted = tokio::select! {
            done = tokio::time::timeout(self.bounds.handshake, tls.acceptor().accept(stream)) => done,
            _ = closing.wait_for(|&closing| closing) => return,
        };
        match encrypted {
            Ok(Ok(stream)) if stream.get_ref().1.alpn_protocol() == Some(HTTP2) => {
                self.speak_http2(stream, service, watcher).await;
            }
            Ok(Ok(stream)) => self.speak_http1(stream, service, watcher).await,
            Ok(Err(error)) => tracing::debug!("no encryption could be agreed on: {error}"),
            Err(_) => tracing::debug!("no encryption was agreed on in time"),
        }
    }

    async fn speak_http1<I, S>(&self, stream: I, service: S, watcher: Watcher)
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

    async fn speak_http2<I, S>(&self, stream: I, service: S, watcher: Watcher)
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
            .keep_alive_timeout(PING_PATIENCE)
            .serve_connection(TokioIo::new(stream), service);
        ended(watcher.watch(connection).await);
    }
}

fn ended(outcome: hyper::Result<()>) {
    if let Err(error) = outcome {
        // Clients go away all the time; that is nobody's fault.
        tracing::debug!("a connection ended early: {error}");
    }
}
