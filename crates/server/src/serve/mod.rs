//! Accepts connections, bounds what they may cost, and shuts them down gracefully.

mod activity;
mod connection;
mod connection_limiter;
mod listeners;
mod tls;
mod write_timeout;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use engine::Engine;
use hyper_util::server::graceful::GracefulShutdown;
use remote_search::RemoteSearcher;
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::app::App;
use crate::dispatch::Front;
use crate::http::limits::Limits;
use crate::options::ServerOptions;
use crate::relay::Relay;
use connection::ConnectionHandler;
use connection_limiter::ConnectionLimiter;
pub use listeners::Listeners;
pub use tls::Tls;

/// How long running requests may take to end once the server closes.
const DRAIN: Duration = Duration::from_secs(10);

/// Answers requests until `shutdown` resolves. Then no connection is accepted, running requests
/// are finished within a bounded time, and this returns.
pub async fn serve(
    listeners: impl Into<Listeners>,
    engine: Arc<Engine>,
    options: ServerOptions,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let mut listeners = listeners.into();
    let (close, closing) = watch::channel(false);
    let limiter = Arc::new(ConnectionLimiter::new(options.bounds.connections));
    let limits = Arc::new(Limits::new(options.bounds.clone()));
    let options = Arc::new(options);
    let remotes = Arc::new(RemoteSearcher::new(&engine));
    let app = App { engine, remotes, options, limits, relay: Relay::default(), closing };
    let handler = ConnectionHandler {
        front: Front::new(&app),
        tls: listeners.tls.take(),
        bounds: app.options.bounds.clone(),
        limiter,
        closing: app.closing.clone(),
    };
    let connections = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            accepted = listeners.accept() => match accepted {
                Ok(stream) => receive(stream, &handler, &connections).await,
                Err(error) => pause_after(&error, &handler.limiter).await,
            },
            () = &mut shutdown => break,
        }
    }
    drop(listeners);
    // There is no receiver when no endless answer is being sent.
    let _ = close.send(true);
    if tokio::time::timeout(DRAIN, connections.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end within {} seconds", DRAIN.as_secs());
    }
    Ok(())
}

/// Serves a connection if it gets a permit, at once or after a short wait in a task of its own, and
/// answers 503 otherwise. When too many wait already, accepting stops, and further connections
/// stay in the backlog of the operating system.
async fn receive(stream: TcpStream, handler: &ConnectionHandler, connections: &GracefulShutdown) {
    let (handler, watcher) = (handler.clone(), connections.watcher());
    if let Some(permit) = handler.limiter.try_permit() {
        tokio::spawn(async move { handler.serve(stream, permit, watcher).await });
        return;
    }
    let waiting = handler.limiter.waiting_permit().await;
    tokio::spawn(async move {
        match handler.limiter.permit_soon().await {
            Some(permit) => {
                drop(waiting);
                handler.serve(stream, permit, watcher).await;
            }
            None => handler.refuse(stream, waiting, watcher).await,
        }
    });
}

/// Waits after a failure to accept: without descriptors it fails again at once, and trying in a
/// loop would keep a processor busy.
async fn pause_after(error: &io::Error, limiter: &ConnectionLimiter) {
    let concerns_one_connection = matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    );
    if !concerns_one_connection {
        tracing::error!("no connection can be accepted: {error}");
        limiter.ask_idle_to_close();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
