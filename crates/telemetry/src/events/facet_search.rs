//! Searches for values of facets.

use super::requests::{Ending, Requests};
use crate::entry::Tally;
use crate::metrics::{Distinct, hash};
use crate::sheet::Sheet;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FacetSearch {
    pub ending: Ending,
    pub facet: FacetName,
    /// Anything but the facet and the beginning of its values.
    pub more_parameters: bool,
}

/// Tells a facet from others; its name cannot be had back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FacetName(u64);

impl FacetName {
    pub fn new(name: &str) -> Self {
        Self(hash(name))
    }
}

#[derive(Debug, Default)]
pub(crate) struct FacetSearchTally {
    requests: Requests,
    facets: Distinct,
    more_parameters: bool,
}

impl Tally for FacetSearchTally {
    type Event = FacetSearch;

    fn add(&mut self, search: FacetSearch) {
        self.requests.add(search.ending);
        self.facets.add(search.facet.0);
        self.more_parameters |= search.more_parameters;
    }

    fn tell(&self, sheet: &mut Sheet) {
        self.requests.tell(sheet);
        sheet.put(
            "facets.total_distinct_facet_count",
            self.facets.len(),
            "Different facets that were searched, up to 1000.",
        );
        sheet.put(
            "facets.additional_search_parameters_provided",
            self.more_parameters,
            "Whether the documents were narrowed down by a query, a filter or the like.",
        );
    }
}
