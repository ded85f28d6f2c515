//! Connections: taking them in, bounding what they may cost, and letting them end well.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use engine::Engine;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::app::App;
use crate::http::front::Front;
use crate::options::ServerOptions;
use crate::routes::Relay;

/// How long running requests may take to end once the server closes.
const DRAIN: Duration = Duration::from_secs(10);

/// How long a client may take to send the head of a request, the wait between two included.
const HEAD_TIMEOUT: Duration = Duration::from_secs(75);

/// A request line and headers beyond this are refused with 431.
const MAX_HEAD_BYTES: usize = 128 * 1024;

/// Answers requests until `shutdown` resolves. Then no connection is accepted, running requests
/// are finished within a bounded time, and this returns.
pub async fn serve(
    listener: TcpListener,
    engine: Arc<Engine>,
    options: ServerOptions,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (close, closing) = watch::channel(false);
    let app = App { engine, options: Arc::new(options), relay: Relay::default(), closing };
    let front = Front::new(&app);
    let connections = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => converse(stream, front.clone(), &connections),
                Err(error) => pause_after(&error).await,
            },
            () = &mut shutdown => break,
        }
    }
    drop(listener);
    // Nobody listens to this when there is no endless answer.
    let _ = close.send(true);
    if tokio::time::timeout(DRAIN, connections.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end within {} seconds", DRAIN.as_secs());
    }
    Ok(())
}

fn converse(stream: TcpStream, front: Front, connections: &GracefulShutdown) {
    // Answers are written whole; waiting to fill a packet would only delay them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let front = front.clone();
        async move { Ok::<_, Infallible>(front.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            // Clients go away all the time; that is nobody's fault.
            tracing::debug!("a connection ended early: {error}");
        }
    });
}

/// Out of descriptors, accepting fails again at once; trying in a loop would eat a processor.
async fn pause_after(error: &io::Error) {
    let concerns_one_connection = matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    );
    if !concerns_one_connection {
        tracing::error!("no connection can be accepted: {error}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
