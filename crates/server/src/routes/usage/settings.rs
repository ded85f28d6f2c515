//! Figures of changes of settings: of each setting that gets a value, its size or its choice.

use ::settings::{Change, Precision, PrefixSearch};
use serde_json::Value;
use telemetry::name;

const GEO: &str = "_geo";

/// Ranking rules whose names are sent. Other rules name fields of documents.
const RULES: [&str; 8] = [
    "words",
    "typo",
    "proximity",
    "attribute",
    "attributeRank",
    "wordPosition",
    "sort",
    "exactness",
];
const SOURCES: [&str; 6] = ["openAi", "huggingFace", "ollama", "userProvided", "rest", "composite"];

telemetry::figures! {
    settings(change: &Change) {
        "ranking_rules.words_position", "The foremost place of the rule, counted from 0.", Least, place(change, "words");
        "ranking_rules.typo_position", "The foremost place of the rule, counted from 0.", Least, place(change, "typo");
        "ranking_rules.proximity_position", "The foremost place of the rule, counted from 0.", Least, place(change, "proximity");
        "ranking_rules.attribute_position", "The foremost place of the rule, counted from 0.", Least, place(change, "attribute");
        "ranking_rules.attribute_rank_position", "The foremost place of the rule, counted from 0.",
            Least, place(change, "attributeRank");
        "ranking_rules.attribute_position_position", "The foremost place of the rule, counted from 0.",
            Least, place(change, "wordPosition");
        "ranking_rules.sort_position", "The foremost place of the rule, counted from 0.", Least, place(change, "sort");
        "ranking_rules.exactness_position", "The foremost place of the rule, counted from 0.", Least, place(change, "exactness");
        "ranking_rules.values", "The lists of rules, without those that name a field.",
            JoinedNames, change.get("rankingRules").map(|rules| name(&known_rules(rules)));
        "sortable_attributes.total", "The longest list.", Largest, change.get("sortableAttributes").map(length);
        "sortable_attributes.has_geo", "Whether `_geo` was in one.", Any, has_text(change, "sortableAttributes", GEO);
        "filterable_attributes.total", "The longest list.", Largest, change.get("filterableAttributes").map(length);
        "filterable_attributes.has_geo", "Whether `_geo` was in one.", Any, has_text(change, "filterableAttributes", GEO);
        "filterable_attributes.has_patterns", "Whether a pattern was in one.",
            Any, change.get("filterableAttributes").is_some_and(has_pattern);
        "searchable_attributes.total", "The longest list.", Largest, change.get("searchableAttributes").map(length);
        "searchable_attributes.with_wildcard", "Whether `*` was in one.", Any, has_text(change, "searchableAttributes", "*");
        "displayed_attributes.total", "The longest list.", Largest, change.get("displayedAttributes").map(length);
        "displayed_attributes.with_wildcard", "Whether `*` was in one.", Any, has_text(change, "displayedAttributes", "*");
        "stop_words.total", "The most words.", Largest, change.get("stopWords").map(stop_words);
        "separator_tokens.total", "The most tokens.", Largest, change.get("separatorTokens").map(length);
        "non_separator_tokens.total", "The most tokens.", Largest, change.get("nonSeparatorTokens").map(length);
        "dictionary.total", "The most words.", Largest, change.get("dictionary").map(length);
        "synonyms.total", "The most words that have synonyms.", Largest, change.get("synonyms").map(length);
        "typo_tolerance.enabled", "The value that was set most.",
            MostUsedFlag, member(change, "/typoTolerance/enabled").and_then(Value::as_bool);
        "typo_tolerance.disable_on_attributes", "Whether attributes were named.",
            Any, member(change, "/typoTolerance/disableOnAttributes").map(length);
        "typo_tolerance.disable_on_words", "Whether words were.",
            Any, member(change, "/typoTolerance/disableOnWords").map(length);
        "typo_tolerance.min_word_size_for_typos.one_typo", "The largest number of letters.",
            Largest, number(change, "/typoTolerance/minWordSizeForTypos/oneTypo");
        "typo_tolerance.min_word_size_for_typos.two_typos", "The largest number of letters.",
            Largest, number(change, "/typoTolerance/minWordSizeForTypos/twoTypos");
        "pagination.max_total_hits", "The largest limit.", Largest, number(change, "/pagination/maxTotalHits");
        "faceting.max_values_per_facet", "The largest limit.", Largest, number(change, "/faceting/maxValuesPerFacet");
        "faceting.sort_facet_values_by_star_count", "Whether `*` was sorted by count.",
            Any, member(change, "/faceting/sortFacetValuesBy/*").is_some_and(|by| by == "count");
        "faceting.sort_facet_values_by_total", "The most attributes with an order of their own.", Largest,
            member(change, "/faceting/sortFacetValuesBy").filter(|orders| orders.is_object()).map(length);
        "distinct_attribute.set", "Whether it was set.", Any, change.get("distinctAttribute").is_some();
        "proximity_precision.set", "Whether it was set.", Any, change.get("proximityPrecision").is_some();
        "proximity_precision.value", "The value that was set most.",
            MostUsed(Precision::NAMES), choice(change, "proximityPrecision", Precision::NAMES);
        "facet_search.set", "Whether it was set.", Any, change.get("facetSearch").is_some_and(Value::is_boolean);
        "facet_search.value", "The value that was set most.", MostUsedFlag, change.get("facetSearch").and_then(Value::as_bool);
        "prefix_search.set", "Whether it was set.", Any, change.get("prefixSearch").is_some();
        "prefix_search.value", "The value that was set most.",
            MostUsed(PrefixSearch::NAMES), choice(change, "prefixSearch", PrefixSearch::NAMES);
        "embedders.total", "The most embedders.", Largest, change.get("embedders").map(length);
        "embedders.sources", "Their different sources.", Union(&SOURCES), sources(change);
        "embedders.document_template_used", "Whether one has a template.",
            Any, each_embedder(change, "documentTemplate").any(|value| !value.is_null());
        "embedders.document_template_max_bytes", "The largest limit.",
            Largest, each_embedder(change, "documentTemplateMaxBytes").filter_map(Value::as_u64).max();
        "embedders.binary_quantization_used", "Whether one is quantized.",
            Any, each_embedder(change, "binaryQuantized").any(|value| *value == true);
    }
}

/// Returns the value at `/setting/member/…`.
fn member<'a>(change: &'a Change, path: &str) -> Option<&'a Value> {
    let mut names = path.split('/').skip(1);
    let setting = change.get(names.next()?)?;
    names.try_fold(setting, |value, name| value.get(name))
}

fn number(change: &Change, path: &str) -> Option<u64> {
    member(change, path)?.as_u64()
}

/// Returns the position of the chosen word; the first is the default.
fn choice(change: &Change, setting: &str, words: &[&str]) -> Option<usize> {
    let value = change.get(setting)?;
    Some(words.iter().position(|word| value == word).unwrap_or(0))
}

fn length(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

fn stop_words(value: &Value) -> usize {
    if value.is_object() { value.get("words").map_or(0, length) } else { length(value) }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn has_text(change: &Change, setting: &str, wanted: &str) -> bool {
    change.get(setting).is_some_and(|list| texts(list).any(|text| text == wanted))
}

/// Returns whether filterable attributes are chosen by a name with `*` or by an object.
fn has_pattern(list: &Value) -> bool {
    let is_pattern = |entry: &Value| entry.as_str().is_none_or(|name| name.contains('*'));
    list.as_array().is_some_and(|entries| entries.iter().any(is_pattern))
}

fn place(change: &Change, rule: &str) -> Option<usize> {
    texts(change.get("rankingRules")?).position(|name| name == rule)
}

/// Returns the names of the known rules, each once, in their order.
fn known_rules(rules: &Value) -> String {
    let mut known: Vec<&str> = Vec::new();
    for rule in texts(rules).filter(|rule| RULES.contains(rule)) {
        if !known.contains(&rule) {
            known.push(rule);
        }
    }
    known.join(", ")
}

/// Returns the values that embedders have for a member.
fn each_embedder<'a>(change: &'a Change, name: &str) -> impl Iterator<Item = &'a Value> {
    let embedders = change.get("embedders").and_then(Value::as_object).into_iter();
    embedders.flat_map(|all| all.values()).filter_map(move |embedder| embedder.get(name))
}

/// Returns a bit for each source that an embedder has.
fn sources(change: &Change) -> u64 {
    let place = |name: &str| SOURCES.iter().position(|&source| source == name);
    let places = each_embedder(change, "source").filter_map(|name| place(name.as_str()?));
    places.fold(0, |bits, place| bits | 1 << place)
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
