//! Reads of documents.

use crate::event_totals::Tally;
use crate::fields::Fields;
use crate::metrics::Largest;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fetch {
    pub per_document_id: bool,
    pub per_filter: bool,
    /// True if the filter concerns vectors.
    pub vector_filter: bool,
    pub retrieve_vectors: bool,
    /// Page limit; none without pages.
    pub limit: Option<u64>,
    pub offset: Option<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct FetchTally {
    /// Only the truth values are used.
    used: Fetch,
    limit: Largest,
    offset: Largest,
}

impl Tally for FetchTally {
    type Event = Fetch;

    fn add(&mut self, fetch: Fetch) {
        self.used.per_document_id |= fetch.per_document_id;
        self.used.per_filter |= fetch.per_filter;
        self.used.vector_filter |= fetch.vector_filter;
        self.used.retrieve_vectors |= fetch.retrieve_vectors;
        self.limit.add(fetch.limit);
        self.offset.add(fetch.offset);
    }

    fn report(&self, fields: &mut Fields) {
        let used = &self.used;
        fields.put("per_document_id", used.per_document_id, "Whether one was read by its id.");
        fields.put("per_filter", used.per_filter, "Whether a filter was used.");
        fields.put("with_vector_filter", used.vector_filter, "Whether it filters by `_vectors`.");
        fields.put(
            "vector.retrieve_vectors",
            used.retrieve_vectors,
            "Whether `retrieveVectors` was used.",
        );
        fields.put("pagination.max_limit", &self.limit, "The most documents asked for at once.");
        fields.put("pagination.max_offset", &self.offset, "The most documents that were skipped.");
    }
}
