//! From a body that is well-formed to a search that can be run: what excludes what, which
//! features must be on, and what this version cannot do yet.
//!
//! A parameter that asks for nothing (an empty list, a blank filter) is taken everywhere. One
//! that asks for what does not exist yet is refused under its own code, after the look at the
//! index, where its evaluation would fail too.

use engine::search::{FormatRequest, HitView, SearchRequest, Window};
use model::features::{Feature, Features};
use model::limits::DEFAULT_PAGE_LIMIT;
use model::{Code, ServiceError};

use super::body::SearchBody;
use crate::routes::documents::selection::is_filtering;

/// A search and the reason why this version cannot run it, if there is one.
#[derive(Debug)]
pub struct Demand {
    pub request: SearchRequest,
    pub refusal: Option<ServiceError>,
    pub show_performance_details: bool,
}

impl Demand {
    pub fn new(body: SearchBody, features: &Features) -> Result<Self, ServiceError> {
        check_vectors(&body)?;
        check_features(&body, features)?;
        let filters = is_filtering_search(&body)?;
        let refusal = refusal(&body, filters);
        let show_performance_details = body.show_performance_details;
        Ok(Self { request: request(body), refusal, show_performance_details })
    }
}

fn check_vectors(body: &SearchBody) -> Result<(), ServiceError> {
    let (media, vector) = (body.media.is_some(), body.vector.is_some());
    if media && vector {
        return Err(ServiceError::new(
            Code::InvalidSearchMediaAndVector,
            "Invalid request: both `media` and `vector` parameters are present.",
        ));
    }
    if (media || vector) && body.hybrid.is_none() {
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
    if body.use_network.is_some() {
        features.check(Feature::network, "passing `useNetwork` in a search query")?;
    }
    if body.personalize.is_some() {
        // No switch turns this on; it needs a provider, and there is none.
        return Err(ServiceError::new(
            Code::FeatureNotEnabled,
            "reranking search results requires enabling the `personalization` experimental \
             feature. See https://github.com/orgs/meilisearch/discussions/866",
        ));
    }
    Ok(())
}

fn is_filtering_search(body: &SearchBody) -> Result<bool, ServiceError> {
    let Some(filter) = &body.filter else { return Ok(false) };
    is_filtering(filter).map_err(|error| ServiceError { code: Code::InvalidSearchFilter, ..error })
}

fn refusal(body: &SearchBody, filters: bool) -> Option<ServiceError> {
    let not_yet = |code, what: &str| {
        Some(ServiceError::new(code, format!("{what} is not available in this version yet.")))
    };
    if filters {
        return not_yet(Code::InvalidSearchFilter, "Filtering search results");
    }
    if let Some(sort) = body.sort.as_deref().filter(|sort| !sort.is_empty()) {
        let bad = sort.iter().find(|item| !item.ends_with(":asc") && !item.ends_with(":desc"));
        return match bad {
            Some(item) => Some(bad_sort(item)),
            None => not_yet(Code::InvalidSearchSort, "Sorting search results"),
        };
    }
    if body.distinct.is_some() {
        return not_yet(Code::InvalidSearchDistinct, "Removing duplicates from search results");
    }
    if body.facets.as_ref().is_some_and(|facets| !facets.is_empty()) {
        return not_yet(Code::InvalidSearchFacets, "Counting facets");
    }
    if body.use_network == Some(true) {
        return not_yet(Code::InvalidSearchUseNetwork, "Searching on remotes");
    }
    // There are no embedders, so none has the name.
    let embedder = semantic_embedder(body)?;
    let message = format!("Cannot find embedder with name `{embedder}`.");
    Some(ServiceError::new(Code::InvalidSearchEmbedder, message))
}

fn bad_sort(item: &str) -> ServiceError {
    ServiceError::new(
        Code::InvalidSearchSort,
        format!(
            "Invalid syntax for the sort parameter: expected expression ending by \
             `:asc` or `:desc`, found `{item}`."
        ),
    )
}

/// The embedder that is needed, if the search is not one by keywords only.
fn semantic_embedder(body: &SearchBody) -> Option<&str> {
    let hybrid = body.hybrid.as_ref()?;
    let asks_nothing = body.q.as_deref().is_none_or(|q| q.trim().is_empty())
        && body.vector.is_none()
        && body.media.is_none();
    (hybrid.semantic_ratio.0 > 0.0 && !asks_nothing).then_some(hybrid.embedder.as_str())
}

fn request(body: SearchBody) -> SearchRequest {
    let window = match (body.page, body.hits_per_page) {
        (None, None) => Window::Offset { offset: body.offset, limit: body.limit },
        (page, hits_per_page) => Window::Page {
            page: page.unwrap_or(1),
            hits_per_page: hits_per_page.unwrap_or(DEFAULT_PAGE_LIMIT),
        },
    };
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
    SearchRequest {
        text: body.q,
        window,
        strategy: body.matching_strategy.0,
        attributes_to_search_on: body.attributes_to_search_on,
        locales: body.locales.map(|locales| locales.into_iter().map(|locale| locale.0).collect()),
        threshold: body.ranking_score_threshold.map(|least| least.0),
        view: HitView {
            attributes_to_retrieve: body.attributes_to_retrieve,
            retrieve_vectors: body.retrieve_vectors,
            format,
            ranking_score: body.show_ranking_score,
            ranking_score_details: body.show_ranking_score_details,
        },
    }
}
