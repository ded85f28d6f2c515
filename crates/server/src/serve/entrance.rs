//! Where connections come in: the sockets that are listened on, and how they are encrypted.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use tokio::net::{TcpListener, TcpStream};

use super::tls::Tls;

#[derive(Debug)]
pub struct Entrance {
    listeners: Vec<TcpListener>,
    /// Whose turn it is to be asked first, so that no listener starves another.
    first: usize,
    pub(super) tls: Option<Tls>,
}

impl Entrance {
    pub fn new(listeners: Vec<TcpListener>, tls: Option<Tls>) -> Self {
        Self { listeners, first: 0, tls }
    }

    /// The next connection of any listener.
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

impl From<TcpListener> for Entrance {
    fn from(listener: TcpListener) -> Self {
        Self::new(vec![listener], None)
    }
}
