//! Copies documents with their vectors from one index to another, page by page. The page size
//! adapts to the size of the documents, so that memory is bounded and requests are few.

use outbound::{Method, OutboundError};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::CliError;
use crate::server::{Server, segment};
use crate::tasks::EnqueuedTask;

/// Target size of a page.
const PAGE_BYTES: usize = 8 << 20;
const FIRST_LIMIT: u64 = 100;
const LARGEST_LIMIT: u64 = 20_000;
const LARGEST_GROWTH: u64 = 4;

#[derive(Debug, Deserialize)]
pub(crate) struct Page {
    results: Vec<Box<RawValue>>,
    /// Number of documents in the whole index.
    pub(crate) total: u64,
}

#[derive(Debug)]
pub(crate) struct Transfer {
    from: String,
    to: String,
    offset: u64,
    limit: u64,
    /// Older servers do not know the parameter.
    with_vectors: bool,
}

impl Transfer {
    /// Copies between two indexes, possibly on different servers, starting at `offset`.
    pub(crate) fn new(from: &str, to: &str, offset: u64) -> Self {
        let path = |uid: &str| format!("/indexes/{}/documents", segment(uid));
        Self { from: path(from), to: path(to), offset, limit: FIRST_LIMIT, with_vectors: true }
    }

    /// Returns the number of documents sent so far.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Fetches the next page; `None` at the end.
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

    /// Sends a page; returns `None` if it must be fetched again, smaller.
    pub(crate) fn send(
        &mut self,
        server: &Server,
        page: &Page,
    ) -> Result<Option<EnqueuedTask>, CliError> {
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

/// Returns the number of documents for the next page, assuming documents of similar size.
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
