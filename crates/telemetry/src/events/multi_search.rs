//! Several searches in one request.

use super::requests::{Ending, Requests};
use super::scoring::Scoring;
use crate::entry::Tally;
use crate::metrics::Average;
use crate::sheet::Sheet;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MultiSearch {
    pub ending: Ending,
    pub searches: u32,
    /// How many different ones are named.
    pub indexes: u32,
    /// The same of remotes.
    pub remotes: u32,
    pub federated: bool,
    /// What any of the queries asks for.
    pub scoring: Scoring,
}

#[derive(Debug, Default)]
pub(crate) struct MultiSearchTally {
    requests: Requests,
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
        self.requests.add(search.ending);
        self.searches.add(search.searches.into());
        self.indexes.add(search.indexes.into());
        self.single_index += u64::from(search.indexes == 1);
        self.remotes.add(search.remotes.into());
        self.federated |= search.federated;
        self.scoring.add(search.scoring);
    }

    fn tell(&self, sheet: &mut Sheet) {
        self.requests.tell(sheet);
        sheet.put("searches.total_search_count", self.searches.sum(), "Queries of all requests.");
        sheet.put("searches.avg_search_count", &self.searches, "Queries of one, on average.");
        sheet.put(
            "indexes.total_distinct_index_count",
            self.indexes.sum(),
            "Different indexes that a request names, summed over all requests.",
        );
        sheet.put("indexes.avg_distinct_index_count", &self.indexes, "The same, on average.");
        sheet.put("indexes.total_single_index", self.single_index, "Requests that name one index.");
        sheet.put(
            "remotes.total_distinct_remote_count",
            self.remotes.sum(),
            "Different remotes that a request names, summed over all requests.",
        );
        sheet.put("remotes.avg_distinct_remote_count", &self.remotes, "The same, on average.");
        sheet.put("federation.use_federation", self.federated, "Whether `federation` was used.");
        self.scoring.tell_shown(sheet);
    }
}
