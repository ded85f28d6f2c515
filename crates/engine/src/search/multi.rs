//! Multi-search: several searches in one request, each with its own answer.

use std::sync::Arc;

use model::{Cancel, IndexUid, ServiceError};

use super::query_vectors::QueryVectors;
use super::request::{SearchAnswer, SearchRequest};
use crate::common::inside_query;
use crate::search::Searcher;

impl Searcher {
    /// Runs the searches on this thread and on helpers. The first that fails, in their order, fails
    /// all. Equal queries are embedded once. It is cancelled when the client is gone.
    pub fn multi_search(
        &self,
        searches: &[(IndexUid, SearchRequest)],
        cancel: &Cancel,
    ) -> Result<Vec<SearchAnswer>, ServiceError> {
        let numbered: Vec<_> = searches.iter().enumerate().collect();
        let shared = Arc::new(QueryVectors::default());
        self.helpers.run(&numbered, |(place, (uid, request))| {
            self.search_in_batch(uid, request, &shared, cancel)
                .map_err(|error| inside_query(error, *place))
        })
    }
}
