//! The limits on what one connection and one request may cost in time and memory. Every limit of
//! the HTTP side has its default here; `sonde` fills in the ones that have an option. The defaults
//! suit a server whose search key is published.

use std::time::Duration;

use model::limits::{DEFAULT_PAYLOAD_LIMIT, DEFAULT_QUERY_SIZE};

#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// How long a client may pause within a body.
    pub silence: Duration,
    /// Bytes a second that a client must send of a body on average, once `slow_start` is over. Only
    /// the time in which the server waits for the client counts.
    pub body_rate: u64,
    /// How long a body may arrive at any rate.
    pub slow_start: Duration,
    /// Largest body, in bytes after decompression.
    pub payload_size: u64,
    /// Largest body of a route that searches or reads, in bytes after decompression. A search key
    /// opens these routes, so their limit is far below that of documents.
    pub search_payload_size: u64,
    /// Values that one JSON body may hold, nested ones included.
    pub json_values: u64,
    /// Memory that the bodies and answers of all searches under way may take together.
    pub search_memory: u64,
    /// Memory that all bodies being received may take together: the windows of decoders, and the
    /// pieces of documents that are not on disk yet.
    pub upload_memory: u64,
    /// Queries of one multi-search.
    pub queries: usize,
    /// Bytes of a query text that are searched; the rest is ignored.
    pub query_size: usize,
    /// Largest highlight tag or crop marker.
    pub tag_size: usize,
    /// Largest answer to one request that searches or reads documents.
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
