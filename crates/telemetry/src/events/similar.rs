//! Similar-document searches.

use super::filter::{Filter, FilterTally};
use super::requests::{RequestOutcome, RequestTally};
use super::scoring::Scoring;
use crate::event_totals::Tally;
use crate::fields::Fields;
use crate::metrics::Largest;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Similar {
    pub outcome: RequestOutcome,
    pub filter: Filter,
    pub limit: u64,
    pub offset: u64,
    pub retrieved: Option<u32>,
    pub retrieve_vectors: bool,
    pub scoring: Scoring,
}

#[derive(Debug, Default)]
pub(crate) struct SimilarTally {
    requests: RequestTally,
    filters: FilterTally,
    limit: Largest,
    offset: Largest,
    retrieved: Largest,
    retrieve_vectors: bool,
    scoring: Scoring,
}

impl Tally for SimilarTally {
    type Event = Similar;

    fn add(&mut self, similar: Similar) {
        self.requests.add(similar.outcome);
        self.filters.add(similar.filter);
        self.limit.add(similar.limit);
        self.offset.add(similar.offset);
        self.retrieved.add(similar.retrieved.map(u64::from));
        self.retrieve_vectors |= similar.retrieve_vectors;
        self.scoring.add(similar.scoring);
    }

    fn report(&self, fields: &mut Fields) {
        self.requests.report(fields);
        self.filters.report(fields);
        fields.put(
            "pagination.max_limit",
            &self.limit,
            "The most hits that were asked for at once.",
        );
        fields.put("pagination.max_offset", &self.offset, "The most hits that were skipped.");
        fields.put(
            "formatting.max_attributes_to_retrieve",
            &self.retrieved,
            "The longest list of `attributesToRetrieve`.",
        );
        fields.put(
            "vector.retrieve_vectors",
            self.retrieve_vectors,
            "Whether `retrieveVectors` was used.",
        );
        self.scoring.report(fields);
    }
}
