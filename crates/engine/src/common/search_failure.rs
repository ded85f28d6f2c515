//! What went wrong with a search, in the words and codes a user meets.

use index::IndexError;
use model::{Code, ServiceError};
use search::SearchError;

use super::failure::index_failure;

/// A failure of the search routes; it does not name the index.
pub fn search_failure(error: SearchError) -> ServiceError {
    let code = match error {
        SearchError::Index(error) => return index_failure(&error),
        SearchError::Segment(error) => return index_failure(&IndexError::from(error)),
        SearchError::Vectors(error) => return index_failure(&IndexError::from(error)),
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

/// The same, naming the index as far as the reference does.
pub fn search_failure_in(error: SearchError, uid: &str) -> ServiceError {
    match error {
        SearchError::Facets(_) => search_failure(error),
        _ => search_failure(error).in_index(uid),
    }
}

/// The same of one of several queries of a request.
pub fn inside_query(error: ServiceError, place: usize) -> ServiceError {
    ServiceError { message: format!("Inside `.queries[{place}]`: {}", error.message), ..error }
}

/// The same where documents like another one are looked for.
pub fn similar_failure(error: SearchError) -> ServiceError {
    match error {
        SearchError::Filter(_) | SearchError::Operator(_) => {
            ServiceError::new(Code::InvalidSimilarFilter, error.to_string())
        }
        _ => search_failure(error),
    }
}

/// The same where phrases are suggested.
pub fn suggest_failure(error: SearchError) -> ServiceError {
    match error {
        SearchError::Filter(_) | SearchError::Operator(_) => {
            ServiceError::new(Code::InvalidSuggestFilter, error.to_string())
        }
        _ => search_failure(error),
    }
}

/// The same on the routes that read or change documents. An operator that the settings do not
/// allow keeps the code it has in a search, as clients of the reference know it.
pub fn documents_failure(error: SearchError) -> ServiceError {
    match error {
        SearchError::Filter(message) => ServiceError::new(Code::InvalidDocumentFilter, message),
        SearchError::NotSortable(message) => ServiceError::new(Code::InvalidDocumentSort, message),
        other => search_failure(other),
    }
}
