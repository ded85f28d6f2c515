//! Connections: taking them in, bounding what they may cost, and letting them end well.

mod activity;
mod connection;
mod crowd;
mod entrance;
mod patient;
mod tls;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use engine::Engine;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::app::App;
use crate::dispatch::Front;
use crate::http::limits::Limits;
use crate::options::ServerOptions;
use crate::relay::Relay;
use connection::Reception;
use crowd::Crowd;
pub use entrance::Entrance;
pub use tls::Tls;

/// How long running requests may take to end once the server closes.
const DRAIN: Duration = Duration::from_secs(10);

/// Answers requests until `shutdown` resolves. Then no connection is accepted, running requests
/// are finished within a bounded time, and this returns.
pub async fn serve(
    entrance: impl Into<Entrance>,
    engine: Arc<Engine>,
    options: ServerOptions,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let mut entrance = entrance.into();
    let (close, closing) = watch::channel(false);
    let crowd = Arc::new(Crowd::new(options.bounds.connections));
    let limits = Arc::new(Limits::new(options.bounds.clone()));
    let options = Arc::new(options);
    let app = App { engine, options, limits, relay: Relay::default(), closing };
    let reception = Reception {
        front: Front::new(&app),
        tls: entrance.tls.take(),
        bounds: app.options.bounds.clone(),
        crowd,
        closing: app.closing.clone(),
    };
    let connections = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            accepted = entrance.accept() => match accepted {
                Ok(stream) => receive(stream, &reception, &connections).await,
                Err(error) => pause_after(&error, &reception.crowd).await,
            },
            () = &mut shutdown => break,
        }
    }
    drop(entrance);
    // Nobody listens to this when there is no endless answer.
    let _ = close.send(true);
    if tokio::time::timeout(DRAIN, connections.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end within {} seconds", DRAIN.as_secs());
    }
    Ok(())
}

/// Serves a connection when there is room. When there is none it waits for a short while, apart,
/// and is told to come back later; those for whom even that is too much wait outside, in the
/// queue of the system.
async fn receive(stream: TcpStream, reception: &Reception, connections: &GracefulShutdown) {
    let (reception, watcher) = (reception.clone(), connections.watcher());
    if let Some(place) = reception.crowd.place() {
        tokio::spawn(async move { reception.converse(stream, place, watcher).await });
        return;
    }
    let waiting = reception.crowd.waiting_place().await;
    tokio::spawn(async move {
        match reception.crowd.place_soon().await {
            Some(place) => {
                drop(waiting);
                reception.converse(stream, place, watcher).await;
            }
            None => reception.refuse(stream, waiting, watcher).await,
        }
    });
}

/// Out of descriptors, accepting fails again at once; trying in a loop would eat a processor.
async fn pause_after(error: &io::Error, crowd: &Crowd) {
    let concerns_one_connection = matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    );
    if !concerns_one_connection {
        tracing::error!("no connection can be accepted: {error}");
        crowd.press();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
