//! What connections may cost at most. The defaults suit a server that strangers can reach.

use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Bounds {
    /// Connections that are served at the same time.
    pub connections: usize,
    /// How long a client may take to send the head of a request, the wait between two included.
    pub head: Duration,
    /// How long a client may take to agree on encryption.
    pub handshake: Duration,
    /// How long a connection must have been without a request to give way when all places are
    /// taken.
    pub quiet: Duration,
    /// How long a client may leave an answer, or the rest of one, unread.
    pub unread: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: 10_000,
            head: Duration::from_secs(75),
            handshake: Duration::from_secs(10),
            quiet: Duration::from_secs(5),
            unread: Duration::from_secs(60),
        }
    }
}
