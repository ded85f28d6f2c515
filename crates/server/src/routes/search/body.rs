//! The JSON body of a search. Query strings are converted to it, so that later steps exist once.
//! Fields are in the order in which messages list them.

use deserr::{Deserr, ValuePointerRef};
use engine::search::{Fusion, RerankRequest};
use model::{Code, IndexUid, ServiceError};
use serde_json::Value;

use super::fusion::{FusionK, FusionName};
use super::values::{
    Explicit, Locale, MatchingStrategy, RerankLimit, SemanticRatio, Threshold, Weight,
};
use crate::http::field_error::{FieldError, body_code};
use crate::http::json::BodyError;

pub const DEFAULT_CROP_LENGTH: usize = 10;
pub const DEFAULT_CROP_MARKER: &str = "…";
pub const DEFAULT_PRE_TAG: &str = "<em>";
pub const DEFAULT_POST_TAG: &str = "</em>";
pub const DEFAULT_SEMANTIC_RATIO: SemanticRatio = SemanticRatio(0.5);

/// Defines the fields of a search, alone and as a query of a multi-search.
macro_rules! search_bodies {
    ($($(#[$attribute:meta])* $field:ident: $kind:ty,)*) => {
        #[derive(Debug, Deserr)]
        #[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
        pub struct SearchBody {
            $($(#[$attribute])* pub $field: $kind,)*
        }

        #[derive(Debug, Deserr)]
        #[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
        pub struct QueryBody {
            #[deserr(error = body_code!(InvalidIndexUid), missing_field_error = missing_index_uid)]
            pub index_uid: IndexUid,
            $($(#[$attribute])* pub $field: $kind,)*
            #[deserr(default)]
            pub federation_options: Option<FederationOptions>,
        }

        impl QueryBody {
            /// Returns the query position to show in hits, if it differs from the index of the
            /// query.
            pub fn position(&self) -> Option<usize> {
                self.federation_options.as_ref()?.query_position
            }

            pub fn into_parts(self) -> (IndexUid, SearchBody, Option<FederationOptions>) {
                let body = SearchBody { $($field: self.$field,)* };
                (self.index_uid, body, self.federation_options)
            }
        }
    };
}

search_bodies! {
    #[deserr(default, error = body_code!(InvalidSearchQ))]
    q: Option<String>,
    #[deserr(default, error = body_code!(InvalidSearchOffset))]
    offset: Explicit<usize>,
    #[deserr(default, error = body_code!(InvalidSearchLimit))]
    limit: Explicit<usize>,
    #[deserr(default, error = body_code!(InvalidSearchPage))]
    page: Option<usize>,
    #[deserr(default, error = body_code!(InvalidSearchHitsPerPage))]
    hits_per_page: Option<usize>,
    #[deserr(default, error = body_code!(InvalidSearchAttributesToRetrieve))]
    attributes_to_retrieve: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidSearchAttributesToCrop))]
    attributes_to_crop: Option<Vec<String>>,
    #[deserr(default = DEFAULT_CROP_LENGTH, error = body_code!(InvalidSearchCropLength))]
    crop_length: usize,
    #[deserr(default = DEFAULT_CROP_MARKER.to_owned(), error = body_code!(InvalidSearchCropMarker))]
    crop_marker: String,
    #[deserr(default, error = body_code!(InvalidSearchAttributesToHighlight))]
    attributes_to_highlight: Option<Vec<String>>,
    #[deserr(default = DEFAULT_PRE_TAG.to_owned(), error = body_code!(InvalidSearchHighlightPreTag))]
    highlight_pre_tag: String,
    #[deserr(default = DEFAULT_POST_TAG.to_owned(), error = body_code!(InvalidSearchHighlightPostTag))]
    highlight_post_tag: String,
    #[deserr(default, error = body_code!(InvalidSearchShowMatchesPosition))]
    show_matches_position: bool,
    #[deserr(default, error = body_code!(InvalidSearchFilter))]
    filter: Option<Value>,
    #[deserr(default, error = body_code!(InvalidSearchSort))]
    sort: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidSearchBoosts))]
    boosts: Option<Value>,
    #[deserr(default, error = body_code!(InvalidSearchAttributeWeights))]
    attribute_weights: Option<Value>,
    #[deserr(default, error = body_code!(InvalidSearchDistinct))]
    distinct: Option<String>,
    #[deserr(default, error = body_code!(InvalidSearchFacets))]
    facets: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidSearchMatchingStrategy))]
    matching_strategy: MatchingStrategy,
    #[deserr(default, error = body_code!(InvalidSearchAttributesToSearchOn))]
    attributes_to_search_on: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidSearchRankingScoreThreshold))]
    ranking_score_threshold: Option<Threshold>,
    #[deserr(default, error = body_code!(InvalidSearchLocales))]
    locales: Option<Vec<Locale>>,
    #[deserr(default, error = body_code!(InvalidSearchHybridQuery))]
    hybrid: Option<Hybrid>,
    #[deserr(default, error = body_code!(InvalidSearchVector))]
    vector: Option<Vec<f32>>,
    #[deserr(default, error = body_code!(InvalidSearchRetrieveVectors))]
    retrieve_vectors: bool,
    #[deserr(default, error = body_code!(InvalidSearchMedia))]
    media: Option<Value>,
    #[deserr(default, error = body_code!(InvalidSearchPersonalize))]
    personalize: Option<Personalize>,
    #[deserr(default, error = body_code!(InvalidSearchRerank))]
    rerank: Option<Rerank>,
    #[deserr(default, error = body_code!(InvalidSearchUseNetwork))]
    use_network: Option<bool>,
    #[deserr(default, error = body_code!(InvalidSearchShowRankingScore))]
    show_ranking_score: bool,
    #[deserr(default, error = body_code!(InvalidSearchShowRankingScoreDetails))]
    show_ranking_score_details: bool,
    #[deserr(default, error = body_code!(InvalidSearchShowPerformanceDetails))]
    show_performance_details: Explicit<bool>,
    #[deserr(default, error = body_code!(InvalidSearchDidYouMean))]
    did_you_mean: bool,
}

/// How the hits of a query take part in a federated search.
#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
pub struct FederationOptions {
    #[deserr(default, error = body_code!(InvalidMultiSearchWeight))]
    pub weight: Weight,
    #[deserr(default, error = body_code!(InvalidMultiSearchRemote))]
    pub remote: Option<String>,
    #[deserr(default, error = body_code!(InvalidMultiSearchQueryPosition))]
    pub query_position: Option<usize>,
}

fn missing_index_uid(field: &str, at: ValuePointerRef<'_>) -> body_code!(MissingIndexUid) {
    FieldError::missing(field, at)
}

#[derive(Debug, Deserr)]
#[deserr(error = body_code!(InvalidSearchHybridQuery), rename_all = camelCase, deny_unknown_fields)]
pub struct Hybrid {
    #[deserr(default = DEFAULT_SEMANTIC_RATIO, error = body_code!(InvalidSearchSemanticRatio))]
    pub semantic_ratio: SemanticRatio,
    #[deserr(error = body_code!(InvalidSearchEmbedder))]
    pub embedder: String,
    #[deserr(default, error = body_code!(InvalidSearchHybridFusion))]
    pub fusion: FusionName,
    #[deserr(default, error = body_code!(InvalidSearchHybridK))]
    pub k: Option<FusionK>,
}

impl Hybrid {
    /// Returns the fusion method. `at` says where `k` was sent.
    pub fn fusion(&self, at: &str) -> Result<Fusion, ServiceError> {
        let k = self.k.map(|FusionK(k)| k);
        match (self.fusion, k) {
            (FusionName::Rrf, k) => Ok(Fusion::Rrf { k: k.unwrap_or(Fusion::DEFAULT_K) }),
            (FusionName::Score, None) => Ok(Fusion::Score),
            (FusionName::Normalized, None) => Ok(Fusion::Normalized),
            (_, Some(_)) => Err(ServiceError::new(
                Code::InvalidSearchHybridK,
                format!("Invalid value {at}: `k` counts only where `fusion` is `rrf`."),
            )),
        }
    }
}

#[derive(Debug, Deserr)]
#[deserr(error = body_code!(InvalidSearchRerank), rename_all = camelCase, deny_unknown_fields)]
pub struct Rerank {
    #[deserr(error = body_code!(InvalidSearchRerank))]
    pub reranker: String,
    #[deserr(default, error = body_code!(InvalidSearchRerank))]
    pub limit: RerankLimit,
}

impl From<Rerank> for RerankRequest {
    fn from(Rerank { reranker, limit }: Rerank) -> Self {
        Self { reranker, limit: limit.0 }
    }
}

#[derive(Debug, Deserr)]
#[deserr(error = body_code!(InvalidSearchPersonalize), rename_all = camelCase, deny_unknown_fields)]
pub struct Personalize {
    #[deserr(error = body_code!(InvalidSearchPersonalizeUserContext))]
    pub user_context: String,
}
