//! A search as it is asked for in a body. One asked for in a query string becomes this too, so
//! that everything behind it exists once. Fields stand in the order in which messages list them.

use deserr::Deserr;
use model::limits::DEFAULT_PAGE_LIMIT;
use serde_json::Value;

use super::values::{Locale, MatchingStrategy, SemanticRatio, Threshold};
use crate::http::json::BodyError;
use crate::http::refused::body_code;

pub const DEFAULT_CROP_LENGTH: usize = 10;
pub const DEFAULT_CROP_MARKER: &str = "…";
pub const DEFAULT_PRE_TAG: &str = "<em>";
pub const DEFAULT_POST_TAG: &str = "</em>";
pub const DEFAULT_SEMANTIC_RATIO: SemanticRatio = SemanticRatio(0.5);

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
pub struct SearchBody {
    #[deserr(default, error = body_code!(InvalidSearchQ))]
    pub q: Option<String>,
    #[deserr(default, error = body_code!(InvalidSearchOffset))]
    pub offset: usize,
    #[deserr(default = DEFAULT_PAGE_LIMIT, error = body_code!(InvalidSearchLimit))]
    pub limit: usize,
    #[deserr(default, error = body_code!(InvalidSearchPage))]
    pub page: Option<usize>,
    #[deserr(default, error = body_code!(InvalidSearchHitsPerPage))]
    pub hits_per_page: Option<usize>,
    #[deserr(default, error = body_code!(InvalidSearchAttributesToRetrieve))]
    pub attributes_to_retrieve: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidSearchAttributesToCrop))]
    pub attributes_to_crop: Option<Vec<String>>,
    #[deserr(default = DEFAULT_CROP_LENGTH, error = body_code!(InvalidSearchCropLength))]
    pub crop_length: usize,
    #[deserr(default = DEFAULT_CROP_MARKER.to_owned(), error = body_code!(InvalidSearchCropMarker))]
    pub crop_marker: String,
    #[deserr(default, error = body_code!(InvalidSearchAttributesToHighlight))]
    pub attributes_to_highlight: Option<Vec<String>>,
    #[deserr(default = DEFAULT_PRE_TAG.to_owned(), error = body_code!(InvalidSearchHighlightPreTag))]
    pub highlight_pre_tag: String,
    #[deserr(default = DEFAULT_POST_TAG.to_owned(), error = body_code!(InvalidSearchHighlightPostTag))]
    pub highlight_post_tag: String,
    #[deserr(default, error = body_code!(InvalidSearchShowMatchesPosition))]
    pub show_matches_position: bool,
    #[deserr(default, error = body_code!(InvalidSearchFilter))]
    pub filter: Option<Value>,
    #[deserr(default, error = body_code!(InvalidSearchSort))]
    pub sort: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidSearchDistinct))]
    pub distinct: Option<String>,
    #[deserr(default, error = body_code!(InvalidSearchFacets))]
    pub facets: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidSearchMatchingStrategy))]
    pub matching_strategy: MatchingStrategy,
    #[deserr(default, error = body_code!(InvalidSearchAttributesToSearchOn))]
    pub attributes_to_search_on: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidSearchRankingScoreThreshold))]
    pub ranking_score_threshold: Option<Threshold>,
    #[deserr(default, error = body_code!(InvalidSearchLocales))]
    pub locales: Option<Vec<Locale>>,
    #[deserr(default, error = body_code!(InvalidSearchHybridQuery))]
    pub hybrid: Option<Hybrid>,
    #[deserr(default, error = body_code!(InvalidSearchVector))]
    pub vector: Option<Vec<f32>>,
    #[deserr(default, error = body_code!(InvalidSearchRetrieveVectors))]
    pub retrieve_vectors: bool,
    #[deserr(default, error = body_code!(InvalidSearchMedia))]
    pub media: Option<Value>,
    #[deserr(default, error = body_code!(InvalidSearchPersonalize))]
    pub personalize: Option<Personalize>,
    #[deserr(default, error = body_code!(InvalidSearchUseNetwork))]
    pub use_network: Option<bool>,
    #[deserr(default, error = body_code!(InvalidSearchShowRankingScore))]
    pub show_ranking_score: bool,
    #[deserr(default, error = body_code!(InvalidSearchShowRankingScoreDetails))]
    pub show_ranking_score_details: bool,
    #[deserr(default, error = body_code!(InvalidSearchShowPerformanceDetails))]
    pub show_performance_details: bool,
}

#[derive(Debug, Deserr)]
#[deserr(error = body_code!(InvalidSearchHybridQuery), rename_all = camelCase, deny_unknown_fields)]
pub struct Hybrid {
    #[deserr(default = DEFAULT_SEMANTIC_RATIO, error = body_code!(InvalidSearchSemanticRatio))]
    pub semantic_ratio: SemanticRatio,
    #[deserr(error = body_code!(InvalidSearchEmbedder))]
    pub embedder: String,
}

#[derive(Debug, Deserr)]
#[deserr(error = body_code!(InvalidSearchPersonalize), rename_all = camelCase, deny_unknown_fields)]
pub struct Personalize {
    #[deserr(error = body_code!(InvalidSearchPersonalizeUserContext))]
    #[expect(dead_code, reason = "it is checked, and there is nobody yet to give it to")]
    pub user_context: String,
}
