//! Each parameter of a search, once. The bodies of searches, the query string and their descriptions
//! in the OpenAPI document follow from this table, in its order, which messages show too.
//!
//! A row has the name, the type (`parameter.rs` says what follows from it), the default, the error
//! code and a line of help; `macros.rs` reads it. `#[facet_search]` marks a parameter of facet searches, `#[own]` one that
//! Meilisearch does not have. A parameter that a query string cannot contain lists the parameters
//! that it is assembled from there, if any.

use deserr::{Deserr, ValuePointerRef};
use model::limits::DEFAULT_PAGE_LIMIT;
use model::{Code, IndexUid, ServiceError};
use serde_json::json;

use super::body::{
    DEFAULT_CROP_LENGTH, DEFAULT_CROP_MARKER, DEFAULT_POST_TAG, DEFAULT_PRE_TAG, FederationOptions,
    Hybrid, Personalize, Rerank,
};
use super::fusion::{FusionK, FusionName};
use super::in_query::{Assembled, InQuery};
use super::parameter::{AttributeWeights, Boosts, Filter, Media, Parameter, Sort, WithDefault};
use super::values::{Explicit, Locale, MatchingStrategy, RerankLimit, SemanticRatio, Threshold};
use crate::http::field_error::{FieldError, body_code, query_code};
use crate::http::json::BodyError;
use crate::http::query::QueryError;
use crate::schema::{Member, camel_case, maybe};

pub const PERSONALIZE: &str =
    "Reranks the hits for a user. Needs `--experimental-personalization-api-key`.";
pub const FUSION: &str = "How full-text and semantic hits are merged.";
pub const FUSION_K: &str =
    "Constant of `rrf`; larger values reduce the influence of the top ranks.";
pub const SEMANTIC_RATIO: &str = "From 0, only full-text, to 1, only semantic.";
pub const RERANK_LIMIT: &str = "Number of top hits to rerank.";
pub const EMBEDDER: &str = "Name of the embedder.";
pub const RERANKER: &str = "Name of the reranker.";

search_parameters! {
    { [] [] [] [] [] }
    #[facet_search]
    q: Option<String>, InvalidSearchQ, "Query text. Empty returns all documents.";
    offset: Explicit<usize> = 0, InvalidSearchOffset, "Number of hits to skip.";
    limit: Explicit<usize> = DEFAULT_PAGE_LIMIT, InvalidSearchLimit,
        "Maximum number of hits to return.";
    page: Option<usize>, InvalidSearchPage, "Page number, starting at 1; replaces `offset`.";
    hits_per_page: Option<usize>, InvalidSearchHitsPerPage,
        "Number of hits per page; replaces `limit`.";
    attributes_to_retrieve: Option<Vec<String>>, InvalidSearchAttributesToRetrieve,
        "Attributes to return; all displayed by default.";
    attributes_to_crop: Option<Vec<String>>, InvalidSearchAttributesToCrop,
        "Attributes to crop around matches in `_formatted`; `name:5` sets the length.";
    crop_length: usize = DEFAULT_CROP_LENGTH, InvalidSearchCropLength,
        "Length of cropped text, in words.";
    crop_marker: String = DEFAULT_CROP_MARKER, InvalidSearchCropMarker,
        "Marker of text that was cut off.";
    attributes_to_highlight: Option<Vec<String>>, InvalidSearchAttributesToHighlight,
        "Attributes to highlight in `_formatted`.";
    highlight_pre_tag: String = DEFAULT_PRE_TAG, InvalidSearchHighlightPreTag,
        "Tag before a match.";
    highlight_post_tag: String = DEFAULT_POST_TAG, InvalidSearchHighlightPostTag,
        "Tag after a match.";
    show_matches_position: bool = false, InvalidSearchShowMatchesPosition,
        "Whether to return `_matchesPosition`.";
    #[facet_search]
    filter: Filter, InvalidSearchFilter, "Filter expression, see /docs/filters.";
    sort: Option<Sort>, InvalidSearchSort,
        "Sort order, such as `price:asc` or `_geoPoint(45.7, 4.8):desc`.";
    #[own]
    boosts: Option<Boosts>, InvalidSearchBoosts, "Boosts besides the query text.";
    #[own]
    attribute_weights: Option<AttributeWeights>, InvalidSearchAttributeWeights,
        "Weights of attributes in the ranking rule `bm25`.";
    distinct: Option<String>, InvalidSearchDistinct,
        "Attribute; only the best hit per value is returned.";
    facets: Option<Vec<String>>, InvalidSearchFacets,
        "Attributes whose values are counted among the matches.";
    #[facet_search]
    matching_strategy: MatchingStrategy, InvalidSearchMatchingStrategy,
        "Which words of the query a document may lack.";
    #[facet_search]
    attributes_to_search_on: Option<Vec<String>>, InvalidSearchAttributesToSearchOn,
        "Attributes to search; all searchable by default.";
    #[facet_search]
    ranking_score_threshold: Option<Threshold>, InvalidSearchRankingScoreThreshold,
        "Minimum ranking score; hits with a lower score are left out.";
    #[facet_search]
    locales: Option<Vec<Locale>>, InvalidSearchLocales, "Languages of the query.";
    #[facet_search]
    hybrid: Option<Hybrid>, InvalidSearchHybridQuery, "Options of hybrid search.", in query {
        hybrid_embedder: Option<String>, InvalidSearchEmbedder, EMBEDDER;
        hybrid_semantic_ratio: Option<SemanticRatio>, InvalidSearchSemanticRatio, SEMANTIC_RATIO;
        #[own]
        hybrid_fusion: Option<FusionName>, InvalidSearchHybridFusion, FUSION;
        #[own]
        hybrid_k: Option<FusionK>, InvalidSearchHybridK, FUSION_K;
    };
    #[facet_search]
    vector: Option<Vec<f32>>, InvalidSearchVector, "Query vector instead of the embedding of `q`.";
    retrieve_vectors: bool = false, InvalidSearchRetrieveVectors, "Whether to return `_vectors`.";
    #[facet_search]
    media: Media, InvalidSearchMedia,
        "For embedders with fragments. Needs the feature `multimodal`.", in query {};
    personalize: Option<Personalize>, InvalidSearchPersonalize, PERSONALIZE, in query {
        personalize_user_context: Option<String>, InvalidSearchPersonalizeUserContext, PERSONALIZE;
    };
    #[own]
    rerank: Option<Rerank>, InvalidSearchRerank, "Reranks the top hits.", in query {
        #[own]
        rerank_reranker: Option<String>, InvalidSearchRerank, RERANKER;
        #[own]
        rerank_limit: Option<RerankLimit>, InvalidSearchRerank, RERANK_LIMIT;
    };
    #[facet_search]
    use_network: Option<bool>, InvalidSearchUseNetwork, "Whether to search the whole network.";
    show_ranking_score: bool = false, InvalidSearchShowRankingScore,
        "Whether to return `_rankingScore`.";
    show_ranking_score_details: bool = false, InvalidSearchShowRankingScoreDetails,
        "Whether to return `_rankingScoreDetails`.";
    show_performance_details: Explicit<bool> = false, InvalidSearchShowPerformanceDetails,
        "Whether to return `performanceDetails`.";
    #[own]
    did_you_mean: bool = false, InvalidSearchDidYouMean,
        "Whether to suggest a better spelling of the query.";
}

fn missing_index_uid(field: &str, at: ValuePointerRef<'_>) -> body_code!(MissingIndexUid) {
    FieldError::missing(field, at)
}

fn missing_facet_name(
    field: &str,
    at: ValuePointerRef<'_>,
) -> body_code!(MissingFacetSearchFacetName) {
    FieldError::missing(field, at)
}

fn unknown_field(key: &str, accepted: &[&str], at: ValuePointerRef<'_>) -> BodyError {
    FieldError::unknown(key, &of_reference(accepted), at)
}

fn unknown_parameter(key: &str, accepted: &[&str], at: ValuePointerRef<'_>) -> QueryError {
    FieldError::unknown(key, &of_reference(accepted), at)
}

/// Returns the names that Meilisearch has too. Clients compare its messages, so these list no others.
fn of_reference<'a>(accepted: &[&'a str]) -> Vec<&'a str> {
    let own = NAMES.iter().filter(|(_, is_own)| *is_own);
    let own: Vec<String> = own.map(|(name, _)| camel_case(name)).collect();
    accepted.iter().copied().filter(|name| own.iter().all(|own| own != name)).collect()
}
