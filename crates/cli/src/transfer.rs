//! Documents of one index on their way to another, with their vectors, a page at a time. Pages grow
//! and shrink with the size of the documents, so that memory is bounded and requests are few.

use outbound::{Method, OutboundError};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::CliError;
use crate::server::{Server, segment};
use crate::tasks::Enqueued;

/// Bytes of documents that a page should have.
const PAGE_BYTES: usize = 8 << 20;
const FIRST_LIMIT: u64 = 100;
const LARGEST_LIMIT: u64 = 20_000;
const LARGEST_GROWTH: u64 = 4;

#[derive(Debug, Deserialize)]
pub(crate) struct Page {
    results: Vec<Box<RawValue>>,
    /// Documents of the whole index.
    pub(crate) total: u64,
}

#[derive(Debug)]
pub(crate) struct Transfer {
    from: String,
    to: String,
    offset: u64,
    limit: u64,
    /// Servers before vectors do not know the word.
    with_vectors: bool,
}

impl Transfer {
    /// From one index to another, which may be on different servers, behind so many documents.
    pub(crate) fn new(from: &str, to: &str, offset: u64) -> Self {
        let path = |uid: &str| format!("/indexes/{}/documents", segment(uid));
        Self { from: path(from), to: path(to), offset, limit: FIRST_LIMIT, with_vectors: true }
    }

    /// Documents that the other index has been sent.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// None at the end.
    pub(crate) fn page(&mut self, server: &Server) -> Result<Option<Page>, CliError> {
        loop {
            let vectors = if self.with_vectors { "&retrieveVectors=true" } else { "" };
            let path =
                format!("{}?offset={}&limit={}{vectors}", self.from, self.offset, self.limit);
            match server.get::<Page>(&path) {
                Ok(page) if page.results.is_empty() => return Ok(None),
                Ok(page) => return Ok(Some(page)),
                Err(CliError::Unreachable { source: OutboundError::TooLarge { .. }, .. })
                    if self.limit > 1 =>
                {
                    self.limit = self.limit.div_ceil(2);
                }
                Err(CliError::Refused { status: 400, message, .. })
                    if self.with_vectors && message.contains("retrieveVectors") =>
                {
                    self.with_vectors = false;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// None if the page has to be fetched again, smaller.
    pub(crate) fn send(
        &mut self,
        server: &Server,
        page: &Page,
    ) -> Result<Option<Enqueued>, CliError> {
        let mut body = String::new();
        for document in &page.results {
            body.push_str(document.get());
            body.push('\n');
        }
        let (bytes, documents) = (body.len(), page.results.len() as u64);
        let sent = server.send_body(Method::Post, &self.to, "application/x-ndjson", body.into());
        match sent {
            Ok(task) => {
                self.offset += documents;
                self.limit = next_limit(self.limit, documents, bytes);
                Ok(Some(task))
            }
            Err(CliError::Refused { status: 413, .. }) if documents > 1 => {
                self.limit = documents.div_ceil(2);
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }
}

/// So many documents as make a page, if those to come are like those that came.
fn next_limit(limit: u64, documents: u64, bytes: usize) -> u64 {
    let fitting = documents * PAGE_BYTES as u64 / (bytes as u64).max(1);
    fitting.clamp(1, (limit * LARGEST_GROWTH).min(LARGEST_LIMIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_grow_and_shrink_with_their_documents() {
        assert_eq!(next_limit(100, 100, 10_000), 400);
        assert_eq!(next_limit(400, 400, 32 << 20), 100);
        assert_eq!(next_limit(10_000, 10_000, 1), 20_000);
        assert_eq!(next_limit(1, 1, 100 << 20), 1);
    }
}
