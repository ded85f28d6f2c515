//! Facet searches.

use super::requests::{RequestOutcome, RequestTally};
use crate::event_totals::Tally;
use crate::fields::Fields;
use crate::metrics::{Distinct, hash};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FacetSearch {
    pub outcome: RequestOutcome,
    pub facet: FacetName,
    /// True if there are parameters besides the facet and its query.
    pub more_parameters: bool,
}

/// Hash that distinguishes facets; the name cannot be recovered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FacetName(u64);

impl FacetName {
    pub fn new(name: &str) -> Self {
        Self(hash(name))
    }
}

#[derive(Debug, Default)]
pub(crate) struct FacetSearchTally {
    requests: RequestTally,
    facets: Distinct,
    more_parameters: bool,
}

impl Tally for FacetSearchTally {
    type Event = FacetSearch;

    fn add(&mut self, search: FacetSearch) {
        self.requests.add(search.outcome);
        self.facets.add(search.facet.0);
        self.more_parameters |= search.more_parameters;
    }

    fn report(&self, fields: &mut Fields) {
        self.requests.report(fields);
        fields.put(
            "facets.total_distinct_facet_count",
            self.facets.len(),
            "Different facets that were searched, up to 1000.",
        );
        fields.put(
            "facets.additional_search_parameters_provided",
            self.more_parameters,
            "Whether the documents were narrowed down by a query, a filter or the like.",
        );
    }
}
