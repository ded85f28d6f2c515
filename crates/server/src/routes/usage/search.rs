//! Figures of searches.

use std::collections::BTreeSet;

use engine::search::{FacetSearchRequest, SimilarRequest, Strategy};
use model::limits::DEFAULT_PAGE_LIMIT;
use telemetry::{Reading, hash};

use super::{filter, outcome};
use crate::routes::search::body::{
    DEFAULT_CROP_LENGTH, DEFAULT_CROP_MARKER, DEFAULT_POST_TAG, DEFAULT_PRE_TAG,
    DEFAULT_SEMANTIC_RATIO, QueryBody, SearchBody,
};

telemetry::figures! {
    search(body: &SearchBody) {
        ..outcome();
        "requests.total_degraded", "Searches that `searchCutoffMs` cut off.", Degraded, Reading::Nothing;
        "requests.total_used_negative_operator", "Searches that exclude a word.", Sum, excludes_a_word(words(body));
        "q.max_terms_number", "Words of the longest query.", Largest, words(body).split_whitespace().count();
        "matching_strategy.most_used_strategy", "The strategy of most searches.",
            MostUsed(Strategy::NAMES), body.matching_strategy.0 as usize;
        "attributes_to_search_on.total_number_of_uses", "Searches with `attributesToSearchOn`.",
            Sum, body.attributes_to_search_on.is_some();
        "distinct", "Whether `distinct` was used.", Any, body.distinct.is_some();
        "locales", "Whether `locales` was used.", Any, body.locales.is_some();
        "network", "Whether `useNetwork` was used.", Any, body.use_network.is_some();
        "vector.max_vector_size", "Dimensions of the largest vector that was sent.", Largest, length(&body.vector);
        "vector.retrieve_vectors", "Whether `retrieveVectors` was used.", Any, body.retrieve_vectors;
        "hybrid.enabled", "Whether `hybrid` was used.", Any, body.hybrid.is_some();
        "hybrid.semantic_ratio", "Whether a ratio other than the default was.", Any,
            body.hybrid.as_ref().is_some_and(|hybrid| hybrid.semantic_ratio.0 != DEFAULT_SEMANTIC_RATIO.0);
        "hybrid.total_media", "Searches with `media`.", Sum, body.media.is_some();
        "sort.with_geoPoint", "Whether `_geoPoint` was sorted by.",
            Any, body.sort.iter().flatten().any(|by| by.contains("_geoPoint"));
        "sort.avg_criteria_number", "Criteria of searches that sort, on average.", Average, length(&body.sort);
        ..filter::conditions(body.filter.as_ref());
        "facets.avg_facets_number", "Facets of searches that name some, on average.", Average, length(&body.facets);
        "pagination.max_limit", "The most hits that were asked for at once.", Largest, limit(body);
        "pagination.max_offset", "The most hits that were skipped.", Largest, offset(body);
        "pagination.most_used_navigation", "`exhaustive` where most searches name a page, else `estimated`.",
            MostUsed(&["estimated", "exhaustive"]), is_by_page(body);
        "formatting.max_attributes_to_retrieve", "The longest list of `attributesToRetrieve`.",
            Largest, length(&body.attributes_to_retrieve);
        "formatting.max_attributes_to_highlight", "The longest list of `attributesToHighlight`.",
            Largest, length(&body.attributes_to_highlight);
        "formatting.max_attributes_to_crop", "The longest list of `attributesToCrop`.", Largest, length(&body.attributes_to_crop);
        "formatting.highlight_pre_tag", "Whether `highlightPreTag` differed from the default.", Any, body.highlight_pre_tag != DEFAULT_PRE_TAG;
        "formatting.highlight_post_tag", "Whether `highlightPostTag` differed from the default.", Any, body.highlight_post_tag != DEFAULT_POST_TAG;
        "formatting.crop_length", "Whether `cropLength` differed from the default.", Any, body.crop_length != DEFAULT_CROP_LENGTH;
        "formatting.crop_marker", "Whether `cropMarker` differed from the default.", Any, body.crop_marker != DEFAULT_CROP_MARKER;
        "formatting.show_matches_position", "Whether `showMatchesPosition` was used.", Any, body.show_matches_position;
        ..scores(body.show_ranking_score, body.show_ranking_score_details);
        ..threshold(body.ranking_score_threshold.is_some());
    }

    multi_search(queries: &[QueryBody], is_federated: bool) {
        ..outcome();
        "searches.total_search_count", "Queries of all requests.", Sum, queries.len();
        "searches.avg_search_count", "Queries of one, on average.", Average, queries.len();
        ..indexes(number_of_indexes(queries));
        ..remotes(number_of_remotes(queries));
        "federation.use_federation", "Whether `federation` was used.", Any, is_federated;
        ..scores(queries.iter().any(|query| query.show_ranking_score), queries.iter().any(|query| query.show_ranking_score_details));
    }

    indexes(number: usize) {
        "indexes.total_distinct_index_count", "Different indexes that a request names, summed over all requests.", Sum, number;
        "indexes.avg_distinct_index_count", "Different indexes that a request names, on average.", Average, number;
        "indexes.total_single_index", "Requests that name one index.", Sum, number == 1;
    }

    remotes(number: usize) {
        "remotes.total_distinct_remote_count", "Different remotes that a request names, summed over all requests.", Sum, number;
        "remotes.avg_distinct_remote_count", "Different remotes that a request names, on average.", Average, number;
    }

    facet_search(request: &FacetSearchRequest) {
        ..outcome();
        "facets.total_distinct_facet_count", "Different facets that were searched, up to 1000.", Distinct, hash(&request.facet);
        "facets.additional_search_parameters_provided", "Whether the documents were narrowed down by a query, a filter or the like.", Any,
            narrows_documents(request);
    }

    similar(request: &SimilarRequest) {
        ..outcome();
        ..filter::conditions(request.filter.as_ref());
        "pagination.max_limit", "The most hits that were asked for at once.", Largest, request.limit;
        "pagination.max_offset", "The most hits that were skipped.", Largest, request.offset;
        "formatting.max_attributes_to_retrieve", "The longest list of `attributesToRetrieve`.",
            Largest, length(&request.view.attributes_to_retrieve);
        "vector.retrieve_vectors", "Whether `retrieveVectors` was used.", Any, request.view.retrieve_vectors;
        ..scores(request.view.ranking_score, request.view.ranking_score_details);
        ..threshold(request.threshold.is_some());
    }

    scores(score: bool, details: bool) {
        "scoring.show_ranking_score", "Whether `showRankingScore` was used.", Any, score;
        "scoring.show_ranking_score_details", "Whether `showRankingScoreDetails` was used.", Any, details;
    }

    threshold(is_set: bool) {
        "scoring.ranking_score_threshold", "Whether `rankingScoreThreshold` was used.", Any, is_set;
    }
}

fn length<T>(list: &Option<Vec<T>>) -> Option<usize> {
    list.as_ref().map(Vec::len)
}

fn words(body: &SearchBody) -> &str {
    body.q.as_deref().unwrap_or_default()
}

/// Returns whether a word of the query begins with a minus.
fn excludes_a_word(q: &str) -> bool {
    let mut before = ' ';
    let mut letters = q.chars().peekable();
    while let Some(letter) = letters.next() {
        let begins = letter == '-' && before.is_whitespace();
        if begins && letters.peek().is_some_and(|next| next.is_alphanumeric() || *next == '"') {
            return true;
        }
        before = letter;
    }
    false
}

fn is_by_page(body: &SearchBody) -> bool {
    body.page.is_some() || body.hits_per_page.is_some()
}

fn limit(body: &SearchBody) -> usize {
    let limit = if is_by_page(body) { body.hits_per_page } else { body.limit.0 };
    limit.unwrap_or(DEFAULT_PAGE_LIMIT)
}

fn offset(body: &SearchBody) -> usize {
    if is_by_page(body) {
        return body.page.unwrap_or(1).saturating_sub(1).saturating_mul(limit(body));
    }
    body.offset.0.unwrap_or(0)
}

fn number_of_indexes(queries: &[QueryBody]) -> usize {
    queries.iter().map(|query| query.index_uid.as_str()).collect::<BTreeSet<_>>().len()
}

fn number_of_remotes(queries: &[QueryBody]) -> usize {
    let options = queries.iter().filter_map(|query| query.federation_options.as_ref());
    options.filter_map(|options| options.remote.as_deref()).collect::<BTreeSet<_>>().len()
}

fn narrows_documents(request: &FacetSearchRequest) -> bool {
    let among = &request.among;
    among.text.is_some()
        || among.filter.is_some()
        || among.semantic.is_some()
        || among.criteria.ranking_score_threshold.is_some()
        || among.criteria.attributes_to_search_on.is_some()
        || among.criteria.locales.is_some()
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
