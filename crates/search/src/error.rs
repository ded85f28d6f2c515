//! The errors of searches.

use model::Cancelled;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum SearchError {
    #[error(transparent)]
    Index(#[from] index::IndexError),
    #[error(transparent)]
    Segment(#[from] segment::SegmentError),
    #[error(transparent)]
    Vectors(#[from] vectors::VectorsError),
    /// `attributesToSearchOn` names an attribute that is not searchable.
    #[error("{0}")]
    NotSearchable(String),
    /// The filter is invalid.
    #[error("{0}")]
    Filter(String),
    /// The settings do not allow an operator for its attribute.
    #[error("{0}")]
    Operator(String),
    #[error("{0}")]
    NotSortable(String),
    /// The ranking rules lack `sort`, which the query needs.
    #[error("{0}")]
    NoSortRule(String),
    /// The boosts are invalid.
    #[error("{0}")]
    Boosts(String),
    #[error("{0}")]
    AttributeWeights(String),
    #[error("{0}")]
    NotFilterableDistinct(String),
    /// The list of facets is invalid.
    #[error("{0}")]
    Facets(String),
    #[error("{0}")]
    NotFacetSearchable(String),
    /// The attribute cannot provide suggestions.
    #[error("{0}")]
    NotSuggested(String),
    #[error("The facet search is disabled for this index")]
    FacetSearchDisabled,
    #[error("the client has disconnected")]
    Cancelled,
}

impl From<Cancelled> for SearchError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}
