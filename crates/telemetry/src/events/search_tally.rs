//! What is kept of many searches.

use super::filter::Filters;
use super::requests::Requests;
use super::scoring::Scoring;
use super::search::{Formatting, Hybrid, Paging, Search};
use crate::entry::Tally;
use crate::metrics::{Average, Largest, MostUsed};
use crate::sheet::Sheet;

#[derive(Debug, Default)]
pub(crate) struct SearchTally {
    requests: Requests,
    degraded: u64,
    negative_operators: u64,
    most_terms: Largest,
    sort_criteria: Average,
    sort_geo_point: bool,
    filters: Filters,
    distinct: bool,
    attributes_to_search_on: u64,
    locales: bool,
    largest_vector: Largest,
    retrieve_vectors: bool,
    hybrid: Hybrid,
    media: u64,
    pages: Pages,
    formats: Formats,
    facets: Average,
    strategies: MostUsed<4>,
    scoring: Scoring,
    network: bool,
}

impl Tally for SearchTally {
    type Event = Search;

    fn add(&mut self, search: Search) {
        self.requests.add(search.ending);
        self.degraded += u64::from(search.ending.degraded);
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

    fn tell(&self, sheet: &mut Sheet) {
        self.requests.tell(sheet);
        sheet.put(
            "requests.total_degraded",
            self.degraded,
            "Searches that `searchCutoffMs` cut off.",
        );
        sheet.put(
            "requests.total_used_negative_operator",
            self.negative_operators,
            "Searches that exclude a word.",
        );
        self.tell_query(sheet);
        sheet.put("sort.with_geoPoint", self.sort_geo_point, "Whether `_geoPoint` was sorted by.");
        sheet.put(
            "sort.avg_criteria_number",
            &self.sort_criteria,
            "Criteria of searches that sort, on average.",
        );
        self.filters.tell(sheet);
        sheet.put(
            "facets.avg_facets_number",
            &self.facets,
            "Facets of searches that name some, on average.",
        );
        self.pages.tell(sheet);
        self.formats.tell(sheet);
        self.scoring.tell(sheet);
    }
}

impl SearchTally {
    fn tell_query(&self, sheet: &mut Sheet) {
        sheet.put("q.max_terms_number", &self.most_terms, "Words of the longest query.");
        sheet.put(
            "matching_strategy.most_used_strategy",
            self.strategies.among(["last", "all", "frequency", "any"]),
            "The strategy of most searches.",
        );
        sheet.put(
            "attributes_to_search_on.total_number_of_uses",
            self.attributes_to_search_on,
            "Searches with `attributesToSearchOn`.",
        );
        sheet.put("distinct", self.distinct, "Whether `distinct` was used.");
        sheet.put("locales", self.locales, "Whether `locales` was used.");
        sheet.put("network", self.network, "Whether `useNetwork` was used.");
        sheet.put(
            "vector.max_vector_size",
            &self.largest_vector,
            "Dimensions of the largest vector that was sent.",
        );
        sheet.put(
            "vector.retrieve_vectors",
            self.retrieve_vectors,
            "Whether `retrieveVectors` was used.",
        );
        sheet.put("hybrid.enabled", self.hybrid.enabled, "Whether `hybrid` was used.");
        sheet.put(
            "hybrid.semantic_ratio",
            self.hybrid.semantic_ratio,
            "Whether a ratio other than the default was.",
        );
        sheet.put("hybrid.total_media", self.media, "Searches with `media`.");
    }
}

#[derive(Debug, Default)]
struct Pages {
    limit: Largest,
    offset: Largest,
    ways: MostUsed<2>,
}

impl Pages {
    fn add(&mut self, paging: Paging) {
        self.limit.add(paging.limit);
        self.offset.add(paging.offset);
        self.ways.add(usize::from(paging.by_page));
    }

    fn tell(&self, sheet: &mut Sheet) {
        sheet.put(
            "pagination.max_limit",
            &self.limit,
            "The most hits that were asked for at once.",
        );
        sheet.put("pagination.max_offset", &self.offset, "The most hits that were skipped.");
        sheet.put(
            "pagination.most_used_navigation",
            self.ways.among(["estimated", "exhaustive"]),
            "`exhaustive` where most searches name a page, else `estimated`.",
        );
    }
}

#[derive(Debug, Default)]
struct Formats {
    retrieved: Largest,
    highlighted: Largest,
    cropped: Largest,
    /// Of its members only the truth values count here.
    used: Formatting,
}

impl Formats {
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

    fn tell(&self, sheet: &mut Sheet) {
        sheet.put(
            "formatting.max_attributes_to_retrieve",
            &self.retrieved,
            "The longest list of `attributesToRetrieve`.",
        );
        sheet.put(
            "formatting.max_attributes_to_highlight",
            &self.highlighted,
            "The same of `attributesToHighlight`.",
        );
        sheet.put(
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
            sheet.put(path, is_used, meaning);
        }
    }
}
