//! Tally of settings changes: the largest of numbers, the first of positions, the most frequent of
//! choices.

use std::collections::BTreeSet;

use super::Names;
use super::settings::{
    AttributeList, EmbedderSource, Embedders, FilterableAttributes, RankingRules, SettingsUpdate,
    TypoTolerance,
};
use crate::event_totals::Tally;
use crate::fields::Fields;
use crate::metrics::{Largest, Least, MostUsed};

#[derive(Debug, Default)]
pub(crate) struct SettingsTally {
    rule_places: [Least; RankingRules::KNOWN.len()],
    rule_lists: Names,
    sortable: AttributeListTally,
    filterable: AttributeListTally,
    filterable_patterns: bool,
    searchable: AttributeListTally,
    displayed: AttributeListTally,
    lists: [Largest; LISTS.len()],
    typos: TypoTally,
    max_total_hits: Largest,
    max_values_per_facet: Largest,
    facets_by_count: bool,
    facet_orders: Largest,
    distinct_attribute: bool,
    proximity_precision: MostUsed<2>,
    facet_search: MostUsed<2>,
    prefix_search: MostUsed<2>,
    embedders: EmbeddersTally,
}

/// Settings whose length alone counts.
const LISTS: [(&str, &str); 5] = [
    ("stop_words.total", "The most words."),
    ("separator_tokens.total", "The most tokens."),
    ("non_separator_tokens.total", "The most tokens."),
    ("dictionary.total", "The most words."),
    ("synonyms.total", "The most words that have synonyms."),
];

impl Tally for SettingsTally {
    type Event = Box<SettingsUpdate>;

    fn add(&mut self, update: Box<SettingsUpdate>) {
        if let Some(rules) = &update.ranking_rules {
            for (least, place) in self.rule_places.iter_mut().zip(rules.places()) {
                least.add(place);
            }
            self.rule_lists.add(&rules.text());
        }
        self.sortable.add(update.sortable_attributes);
        self.searchable.add(update.searchable_attributes);
        self.displayed.add(update.displayed_attributes);
        if let Some(FilterableAttributes { total, has_geo, has_patterns }) =
            update.filterable_attributes
        {
            self.filterable.add(Some(AttributeList { total, has_geo, with_wildcard: false }));
            self.filterable_patterns |= has_patterns;
        }
        let lengths = [
            update.stop_words,
            update.separator_tokens,
            update.non_separator_tokens,
            update.dictionary,
            update.synonyms,
        ];
        for (list, length) in self.lists.iter_mut().zip(lengths) {
            list.add(length);
        }
        self.typos.add(update.typo_tolerance);
        self.max_total_hits.add(update.max_total_hits);
        self.max_values_per_facet.add(update.max_values_per_facet);
        self.facets_by_count |= update.facets_by_count == Some(true);
        self.facet_orders.add(update.facet_orders);
        self.distinct_attribute |= update.distinct_attribute;
        if let Some(precision) = update.proximity_precision {
            self.proximity_precision.add(precision as usize);
        }
        if let Some(is_on) = update.facet_search {
            self.facet_search.add(usize::from(!is_on));
        }
        if let Some(prefixes) = update.prefix_search {
            self.prefix_search.add(prefixes as usize);
        }
        self.embedders.add(update.embedders);
    }

    fn report(&self, fields: &mut Fields) {
        self.report_rules(fields);
        self.report_attributes(fields);
        for ((path, meaning), most) in LISTS.into_iter().zip(&self.lists) {
            fields.put(path, most, meaning);
        }
        self.typos.report(fields);
        fields.put("pagination.max_total_hits", &self.max_total_hits, "The largest limit.");
        fields.put("faceting.max_values_per_facet", &self.max_values_per_facet, "The same.");
        fields.put(
            "faceting.sort_facet_values_by_star_count",
            self.facets_by_count,
            "Whether `*` was sorted by count.",
        );
        fields.put(
            "faceting.sort_facet_values_by_total",
            &self.facet_orders,
            "The most attributes with an order of their own.",
        );
        fields.put("distinct_attribute.set", self.distinct_attribute, "Whether it was set.");
        self.report_choices(fields);
        self.embedders.report(fields);
    }

    fn text_bytes(&self) -> usize {
        self.rule_lists.bytes()
    }
}

impl SettingsTally {
    fn report_rules(&self, fields: &mut Fields) {
        const PATHS: [&str; RankingRules::KNOWN.len()] = [
            "ranking_rules.words_position",
            "ranking_rules.typo_position",
            "ranking_rules.proximity_position",
            "ranking_rules.attribute_position",
            "ranking_rules.attribute_rank_position",
            "ranking_rules.attribute_position_position",
            "ranking_rules.sort_position",
            "ranking_rules.exactness_position",
        ];
        for (path, least) in PATHS.into_iter().zip(&self.rule_places) {
            fields.put(path, least, "The foremost place of the rule, counted from 0.");
        }
        fields.put(
            "ranking_rules.values",
            self.rule_lists.joined("; "),
            "The lists of rules, without those that name a field.",
        );
    }

    fn report_attributes(&self, fields: &mut Fields) {
        let Self { sortable, filterable, searchable, displayed, .. } = self;
        fields.put("sortable_attributes.total", &sortable.total, "The longest list.");
        fields.put("sortable_attributes.has_geo", sortable.has_geo, "Whether `_geo` was in one.");
        fields.put("filterable_attributes.total", &filterable.total, "The longest list.");
        fields.put(
            "filterable_attributes.has_geo",
            filterable.has_geo,
            "Whether `_geo` was in one.",
        );
        fields.put(
            "filterable_attributes.has_patterns",
            self.filterable_patterns,
            "Whether a pattern was in one.",
        );
        fields.put("searchable_attributes.total", &searchable.total, "The longest list.");
        fields.put(
            "searchable_attributes.with_wildcard",
            searchable.with_wildcard,
            "Whether `*` was in one.",
        );
        fields.put("displayed_attributes.total", &displayed.total, "The longest list.");
        fields.put(
            "displayed_attributes.with_wildcard",
            displayed.with_wildcard,
            "Whether `*` was in one.",
        );
    }

    fn report_choices(&self, fields: &mut Fields) {
        let meaning = "The value that was set most.";
        let precision = self.proximity_precision.among(["byWord", "byAttribute"]);
        fields.put("proximity_precision.set", !precision.is_null(), "Whether it was set.");
        fields.put("proximity_precision.value", precision, meaning);
        let facet_search = self.facet_search.among(["true", "false"]);
        let facet_search = facet_search.as_str().map(|text| text == "true");
        fields.put("facet_search.set", facet_search.is_some(), "Whether it was set.");
        fields.put("facet_search.value", facet_search, meaning);
        let prefix_search = self.prefix_search.among(["indexingTime", "disabled"]);
        fields.put("prefix_search.set", !prefix_search.is_null(), "Whether it was set.");
        fields.put("prefix_search.value", prefix_search, meaning);
    }
}

#[derive(Debug, Default)]
struct AttributeListTally {
    total: Largest,
    has_geo: bool,
    with_wildcard: bool,
}

impl AttributeListTally {
    fn add(&mut self, list: Option<AttributeList>) {
        let Some(list) = list else { return };
        self.total.add(list.total);
        self.has_geo |= list.has_geo;
        self.with_wildcard |= list.with_wildcard;
    }
}

#[derive(Debug, Default)]
struct TypoTally {
    enabled: MostUsed<2>,
    on_attributes: bool,
    on_words: bool,
    one_typo: Largest,
    two_typos: Largest,
}

impl TypoTally {
    fn add(&mut self, typos: TypoTolerance) {
        if let Some(enabled) = typos.enabled {
            self.enabled.add(usize::from(!enabled));
        }
        self.on_attributes |= typos.disable_on_attributes;
        self.on_words |= typos.disable_on_words;
        self.one_typo.add(typos.one_typo);
        self.two_typos.add(typos.two_typos);
    }

    fn report(&self, fields: &mut Fields) {
        let enabled = self.enabled.among(["true", "false"]);
        fields.put(
            "typo_tolerance.enabled",
            enabled.as_str().map(|text| text == "true"),
            "The value that was set most.",
        );
        fields.put(
            "typo_tolerance.disable_on_attributes",
            self.on_attributes,
            "Whether attributes were named.",
        );
        fields.put("typo_tolerance.disable_on_words", self.on_words, "Whether words were.");
        fields.put(
            "typo_tolerance.min_word_size_for_typos.one_typo",
            &self.one_typo,
            "The largest number of letters.",
        );
        fields.put(
            "typo_tolerance.min_word_size_for_typos.two_typos",
            &self.two_typos,
            "The same.",
        );
    }
}

#[derive(Debug, Default)]
struct EmbeddersTally {
    total: Largest,
    sources: BTreeSet<EmbedderSource>,
    document_template: bool,
    document_template_max_bytes: Largest,
    binary_quantized: bool,
}

impl EmbeddersTally {
    fn add(&mut self, embedders: Option<Embedders>) {
        let Some(embedders) = embedders else { return };
        self.total.add(embedders.total);
        self.sources.extend(embedders.sources);
        self.document_template |= embedders.document_template;
        self.document_template_max_bytes.add(embedders.document_template_max_bytes);
        self.binary_quantized |= embedders.binary_quantized;
    }

    fn report(&self, fields: &mut Fields) {
        fields.put("embedders.total", &self.total, "The most embedders.");
        let sources: Vec<&str> = self.sources.iter().map(|source| source.name()).collect();
        fields.put("embedders.sources", sources, "Their different sources.");
        fields.put(
            "embedders.document_template_used",
            self.document_template,
            "Whether one has a template.",
        );
        fields.put(
            "embedders.document_template_max_bytes",
            &self.document_template_max_bytes,
            "The largest limit.",
        );
        fields.put(
            "embedders.binary_quantization_used",
            self.binary_quantized,
            "Whether one is quantized.",
        );
    }
}
