//! The body of a request with several queries.

use std::collections::BTreeMap;

use deserr::Deserr;

use crate::http::field_error::body_code;
use crate::http::json::BodyError;
use crate::routes::search::body::{Personalize, QueryBody, Rerank};
use crate::routes::search::values::Explicit;

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
pub struct MultiSearchBody {
    pub queries: Vec<QueryBody>,
    #[deserr(default)]
    pub federation: Option<FederationBody>,
}

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
pub struct FederationBody {
    #[deserr(default, error = body_code!(InvalidSearchLimit))]
    pub limit: Explicit<usize>,
    #[deserr(default, error = body_code!(InvalidSearchOffset))]
    pub offset: Explicit<usize>,
    #[deserr(default, error = body_code!(InvalidSearchPage))]
    pub page: Option<usize>,
    #[deserr(default, error = body_code!(InvalidSearchHitsPerPage))]
    pub hits_per_page: Option<usize>,
    #[deserr(default, error = body_code!(InvalidMultiSearchFacetsByIndex))]
    pub facets_by_index: BTreeMap<String, Option<Vec<String>>>,
    #[deserr(default, error = body_code!(InvalidMultiSearchMergeFacets))]
    pub merge_facets: Option<MergeFacetsBody>,
    #[deserr(default, error = body_code!(InvalidSearchDistinct))]
    pub distinct: Option<String>,
    #[deserr(default, error = body_code!(InvalidSearchShowPerformanceDetails))]
    pub show_performance_details: bool,
    #[deserr(default, error = body_code!(InvalidSearchPersonalize))]
    pub personalize: Option<Personalize>,
    #[deserr(default, error = body_code!(InvalidSearchRerank))]
    pub rerank: Option<Rerank>,
}

#[derive(Debug, Deserr)]
#[deserr(
    error = body_code!(InvalidMultiSearchMergeFacets), rename_all = camelCase, deny_unknown_fields
)]
pub struct MergeFacetsBody {
    #[deserr(default, error = body_code!(InvalidMultiSearchMaxValuesPerFacet))]
    pub max_values_per_facet: Option<usize>,
}
