//! Tally of searches.

use super::filter::FilterTally;
use super::requests::RequestTally;
use super::scoring::Scoring;
use super::search::{Formatting, Hybrid, Paging, Search};
use crate::event_totals::Tally;
use crate::fields::Fields;
use crate::metrics::{Average, Largest, MostUsed};

#[derive(Debug, Default)]
pub(crate) struct SearchTally {
    requests: RequestTally,
    degraded: u64,
    negative_operators: u64,
    most_terms: Largest,
    sort_criteria: Average,
    sort_geo_point: bool,
    filters: FilterTally,
    distinct: bool,
    attributes_to_search_on: u64,
    locales: bool,
    largest_vector: Largest,
    retrieve_vectors: bool,
    hybrid: Hybrid,
    media: u64,
    pages: PagingTally,
    formats: FormattingTally,
    facets: Average,
    strategies: MostUsed<4>,
    scoring: Scoring,
    network: bool,
}

impl Tally for SearchTally {
    type Event = Search;

    fn add(&mut self, search: Search) {
        self.requests.add(search.outcome);
        self.degraded += u64::from(search.outcome.degraded);
        self.negative_operators += u64::from(search.negative_operator);
        self.most_terms.add(u64::from(search.terms));
        if let Some(sort) = search.sort {
            self.sort_criteria.add(sort.criteria.into());
            self.sort_geo_point |= sort.geo_point;
        }
        self.filters.add(search.filter);
        self.distinct |= search.distinct;
        self.attributes_to_search_on += u64::from(search.attributes_to_search_on);
        self.locales |= search.locales;
        self.largest_vector.add(search.vector_size.map(u64::from));
        self.retrieve_vectors |= search.retrieve_vectors;
        self.hybrid.enabled |= search.hybrid.enabled;
        self.hybrid.semantic_ratio |= search.hybrid.semantic_ratio;
        self.media += u64::from(search.media);
        self.pages.add(search.paging);
        self.formats.add(search.formatting);
        if let Some(facets) = search.facets {
            self.facets.add(facets.into());
        }
        self.strategies.add(search.strategy as usize);
        self.scoring.add(search.scoring);
        self.network |= search.network;
    }

    fn report(&self, fields: &mut Fields) {
        self.requests.report(fields);
        fields.put(
            "requests.total_degraded",
            self.degraded,
            "Searches that `searchCutoffMs` cut off.",
        );
        fields.put(
            "requests.total_used_negative_operator",
            self.negative_operators,
            "Searches that exclude a word.",
        );
        self.report_query(fields);
        fields.put("sort.with_geoPoint", self.sort_geo_point, "Whether `_geoPoint` was sorted by.");
        fields.put(
            "sort.avg_criteria_number",
            &self.sort_criteria,
            "Criteria of searches that sort, on average.",
        );
        self.filters.report(fields);
        fields.put(
            "facets.avg_facets_number",
            &self.facets,
            "Facets of searches that name some, on average.",
        );
        self.pages.report(fields);
        self.formats.report(fields);
        self.scoring.report(fields);
    }
}

impl SearchTally {
    fn report_query(&self, fields: &mut Fields) {
        fields.put("q.max_terms_number", &self.most_terms, "Words of the longest query.");
        fields.put(
            "matching_strategy.most_used_strategy",
            self.strategies.among(["last", "all", "frequency", "any"]),
            "The strategy of most searches.",
        );
        fields.put(
            "attributes_to_search_on.total_number_of_uses",
            self.attributes_to_search_on,
            "Searches with `attributesToSearchOn`.",
        );
        fields.put("distinct", self.distinct, "Whether `distinct` was used.");
        fields.put("locales", self.locales, "Whether `locales` was used.");
        fields.put("network", self.network, "Whether `useNetwork` was used.");
        fields.put(
            "vector.max_vector_size",
            &self.largest_vector,
            "Dimensions of the largest vector that was sent.",
        );
        fields.put(
            "vector.retrieve_vectors",
            self.retrieve_vectors,
            "Whether `retrieveVectors` was used.",
        );
        fields.put("hybrid.enabled", self.hybrid.enabled, "Whether `hybrid` was used.");
        fields.put(
            "hybrid.semantic_ratio",
            self.hybrid.semantic_ratio,
            "Whether a ratio other than the default was.",
        );
        fields.put("hybrid.total_media", self.media, "Searches with `media`.");
    }
}

#[derive(Debug, Default)]
struct PagingTally {
    limit: Largest,
    offset: Largest,
    ways: MostUsed<2>,
}

impl PagingTally {
    fn add(&mut self, paging: Paging) {
        self.limit.add(paging.limit);
        self.offset.add(paging.offset);
        self.ways.add(usize::from(paging.by_page));
    }

    fn report(&self, fields: &mut Fields) {
        fields.put(
            "pagination.max_limit",
            &self.limit,
            "The most hits that were asked for at once.",
        );
        fields.put("pagination.max_offset", &self.offset, "The most hits that were skipped.");
        fields.put(
            "pagination.most_used_navigation",
            self.ways.among(["estimated", "exhaustive"]),
            "`exhaustive` where most searches name a page, else `estimated`.",
        );
    }
}

#[derive(Debug, Default)]
struct FormattingTally {
    retrieved: Largest,
    highlighted: Largest,
    cropped: Largest,
    /// Only the truth values are used.
    used: Formatting,
}

impl FormattingTally {
    fn add(&mut self, format: Formatting) {
        self.retrieved.add(format.retrieved.map(u64::from));
        self.highlighted.add(format.highlighted.map(u64::from));
        self.cropped.add(format.cropped.map(u64::from));
        self.used.pre_tag |= format.pre_tag;
        self.used.post_tag |= format.post_tag;
        self.used.crop_length |= format.crop_length;
        self.used.crop_marker |= format.crop_marker;
        self.used.matches_position |= format.matches_position;
    }

    fn report(&self, fields: &mut Fields) {
        fields.put(
            "formatting.max_attributes_to_retrieve",
            &self.retrieved,
            "The longest list of `attributesToRetrieve`.",
        );
        fields.put(
            "formatting.max_attributes_to_highlight",
            &self.highlighted,
            "The same of `attributesToHighlight`.",
        );
        fields.put(
            "formatting.max_attributes_to_crop",
            &self.cropped,
            "The same of `attributesToCrop`.",
        );
        for (path, is_used, meaning) in [
            ("formatting.highlight_pre_tag", self.used.pre_tag, "Whether it was other than usual."),
            ("formatting.highlight_post_tag", self.used.post_tag, "The same."),
            ("formatting.crop_length", self.used.crop_length, "The same."),
            ("formatting.crop_marker", self.used.crop_marker, "The same."),
            (
                "formatting.show_matches_position",
                self.used.matches_position,
                "Whether `showMatchesPosition` was used.",
            ),
        ] {
            fields.put(path, is_used, meaning);
        }
    }
}
