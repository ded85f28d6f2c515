//! Why a search cannot be answered.

use thiserror::Error;

#[derive(Debug, Error)]
pub enum SearchError {
    #[error(transparent)]
    Index(#[from] index::IndexError),
    #[error(transparent)]
    Segment(#[from] segment::SegmentError),
    #[error(transparent)]
    Vectors(#[from] vectors::VectorsError),
    /// `attributesToSearchOn` names what is not searchable.
    #[error("{0}")]
    NotSearchable(String),
    /// What is wrong with a filter.
    #[error("{0}")]
    Filter(String),
    /// An operator that the settings do not allow for its attribute.
    #[error("{0}")]
    Operator(String),
    #[error("{0}")]
    NotSortable(String),
    /// The ranking rules do not say where `sort` applies.
    #[error("{0}")]
    NoSortRule(String),
    /// What is wrong with boosts.
    #[error("{0}")]
    Boosts(String),
    #[error("{0}")]
    AttributeWeights(String),
    #[error("{0}")]
    NotFilterableDistinct(String),
    /// What is wrong with the list of facets.
    #[error("{0}")]
    Facets(String),
    #[error("{0}")]
    NotFacetSearchable(String),
    /// An attribute from which nothing can be suggested.
    #[error("{0}")]
    NotSuggested(String),
    #[error("The facet search is disabled for this index")]
    FacetSearchDisabled,
    #[error("nobody waits for the answer")]
    Cancelled,
}
