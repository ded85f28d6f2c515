//! Limits on the time and memory of connections and requests. Every limit of the HTTP server has
//! its default here; `sonde` overrides those that have an option. The defaults suit a server whose
//! search key is public.

use std::time::Duration;

use model::limits::{DEFAULT_PAYLOAD_LIMIT, DEFAULT_QUERY_SIZE};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum number of connections served at the same time.
    pub connections: usize,
    /// How long a client may take to send the head of a request, including the pause after the
    /// previous one.
    pub head: Duration,
    /// How long the TLS handshake may take.
    pub handshake: Duration,
    /// How long a connection must have been idle to be closed when the limit is reached.
    pub quiet: Duration,
    /// How long a client may leave an answer unread before its connection is closed.
    pub unread: Duration,
    /// How long a client may pause while sending a body.
    pub silence: Duration,
    /// Least average rate of a body in bytes per second, once `slow_start` is over. Only the time
    /// that the server waits for the client counts.
    pub body_rate: u64,
    /// How long a body may arrive at any rate before `body_rate` applies.
    pub slow_start: Duration,
    /// Largest body, in bytes after decompression.
    pub payload_size: u64,
    /// Largest body of a route that searches or reads, in bytes after decompression. Search keys
    /// may be public, so the limit is far below that of documents.
    pub search_payload_size: u64,
    /// Maximum number of values in a JSON body, nested ones included.
    pub json_values: u64,
    /// Memory for the bodies and answers of all running searches together.
    pub search_memory: u64,
    /// Memory for all bodies being received: the windows of decoders, and pieces of documents that
    /// are not on disk yet.
    pub upload_memory: u64,
    /// Maximum number of queries in a multi-search.
    pub queries: usize,
    /// Bytes of a query text that are used; the rest is ignored.
    pub query_size: usize,
    /// Largest highlight tag or crop marker, in bytes.
    pub tag_size: usize,
    /// Largest answer to a request that searches or reads documents, in bytes.
    pub answer_size: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: 10_000,
            head: Duration::from_secs(75),
            handshake: Duration::from_secs(10),
            quiet: Duration::from_secs(5),
            unread: Duration::from_secs(60),
            silence: Duration::from_secs(60),
            body_rate: 1024,
            slow_start: Duration::from_secs(10),
            payload_size: DEFAULT_PAYLOAD_LIMIT,
            search_payload_size: 10_000_000,
            json_values: 1_000_000,
            search_memory: 256_000_000,
            upload_memory: 256_000_000,
            queries: 1000,
            query_size: DEFAULT_QUERY_SIZE,
            tag_size: 1024,
            answer_size: 64_000_000,
        }
    }
}
