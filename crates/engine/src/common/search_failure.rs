//! Converts search errors to those that users see.

use model::{Code, ServiceError};
use search::SearchError;

use super::failure::index_failure;

/// Converts an error for the search routes, without the name of the index.
pub fn search_failure(error: SearchError) -> ServiceError {
    let code = match error {
        SearchError::Index(error) => return index_failure(error),
        SearchError::Segment(error) => return index_failure(error),
        SearchError::Vectors(error) => return index_failure(error),
        SearchError::NotSearchable(_) => Code::InvalidSearchAttributesToSearchOn,
        SearchError::Filter(_) | SearchError::Operator(_) => Code::InvalidSearchFilter,
        SearchError::NotSortable(_) | SearchError::NoSortRule(_) => Code::InvalidSearchSort,
        SearchError::Boosts(_) => Code::InvalidSearchBoosts,
        SearchError::AttributeWeights(_) => Code::InvalidSearchAttributeWeights,
        SearchError::NotFilterableDistinct(_) => Code::InvalidSearchDistinct,
        SearchError::Facets(_) => Code::InvalidSearchFacets,
        SearchError::NotFacetSearchable(_) => Code::InvalidFacetSearchFacetName,
        SearchError::NotSuggested(_) => Code::InvalidSuggestAttribute,
        SearchError::FacetSearchDisabled => Code::FacetSearchDisabled,
        SearchError::Cancelled => return ServiceError::internal("the search was cancelled"),
    };
    ServiceError::new(code, error.to_string())
}

/// Like `search_failure`, naming the index where the reference does.
pub fn search_failure_in(error: SearchError, uid: &str) -> ServiceError {
    match error {
        SearchError::Facets(_) => search_failure(error),
        _ => search_failure(error).in_index(uid),
    }
}

/// Adds the place of a query of several.
pub fn inside_query(error: ServiceError, place: usize) -> ServiceError {
    ServiceError { message: format!("Inside `.queries[{place}]`: {}", error.message), ..error }
}

/// Converts an error for the route of similar documents.
pub fn similar_failure(error: SearchError) -> ServiceError {
    match error {
        SearchError::Filter(_) | SearchError::Operator(_) => {
            ServiceError::new(Code::InvalidSimilarFilter, error.to_string())
        }
        _ => search_failure(error),
    }
}

/// Converts an error for the route of suggestions.
pub fn suggest_failure(error: SearchError) -> ServiceError {
    match error {
        SearchError::Filter(_) | SearchError::Operator(_) => {
            ServiceError::new(Code::InvalidSuggestFilter, error.to_string())
        }
        _ => search_failure(error),
    }
}

/// Converts an error for the routes that read or change documents. A forbidden operator keeps the
/// code of searches, as clients of the reference know it.
pub fn documents_failure(error: SearchError) -> ServiceError {
    match error {
        SearchError::Filter(message) => ServiceError::new(Code::InvalidDocumentFilter, message),
        SearchError::NotSortable(message) => ServiceError::new(Code::InvalidDocumentSort, message),
        other => search_failure(other),
    }
}
