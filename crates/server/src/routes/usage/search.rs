//! Usage of searches. This runs for each search, so nothing is allocated.

use std::collections::BTreeSet;

use engine::search::{FacetSearchRequest, SimilarRequest, Strategy as Matching};
use model::limits::DEFAULT_PAGE_LIMIT;
use serde_json::Value;
use telemetry::events::{
    FacetName, FacetSearch, Filter, FilterSyntax, Formatting, Hybrid, MultiSearch, Paging,
    RequestOutcome, Scoring, Search, Similar, Sort, Strategy,
};

use crate::routes::search::body::{
    DEFAULT_CROP_LENGTH, DEFAULT_CROP_MARKER, DEFAULT_POST_TAG, DEFAULT_PRE_TAG,
    DEFAULT_SEMANTIC_RATIO, QueryBody, SearchBody,
};

pub fn search(body: &SearchBody) -> Search {
    let q = body.q.as_deref().unwrap_or_default();
    Search {
        outcome: RequestOutcome::default(),
        negative_operator: excludes_a_word(q),
        terms: q.split_whitespace().count() as u32,
        sort: body.sort.as_deref().map(|criteria| Sort {
            criteria: criteria.len() as u32,
            geo_point: criteria.iter().any(|criterion| criterion.contains("_geoPoint")),
        }),
        filter: filter(body.filter.as_ref()),
        distinct: body.distinct.is_some(),
        attributes_to_search_on: body.attributes_to_search_on.is_some(),
        locales: body.locales.is_some(),
        vector_size: body.vector.as_ref().map(|vector| vector.len() as u32),
        retrieve_vectors: body.retrieve_vectors,
        hybrid: Hybrid {
            enabled: body.hybrid.is_some(),
            semantic_ratio: body
                .hybrid
                .as_ref()
                .is_some_and(|hybrid| hybrid.semantic_ratio.0 != DEFAULT_SEMANTIC_RATIO.0),
        },
        media: body.media.is_some(),
        paging: paging(body),
        formatting: formatting(body),
        facets: length(body.facets.as_ref()),
        strategy: match body.matching_strategy.0 {
            Matching::Last => Strategy::Last,
            Matching::All => Strategy::All,
            Matching::Frequency => Strategy::Frequency,
            Matching::Any => Strategy::Any,
        },
        scoring: Scoring {
            score: body.show_ranking_score,
            details: body.show_ranking_score_details,
            threshold: body.ranking_score_threshold.is_some(),
        },
        network: body.use_network.is_some(),
    }
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

fn paging(body: &SearchBody) -> Paging {
    if body.page.is_none() && body.hits_per_page.is_none() {
        let limit = body.limit.0.unwrap_or(DEFAULT_PAGE_LIMIT) as u64;
        return Paging { limit, offset: body.offset.0.unwrap_or(0) as u64, by_page: false };
    }
    let limit = body.hits_per_page.unwrap_or(DEFAULT_PAGE_LIMIT) as u64;
    let pages_before = body.page.unwrap_or(1).saturating_sub(1) as u64;
    Paging { limit, offset: pages_before.saturating_mul(limit), by_page: true }
}

fn formatting(body: &SearchBody) -> Formatting {
    Formatting {
        retrieved: length(body.attributes_to_retrieve.as_ref()),
        highlighted: length(body.attributes_to_highlight.as_ref()),
        cropped: length(body.attributes_to_crop.as_ref()),
        pre_tag: body.highlight_pre_tag != DEFAULT_PRE_TAG,
        post_tag: body.highlight_post_tag != DEFAULT_POST_TAG,
        crop_length: body.crop_length != DEFAULT_CROP_LENGTH,
        crop_marker: body.crop_marker != DEFAULT_CROP_MARKER,
        matches_position: body.show_matches_position,
    }
}

fn length<T>(list: Option<&Vec<T>>) -> Option<u32> {
    list.map(|list| list.len() as u32)
}

/// Returns the form of a filter, and which rarer conditions it has.
pub fn filter(filter: Option<&Value>) -> Filter {
    let Some(filter) = filter.filter(|filter| !filter.is_null()) else {
        return Filter::default();
    };
    let syntax = match filter {
        Value::Array(items) if items.iter().any(Value::is_array) => FilterSyntax::Mixed,
        Value::Array(_) => FilterSyntax::Array,
        _ => FilterSyntax::String,
    };
    let mut seen = Filter { syntax: Some(syntax), ..Filter::default() };
    look_at(filter, &mut seen);
    seen
}

fn look_at(filter: &Value, seen: &mut Filter) {
    match filter {
        Value::String(text) if text.contains('_') => {
            seen.geo_radius |= text.contains("_geoRadius");
            seen.geo_bounding_box |= text.contains("_geoBoundingBox");
            seen.vectors |= text.contains("_vectors");
        }
        Value::Array(items) => items.iter().for_each(|item| look_at(item, seen)),
        _ => {}
    }
}

pub fn multi_search(queries: &[QueryBody], federated: bool) -> MultiSearch {
    let indexes: BTreeSet<&str> = queries.iter().map(|query| query.index_uid.as_str()).collect();
    let options = queries.iter().filter_map(|query| query.federation_options.as_ref());
    let remotes: BTreeSet<&str> = options.filter_map(|options| options.remote.as_deref()).collect();
    MultiSearch {
        outcome: RequestOutcome::default(),
        searches: queries.len() as u32,
        indexes: indexes.len() as u32,
        remotes: remotes.len() as u32,
        federated,
        scoring: Scoring {
            score: queries.iter().any(|query| query.show_ranking_score),
            details: queries.iter().any(|query| query.show_ranking_score_details),
            threshold: queries.iter().any(|query| query.ranking_score_threshold.is_some()),
        },
    }
}

pub fn facet_search(request: &FacetSearchRequest) -> FacetSearch {
    let among = &request.among;
    FacetSearch {
        outcome: RequestOutcome::default(),
        facet: FacetName::new(&request.facet),
        more_parameters: among.text.is_some()
            || among.filter.is_some()
            || among.semantic.is_some()
            || among.criteria.ranking_score_threshold.is_some()
            || among.criteria.attributes_to_search_on.is_some()
            || among.criteria.locales.is_some(),
    }
}

pub fn similar(request: &SimilarRequest) -> Similar {
    let view = &request.view;
    Similar {
        outcome: RequestOutcome::default(),
        filter: filter(request.filter.as_ref()),
        limit: request.limit as u64,
        offset: request.offset as u64,
        retrieved: length(view.attributes_to_retrieve.as_ref()),
        retrieve_vectors: view.retrieve_vectors,
        scoring: Scoring {
            score: view.ranking_score,
            details: view.ranking_score_details,
            threshold: request.threshold.is_some(),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::http::json::BodyError;

    fn of(body: Value) -> Search {
        search(&deserr::deserialize::<SearchBody, _, BodyError>(body).unwrap())
    }

    #[test]
    fn a_plain_search_uses_nothing() {
        let plain = of(json!({}));
        let paging = Paging { limit: 20, offset: 0, by_page: false };
        assert_eq!(plain, Search { paging, ..Search::default() });
    }

    #[test]
    fn all_parameters_of_a_search_are_counted() {
        let seen = of(json!({
            "q": "two -words", "page": 3, "hitsPerPage": 7, "sort": ["a:asc", "_geoPoint(1,2):asc"],
            "filter": ["_geoRadius(1,2,3)", ["_vectors EXISTS", "a = 1"]], "facets": ["a", "b", "c"],
            "attributesToRetrieve": ["a"], "attributesToHighlight": ["a", "b"],
            "attributesToCrop": [], "highlightPreTag": "<b>", "cropLength": 3,
            "showMatchesPosition": true, "distinct": "a", "attributesToSearchOn": ["a"],
            "locales": ["eng"], "hybrid": {"embedder": "e", "semanticRatio": 0.1},
            "vector": [1.0, 2.0], "retrieveVectors": true, "matchingStrategy": "all",
            "showRankingScore": true, "rankingScoreThreshold": 0.2, "useNetwork": false,
        }));
        let expected = Search {
            outcome: RequestOutcome::default(),
            negative_operator: true,
            terms: 2,
            sort: Some(Sort { criteria: 2, geo_point: true }),
            filter: Filter {
                syntax: Some(FilterSyntax::Mixed),
                geo_radius: true,
                geo_bounding_box: false,
                vectors: true,
            },
            distinct: true,
            attributes_to_search_on: true,
            locales: true,
            vector_size: Some(2),
            retrieve_vectors: true,
            hybrid: Hybrid { enabled: true, semantic_ratio: true },
            media: false,
            paging: Paging { limit: 7, offset: 14, by_page: true },
            formatting: Formatting {
                retrieved: Some(1),
                highlighted: Some(2),
                cropped: Some(0),
                pre_tag: true,
                post_tag: false,
                crop_length: true,
                crop_marker: false,
                matches_position: true,
            },
            facets: Some(3),
            strategy: Strategy::All,
            scoring: Scoring { score: true, details: false, threshold: true },
            network: true,
        };
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_minus_counts_where_a_word_begins() {
        for (q, expected) in [
            ("-a", true),
            ("a -\"b c\"", true),
            ("a\t-b", true),
            ("a-b", false),
            ("- a", false),
            ("--a", false),
            ("", false),
        ] {
            assert_eq!(excludes_a_word(q), expected, "{q}");
        }
    }
}
