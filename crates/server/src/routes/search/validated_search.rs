//! Validates a well-formed body and converts it to a search request: checks which parameters
//! exclude each other, and which features must be on. The engine checks what requires reading a
//! filter or the index.

use std::collections::BTreeMap;

use engine::search::{
    AnswerBudget, Criteria, FormatRequest, HitView, LegacySearch, RerankRequest, SearchRequest,
    SemanticRequest, Window, has_text, searched_text,
};
use engine::{Engine, ForeignAccess};
use model::features::{Feature, Features};
use model::limits::DEFAULT_PAGE_LIMIT;
use model::{Code, ServiceError};
use serde_json::Value;
use settings::boosts::{attribute_weights_from, check_attribute_weights, check_boosts};

use super::body::{Hybrid, SearchBody};
use super::values::{Explicit, languages};
use crate::bounds::Bounds;

#[derive(Debug)]
pub struct ValidatedSearch {
    pub request: SearchRequest,
    pub show_performance_details: bool,
    pub use_network: Option<bool>,
}

impl ValidatedSearch {
    /// Validates a body. `budget` bounds the whole request, of which this may be one search of
    /// several.
    pub fn new(
        body: SearchBody,
        features: &Features,
        bounds: &Bounds,
        budget: &AnswerBudget,
    ) -> Result<Self, ServiceError> {
        check_tags(&body, bounds)?;
        check_vectors(body.media.is_some(), body.vector.is_some(), body.hybrid.is_some())?;
        check_features(&body, features)?;
        let show_performance_details = body.show_performance_details.0.unwrap_or(false);
        let use_network = body.use_network;
        let shows_no_facets = body.facets.as_ref().is_some_and(Vec::is_empty);
        let legacy = features.legacy_search.then_some(LegacySearch { shows_no_facets });
        let budget = budget.clone();
        let request = SearchRequest { legacy, budget, ..request(body, bounds.query_size)? };
        Ok(Self { request, show_performance_details, use_network })
    }

    /// Checks that the instance can personalise, if the search asks for it.
    pub fn check_personalize(&self, engine: &Engine) -> Result<(), ServiceError> {
        check_personalize(self.request.user_context.is_some(), engine)
    }
}

/// Checks the length of tags, which are added to each match of each hit.
fn check_tags(body: &SearchBody, bounds: &Bounds) -> Result<(), ServiceError> {
    for (name, tag, code) in [
        ("cropMarker", &body.crop_marker, Code::InvalidSearchCropMarker),
        ("highlightPreTag", &body.highlight_pre_tag, Code::InvalidSearchHighlightPreTag),
        ("highlightPostTag", &body.highlight_post_tag, Code::InvalidSearchHighlightPostTag),
    ] {
        if tag.len() > bounds.tag_size {
            let most = bounds.tag_size;
            let message = format!(
                "Invalid value at `.{name}`: it is longer than {most} bytes. Send a shorter one, \
                 or raise `--search-tag-size-limit`."
            );
            return Err(ServiceError::new(code, message));
        }
    }
    Ok(())
}

pub fn check_vectors(media: bool, vector: bool, hybrid: bool) -> Result<(), ServiceError> {
    if media && vector {
        return Err(ServiceError::new(
            Code::InvalidSearchMediaAndVector,
            "Invalid request: both `media` and `vector` parameters are present.",
        ));
    }
    if (media || vector) && !hybrid {
        return Err(ServiceError::new(
            Code::MissingSearchHybrid,
            "Invalid request: missing `hybrid` parameter when `vector` or `media` are present.",
        ));
    }
    Ok(())
}

fn check_features(body: &SearchBody, features: &Features) -> Result<(), ServiceError> {
    if body.media.is_some() {
        features.check(Feature::multimodal, "passing `media` in a search query")?;
    }
    check_network(body.use_network, features)
}

/// Checks for a personalisation provider; no feature switch exists, only the key of a provider.
pub fn check_personalize(wanted: bool, engine: &Engine) -> Result<(), ServiceError> {
    if wanted && !engine.searcher().personalizes() {
        return Err(ServiceError::new(
            Code::FeatureNotEnabled,
            "reranking search results requires enabling the `personalization` experimental \
             feature. See https://github.com/orgs/meilisearch/discussions/866",
        ));
    }
    Ok(())
}

/// Checks the network feature, which even `useNetwork: false` needs.
pub fn check_network(use_network: Option<bool>, features: &Features) -> Result<(), ServiceError> {
    match use_network {
        Some(_) => features.check(Feature::network, "passing `useNetwork` in a search query"),
        None => Ok(()),
    }
}

fn boosts(sent: Option<&Value>) -> Result<Option<Value>, ServiceError> {
    let refused = |message| ServiceError::new(Code::InvalidSearchBoosts, message);
    sent.map(|boosts| check_boosts(boosts.clone()).map_err(refused)).transpose()
}

fn attribute_weights(sent: Option<&Value>) -> Result<Option<BTreeMap<String, f64>>, ServiceError> {
    let Some(weights) = sent else { return Ok(None) };
    let checked = check_attribute_weights(weights.clone())
        .map_err(|message| ServiceError::new(Code::InvalidSearchAttributeWeights, message))?;
    Ok(Some(attribute_weights_from(&checked)))
}

/// Returns the semantic part of the search, if there is a text, a vector or media to embed, and the
/// ratio is not 0.
pub fn semantic(
    hybrid: Option<Hybrid>,
    has_text: bool,
    vector: Option<Vec<f32>>,
    media: Option<Value>,
) -> Result<Option<SemanticRequest>, ServiceError> {
    let Some(hybrid) = hybrid else { return Ok(None) };
    // Checked even if it has no effect.
    let fusion = hybrid.fusion("at `.hybrid.k`")?;
    let asks = has_text || vector.is_some() || media.is_some();
    let Hybrid { embedder, semantic_ratio, .. } = hybrid;
    let ratio = semantic_ratio.0 as f32;
    let asked = SemanticRequest { embedder, ratio, fusion, vector, media };
    Ok(Some(asked).filter(|_| semantic_ratio.0 > 0.0 && asks))
}

/// Returns the window: pages if the request has a page parameter, otherwise an offset.
pub fn window(
    offset: Explicit<usize>,
    limit: Explicit<usize>,
    page: Option<usize>,
    hits_per_page: Option<usize>,
) -> Window {
    if page.is_none() && hits_per_page.is_none() {
        let limit = limit.0.unwrap_or(DEFAULT_PAGE_LIMIT);
        return Window::Offset { offset: offset.0.unwrap_or(0), limit };
    }
    Window::Page {
        page: page.unwrap_or(1),
        hits_per_page: hits_per_page.unwrap_or(DEFAULT_PAGE_LIMIT),
    }
}

fn request(body: SearchBody, query_size: usize) -> Result<SearchRequest, ServiceError> {
    let boosts = boosts(body.boosts.as_ref())?;
    let criteria = Criteria {
        matching_strategy: body.matching_strategy.0,
        attributes_to_search_on: body.attributes_to_search_on,
        locales: body.locales.map(languages),
        ranking_score_threshold: body.ranking_score_threshold.map(|least| least.0),
        distinct: body.distinct,
        attribute_weights: attribute_weights(body.attribute_weights.as_ref())?,
        did_you_mean: body.did_you_mean,
    };
    let window = window(body.offset, body.limit, body.page, body.hits_per_page);
    let formats = body.attributes_to_highlight.is_some()
        || body.attributes_to_crop.is_some()
        || body.show_matches_position;
    let format = formats.then_some(FormatRequest {
        highlight: body.attributes_to_highlight,
        crop: body.attributes_to_crop,
        crop_length: body.crop_length,
        crop_marker: body.crop_marker,
        pre_tag: body.highlight_pre_tag,
        post_tag: body.highlight_post_tag,
        show_matches_position: body.show_matches_position,
    });
    let text = searched_text(body.q, query_size);
    let has_text = has_text(text.as_deref());
    Ok(SearchRequest {
        text,
        window,
        criteria,
        filter: body.filter,
        sort: body.sort.unwrap_or_default(),
        boosts,
        facets: body.facets.unwrap_or_default(),
        semantic: semantic(body.hybrid, has_text, body.vector, body.media)?,
        rerank: body.rerank.map(RerankRequest::from),
        user_context: searched_text(body.personalize.map(|it| it.user_context), query_size),
        view: HitView {
            attributes_to_retrieve: body.attributes_to_retrieve,
            retrieve_vectors: body.retrieve_vectors,
            format,
            ranking_score: body.show_ranking_score,
            ranking_score_details: body.show_ranking_score_details,
        },
        // Set by the route, which knows the caller.
        foreign: ForeignAccess::default(),
        legacy: None,
        budget: AnswerBudget::default(),
    })
}
