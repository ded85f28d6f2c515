//! The query string of a search. Fields are in the order in which messages list them.

use deserr::Deserr;
use model::limits::DEFAULT_PAGE_LIMIT;
use model::{Code, ServiceError};

use super::body::{
    DEFAULT_CROP_LENGTH, DEFAULT_CROP_MARKER, DEFAULT_POST_TAG, DEFAULT_PRE_TAG,
    DEFAULT_SEMANTIC_RATIO, Hybrid, Personalize, Rerank, SearchBody,
};
use super::fusion::{FusionK, FusionName};
use super::values::{
    Explicit, Items, Json, Locale, MatchingStrategy, RerankLimit, SemanticRatio, Threshold,
};
use crate::http::field_error::query_code;
use crate::http::list::List;
use crate::http::query::{Param, QueryError};
use crate::routes::selection::{filter_parameter, sort_parameter};

#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
pub struct SearchParameters {
    #[deserr(default, error = query_code!(InvalidSearchQ))]
    q: Option<String>,
    #[deserr(default = Param(0), error = query_code!(InvalidSearchOffset))]
    offset: Param<usize>,
    #[deserr(default = Param(DEFAULT_PAGE_LIMIT), error = query_code!(InvalidSearchLimit))]
    limit: Param<usize>,
    #[deserr(default, error = query_code!(InvalidSearchPage))]
    page: Option<Param<usize>>,
    #[deserr(default, error = query_code!(InvalidSearchHitsPerPage))]
    hits_per_page: Option<Param<usize>>,
    #[deserr(default, error = query_code!(InvalidSearchAttributesToRetrieve))]
    attributes_to_retrieve: Option<List<String>>,
    #[deserr(default, error = query_code!(InvalidSearchAttributesToCrop))]
    attributes_to_crop: Option<List<String>>,
    #[deserr(default = Param(DEFAULT_CROP_LENGTH), error = query_code!(InvalidSearchCropLength))]
    crop_length: Param<usize>,
    #[deserr(default = DEFAULT_CROP_MARKER.to_owned(), error = query_code!(InvalidSearchCropMarker))]
    crop_marker: String,
    #[deserr(default, error = query_code!(InvalidSearchAttributesToHighlight))]
    attributes_to_highlight: Option<List<String>>,
    #[deserr(default = DEFAULT_PRE_TAG.to_owned(), error = query_code!(InvalidSearchHighlightPreTag))]
    highlight_pre_tag: String,
    #[deserr(default = DEFAULT_POST_TAG.to_owned(), error = query_code!(InvalidSearchHighlightPostTag))]
    highlight_post_tag: String,
    #[deserr(default = Param(false), error = query_code!(InvalidSearchShowMatchesPosition))]
    show_matches_position: Param<bool>,
    #[deserr(default, error = query_code!(InvalidSearchFilter))]
    filter: Option<String>,
    #[deserr(default, error = query_code!(InvalidSearchSort))]
    sort: Option<String>,
    #[deserr(default, error = query_code!(InvalidSearchBoosts))]
    boosts: Option<Param<Json>>,
    #[deserr(default, error = query_code!(InvalidSearchAttributeWeights))]
    attribute_weights: Option<Param<Json>>,
    #[deserr(default, error = query_code!(InvalidSearchDistinct))]
    distinct: Option<String>,
    #[deserr(default, error = query_code!(InvalidSearchFacets))]
    facets: Option<List<String>>,
    #[deserr(default, error = query_code!(InvalidSearchMatchingStrategy))]
    matching_strategy: MatchingStrategy,
    #[deserr(default, error = query_code!(InvalidSearchAttributesToSearchOn))]
    attributes_to_search_on: Option<List<String>>,
    #[deserr(default, error = query_code!(InvalidSearchRankingScoreThreshold))]
    ranking_score_threshold: Option<Param<Threshold>>,
    #[deserr(default, error = query_code!(InvalidSearchLocales))]
    locales: Option<Items<Locale>>,
    #[deserr(default, error = query_code!(InvalidSearchEmbedder))]
    hybrid_embedder: Option<String>,
    #[deserr(default, error = query_code!(InvalidSearchSemanticRatio))]
    hybrid_semantic_ratio: Option<Param<SemanticRatio>>,
    #[deserr(default, error = query_code!(InvalidSearchHybridFusion))]
    hybrid_fusion: Option<FusionName>,
    #[deserr(default, error = query_code!(InvalidSearchHybridK))]
    hybrid_k: Option<Param<FusionK>>,
    #[deserr(default, error = query_code!(InvalidSearchVector))]
    vector: Option<Items<f32>>,
    #[deserr(default = Param(false), error = query_code!(InvalidSearchRetrieveVectors))]
    retrieve_vectors: Param<bool>,
    #[deserr(default, error = query_code!(InvalidSearchPersonalizeUserContext))]
    personalize_user_context: Option<String>,
    #[deserr(default, error = query_code!(InvalidSearchRerank))]
    rerank_reranker: Option<String>,
    #[deserr(default, error = query_code!(InvalidSearchRerank))]
    rerank_limit: Option<Param<RerankLimit>>,
    #[deserr(default, error = query_code!(InvalidSearchUseNetwork))]
    use_network: Option<Param<bool>>,
    #[deserr(default = Param(false), error = query_code!(InvalidSearchShowRankingScore))]
    show_ranking_score: Param<bool>,
    #[deserr(default = Param(false), error = query_code!(InvalidSearchShowRankingScoreDetails))]
    show_ranking_score_details: Param<bool>,
    #[deserr(default = Param(false), error = query_code!(InvalidSearchShowPerformanceDetails))]
    show_performance_details: Param<bool>,
    #[deserr(default = Param(false), error = query_code!(InvalidSearchDidYouMean))]
    did_you_mean: Param<bool>,
}

impl SearchParameters {
    pub fn into_body(self) -> Result<SearchBody, ServiceError> {
        let hybrid = self.hybrid()?;
        let rerank = self.rerank()?;
        Ok(SearchBody {
            q: self.q,
            offset: Explicit(Some(self.offset.0)),
            limit: Explicit(Some(self.limit.0)),
            page: self.page.map(|Param(page)| page),
            hits_per_page: self.hits_per_page.map(|Param(hits)| hits),
            attributes_to_retrieve: self.attributes_to_retrieve.map(|List(names)| names),
            attributes_to_crop: self.attributes_to_crop.map(|List(names)| names),
            crop_length: self.crop_length.0,
            crop_marker: self.crop_marker,
            attributes_to_highlight: self.attributes_to_highlight.map(|List(names)| names),
            highlight_pre_tag: self.highlight_pre_tag,
            highlight_post_tag: self.highlight_post_tag,
            show_matches_position: self.show_matches_position.0,
            filter: self.filter.and_then(filter_parameter),
            sort: self.sort.as_deref().map(sort_parameter),
            boosts: self.boosts.map(|Param(Json(boosts))| boosts),
            attribute_weights: self.attribute_weights.map(|Param(Json(weights))| weights),
            distinct: self.distinct,
            facets: self.facets.map(|List(names)| names),
            matching_strategy: self.matching_strategy,
            attributes_to_search_on: self.attributes_to_search_on.map(|List(names)| names),
            ranking_score_threshold: self.ranking_score_threshold.map(|Param(least)| least),
            locales: self.locales.map(|Items(locales)| locales),
            hybrid,
            vector: self.vector.map(|Items(numbers)| numbers),
            retrieve_vectors: self.retrieve_vectors.0,
            media: None,
            personalize: self
                .personalize_user_context
                .map(|user_context| Personalize { user_context }),
            rerank,
            use_network: self.use_network.map(|Param(on)| on),
            show_ranking_score: self.show_ranking_score.0,
            show_ranking_score_details: self.show_ranking_score_details.0,
            show_performance_details: Explicit(Some(self.show_performance_details.0)),
            did_you_mean: self.did_you_mean.0,
        })
    }

    /// Builds the `rerank` object from its two parameters.
    fn rerank(&self) -> Result<Option<Rerank>, ServiceError> {
        match (self.rerank_reranker.clone(), self.rerank_limit) {
            (None, Some(_)) => Err(ServiceError::new(
                Code::InvalidSearchRerank,
                "`rerankReranker` is mandatory when `rerankLimit` is present",
            )),
            (None, None) => Ok(None),
            (Some(reranker), limit) => {
                let limit = limit.map_or_else(RerankLimit::default, |Param(limit)| limit);
                Ok(Some(Rerank { reranker, limit }))
            }
        }
    }

    /// Builds the `hybrid` object from its parameters.
    fn hybrid(&self) -> Result<Option<Hybrid>, ServiceError> {
        let mandatory = |code, other: &str| {
            let message = format!("`hybridEmbedder` is mandatory when `{other}` is present");
            Err(ServiceError::new(code, message))
        };
        let Some(embedder) = self.hybrid_embedder.clone() else {
            if self.hybrid_semantic_ratio.is_some() {
                return mandatory(Code::InvalidSearchHybridQuery, "hybridSemanticRatio");
            }
            if self.hybrid_fusion.is_some() {
                return mandatory(Code::InvalidSearchHybridQuery, "hybridFusion");
            }
            if self.hybrid_k.is_some() {
                return mandatory(Code::InvalidSearchHybridQuery, "hybridK");
            }
            if self.vector.is_some() {
                return mandatory(Code::MissingSearchHybrid, "vector");
            }
            return Ok(None);
        };
        let semantic_ratio =
            self.hybrid_semantic_ratio.map_or(DEFAULT_SEMANTIC_RATIO, |Param(ratio)| ratio);
        let fusion = self.hybrid_fusion.unwrap_or_default();
        let k = self.hybrid_k.map(|Param(k)| k);
        let hybrid = Hybrid { semantic_ratio, embedder, fusion, k };
        hybrid.fusion("in parameter `hybridK`")?;
        Ok(Some(hybrid))
    }
}
