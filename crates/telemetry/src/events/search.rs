//! A search without its content. Small and plain, because one is built for each search.

use super::filter::Filter;
use super::requests::RequestOutcome;
use super::scoring::Scoring;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Search {
    pub outcome: RequestOutcome,
    pub negative_operator: bool,
    pub terms: u32,
    pub sort: Option<Sort>,
    pub filter: Filter,
    pub distinct: bool,
    pub attributes_to_search_on: bool,
    pub locales: bool,
    /// Dimensions of a vector in the request.
    pub vector_size: Option<u32>,
    pub retrieve_vectors: bool,
    pub hybrid: Hybrid,
    pub media: bool,
    pub paging: Paging,
    pub formatting: Formatting,
    /// Number of requested facets; none if not mentioned.
    pub facets: Option<u32>,
    pub strategy: Strategy,
    pub scoring: Scoring,
    pub network: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sort {
    pub criteria: u32,
    pub geo_point: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hybrid {
    pub enabled: bool,
    /// True if the ratio differs from the default.
    pub semantic_ratio: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Paging {
    pub limit: u64,
    pub offset: u64,
    /// True if pages are used, so that the total is exact.
    pub by_page: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Formatting {
    pub retrieved: Option<u32>,
    pub highlighted: Option<u32>,
    pub cropped: Option<u32>,
    // Whether each differs from the default.
    pub pre_tag: bool,
    pub post_tag: bool,
    pub crop_length: bool,
    pub crop_marker: bool,
    pub matches_position: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strategy {
    #[default]
    Last,
    All,
    Frequency,
    Any,
}
