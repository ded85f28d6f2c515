//! The sockets that the server listens on, and the TLS configuration of their connections.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use tokio::net::{TcpListener, TcpStream};

use super::tls::Tls;

#[derive(Debug)]
pub struct Listeners {
    listeners: Vec<TcpListener>,
    /// Index of the listener to poll first, so that no listener starves another.
    first: usize,
    pub(super) tls: Option<Tls>,
}

impl Listeners {
    pub fn new(listeners: Vec<TcpListener>, tls: Option<Tls>) -> Self {
        Self { listeners, first: 0, tls }
    }

    /// Accepts the next connection of any listener.
    pub(super) async fn accept(&mut self) -> io::Result<TcpStream> {
        let count = self.listeners.len().max(1);
        self.first = (self.first + 1) % count;
        let (earlier, later) = self.listeners.split_at(self.first.min(self.listeners.len()));
        poll_fn(|context| {
            for listener in later.iter().chain(earlier) {
                if let Poll::Ready(accepted) = listener.poll_accept(context) {
                    return Poll::Ready(accepted.map(|(stream, _)| stream));
                }
            }
            Poll::Pending
        })
        .await
    }
}

impl From<TcpListener> for Listeners {
    fn from(listener: TcpListener) -> Self {
        Self::new(vec![listener], None)
    }
}
