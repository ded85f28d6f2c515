//! Reading documents.

use crate::entry::Tally;
use crate::metrics::Largest;
use crate::sheet::Sheet;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fetch {
    pub per_document_id: bool,
    pub per_filter: bool,
    /// The filter asks for vectors.
    pub vector_filter: bool,
    pub retrieve_vectors: bool,
    /// None where there are no pages.
    pub limit: Option<u64>,
    pub offset: Option<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct FetchTally {
    /// Of its members only the truth values count here.
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

    fn tell(&self, sheet: &mut Sheet) {
        let used = &self.used;
        sheet.put("per_document_id", used.per_document_id, "Whether one was read by its id.");
        sheet.put("per_filter", used.per_filter, "Whether a filter was used.");
        sheet.put("with_vector_filter", used.vector_filter, "Whether it filters by `_vectors`.");
        sheet.put(
            "vector.retrieve_vectors",
            used.retrieve_vectors,
            "Whether `retrieveVectors` was used.",
        );
        sheet.put("pagination.max_limit", &self.limit, "The most documents asked for at once.");
        sheet.put("pagination.max_offset", &self.offset, "The most documents that were skipped.");
    }
}
