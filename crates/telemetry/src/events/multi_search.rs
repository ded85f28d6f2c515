//! Multi-search requests.

use super::requests::{RequestOutcome, RequestTally};
use super::scoring::Scoring;
use crate::event_totals::Tally;
use crate::fields::Fields;
use crate::metrics::Average;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MultiSearch {
    pub outcome: RequestOutcome,
    pub searches: u32,
    /// Number of distinct indexes.
    pub indexes: u32,
    /// Number of distinct remotes.
    pub remotes: u32,
    pub federated: bool,
    /// Scoring options used by any of the queries.
    pub scoring: Scoring,
}

#[derive(Debug, Default)]
pub(crate) struct MultiSearchTally {
    requests: RequestTally,
    searches: Average,
    indexes: Average,
    single_index: u64,
    remotes: Average,
    federated: bool,
    scoring: Scoring,
}

impl Tally for MultiSearchTally {
    type Event = MultiSearch;

    fn add(&mut self, search: MultiSearch) {
        self.requests.add(search.outcome);
        self.searches.add(search.searches.into());
        self.indexes.add(search.indexes.into());
        self.single_index += u64::from(search.indexes == 1);
        self.remotes.add(search.remotes.into());
        self.federated |= search.federated;
        self.scoring.add(search.scoring);
    }

    fn report(&self, fields: &mut Fields) {
        self.requests.report(fields);
        fields.put("searches.total_search_count", self.searches.sum(), "Queries of all requests.");
        fields.put("searches.avg_search_count", &self.searches, "Queries of one, on average.");
        fields.put(
            "indexes.total_distinct_index_count",
            self.indexes.sum(),
            "Different indexes that a request names, summed over all requests.",
        );
        fields.put("indexes.avg_distinct_index_count", &self.indexes, "The same, on average.");
        fields.put(
            "indexes.total_single_index",
            self.single_index,
            "Requests that name one index.",
        );
        fields.put(
            "remotes.total_distinct_remote_count",
            self.remotes.sum(),
            "Different remotes that a request names, summed over all requests.",
        );
        fields.put("remotes.avg_distinct_remote_count", &self.remotes, "The same, on average.");
        fields.put("federation.use_federation", self.federated, "Whether `federation` was used.");
        self.scoring.report_shown(fields);
    }
}
