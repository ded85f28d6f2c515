//! Searches for documents like another.

use super::filter::{Filter, Filters};
use super::requests::{Ending, Requests};
use super::scoring::Scoring;
use crate::entry::Tally;
use crate::metrics::Largest;
use crate::sheet::Sheet;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Similar {
    pub ending: Ending,
    pub filter: Filter,
    pub limit: u64,
    pub offset: u64,
    pub retrieved: Option<u32>,
    pub retrieve_vectors: bool,
    pub scoring: Scoring,
}

#[derive(Debug, Default)]
pub(crate) struct SimilarTally {
    requests: Requests,
    filters: Filters,
    limit: Largest,
    offset: Largest,
    retrieved: Largest,
    retrieve_vectors: bool,
    scoring: Scoring,
}

impl Tally for SimilarTally {
    type Event = Similar;

    fn add(&mut self, similar: Similar) {
        self.requests.add(similar.ending);
        self.filters.add(similar.filter);
        self.limit.add(similar.limit);
        self.offset.add(similar.offset);
        self.retrieved.add(similar.retrieved.map(u64::from));
        self.retrieve_vectors |= similar.retrieve_vectors;
        self.scoring.add(similar.scoring);
    }

    fn tell(&self, sheet: &mut Sheet) {
        self.requests.tell(sheet);
        self.filters.tell(sheet);
        sheet.put(
            "pagination.max_limit",
            &self.limit,
            "The most hits that were asked for at once.",
        );
        sheet.put("pagination.max_offset", &self.offset, "The most hits that were skipped.");
        sheet.put(
            "formatting.max_attributes_to_retrieve",
            &self.retrieved,
            "The longest list of `attributesToRetrieve`.",
        );
        sheet.put(
            "vector.retrieve_vectors",
            self.retrieve_vectors,
            "Whether `retrieveVectors` was used.",
        );
        self.scoring.tell(sheet);
    }
}
