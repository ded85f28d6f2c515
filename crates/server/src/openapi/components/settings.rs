//! Schemas of the settings of an index. Names, routes and defaults come from the table of settings;
//! only the schemas and descriptions are here.

use serde_json::json;
use settings::Setting;

use super::{Named, Schema};
use crate::schema::{
    Member, always, any_of, anything, boolean, described, integer, list, map, maybe, named, number,
    object, object_and_more, one_of, text,
};

/// The schema and description of a setting.
pub struct SettingSchema {
    pub schema: Schema,
    pub about: &'static str,
}

pub fn of(setting: &Setting) -> SettingSchema {
    let texts = || list(text());
    let (schema, about) = match setting.name {
        "displayedAttributes" => (texts(), "Attributes that are returned. `*` stands for all."),
        "searchableAttributes" => (texts(), "Attributes that are searched, most important first."),
        "filterableAttributes" => (
            list(any_of([text(), named("FilterableRule")])),
            "Attributes that can be used in filters, as facets and as distinct attributes.",
        ),
        "sortableAttributes" => (texts(), "Attributes that can be used in `sort`."),
        "foreignKeys" => (
            list(foreign_key()),
            "References to documents of other indexes. Needs the feature `foreignKeys`.",
        ),
        "rankingRules" => (texts(), "Ranking rules, most important first."),
        "stopWords" => (any_of([texts(), stop_words()]), "Words to ignore: a list or languages."),
        "nonSeparatorTokens" => (texts(), "Characters and strings that do not separate words."),
        "separatorTokens" => (texts(), "Additional characters and strings that separate words."),
        "dictionary" => (texts(), "Strings that are one word although they contain separators."),
        "synonyms" => (map(texts()), "Alternatives of words and phrases, in one direction only."),
        "distinctAttribute" => {
            (text().or_null(), "Only the best hit is returned for each value of this attribute.")
        }
        "proximityPrecision" => (
            one_of(&["byWord", "byAttribute"]),
            "Whether proximity is measured in words, or only within the same attribute.",
        ),
        "typoTolerance" => (typo_tolerance(), "Minimum word lengths for typos, and exceptions."),
        "faceting" => (faceting(), "Number and order of the returned facet values."),
        "pagination" => (
            object([maybe("maxTotalHits", integer().or_null(), "")]),
            "Maximum number of hits a search can return.",
        ),
        "embedders" => (
            map(named("Embedder").or_null()),
            "Embedders by name, for vectors of documents and queries. Null removes one.",
        ),
        "rerankers" => (
            map(named("Reranker").or_null()),
            "Rerankers by name, which reorder the top hits. Null removes one.",
        ),
        "searchCutoffMs" => (integer().or_null(), "Maximum time to rank hits; null is 1,500 ms."),
        "localizedAttributes" => (list(localized()).or_null(), "Languages of attributes."),
        "facetSearch" => (boolean(), "Whether facet search is enabled."),
        "prefixSearch" => (
            one_of(&["indexingTime", "disabled"]),
            "Whether the last word of a query also matches as a prefix.",
        ),
        "stemming" => (stemming().or_null(), "Matches words with the same stem; null disables it."),
        "boosts" => (list(named("Boost")).or_null(), "Boosts besides the query text."),
        "attributeWeights" => (
            map(number().between(0, 1000)).or_null(),
            "Weights of attributes in the ranking rule `bm25`.",
        ),
        "chat" => (chat(), "How chats search the index. Needs the feature `chatCompletions`."),
        // A test fails for a new setting without a schema.
        _ => (anything(), ""),
    };
    SettingSchema { schema, about }
}

pub fn all() -> Vec<Named> {
    let member = |setting: &'static Setting| {
        let SettingSchema { schema, about } = of(setting);
        maybe(setting.name, schema, about)
    };
    let changed = |setting: &'static Setting| {
        let Member { name, schema, about, .. } = member(setting);
        // Null resets a setting; schemas of nullable settings already allow it.
        maybe(&name, if takes_null(&name) { schema } else { schema.or_null() }, about)
    };
    vec![
        ("Settings", object(Setting::ALL.iter().map(member))),
        ("SettingsChange", object(Setting::ALL.iter().map(changed))),
        ("FilterableRule", filterable_rule()),
        ("Embedder", embedder()),
        ("Reranker", reranker()),
    ]
}

fn takes_null(name: &str) -> bool {
    matches!(
        name,
        "distinctAttribute"
            | "searchCutoffMs"
            | "localizedAttributes"
            | "stemming"
            | "boosts"
            | "attributeWeights"
    )
}

/// Returns the schema of the body that changes a setting.
pub fn change_of(setting: &Setting) -> Schema {
    let SettingSchema { schema, about } = of(setting);
    let schema = if takes_null(setting.name) { schema } else { schema.or_null() };
    described(schema, about)
}

fn foreign_key() -> Schema {
    object([always("foreignIndexUid", text(), ""), always("fieldName", text(), "")])
}

fn stop_words() -> Schema {
    object([
        maybe("languages", list(text()), "Codes of languages whose common stop words are added."),
        maybe("words", list(text()), "Additional stop words."),
    ])
}

fn stemming() -> Schema {
    object([
        maybe("attributes", list(text()), "Attributes or patterns. Defaults to all attributes."),
        maybe("languages", list(text()), "Language codes, or `auto` to detect them."),
        maybe("exceptions", map(text()), "Stems of words that deviate from the stemmer."),
    ])
}

fn localized() -> Schema {
    object([
        always("attributePatterns", list(text()), ""),
        always("locales", list(text()), "Language codes. Empty allows any language."),
    ])
}

fn filterable_rule() -> Schema {
    let filter = object([
        maybe("equality", boolean().default(json!(true)), ""),
        maybe("comparison", boolean().default(json!(false)), ""),
    ]);
    let features = object([
        maybe("facetSearch", boolean().default(json!(false)), ""),
        maybe("filter", filter, ""),
    ]);
    object([always("attributePatterns", list(text()), ""), maybe("features", features, "")])
}

fn typo_tolerance() -> Schema {
    let letters = || integer().between(0, 255).or_null();
    let sizes = object([maybe("oneTypo", letters(), ""), maybe("twoTypos", letters(), "")]);
    object([
        maybe("enabled", boolean().or_null(), ""),
        maybe("minWordSizeForTypos", sizes.or_null(), ""),
        maybe("disableOnWords", list(text()).or_null(), ""),
        maybe("disableOnAttributes", list(text()).or_null(), ""),
        maybe("disableOnNumbers", boolean().or_null(), ""),
    ])
}

fn faceting() -> Schema {
    object([
        maybe("maxValuesPerFacet", integer().or_null(), ""),
        maybe("sortFacetValuesBy", map(one_of(&["alpha", "count"])).or_null(), "`*` for others."),
    ])
}

/// The schema of an embedder. Its members depend on the source, see /docs/vectors.
fn embedder() -> Schema {
    let sources = ["openAi", "huggingFace", "ollama", "userProvided", "rest", "composite"];
    let distribution = object_and_more([
        maybe("mean", number(), "Mean of the similarities."),
        maybe("sigma", number(), "Standard deviation of the similarities."),
    ]);
    object_and_more([
        maybe("source", one_of(&sources).or_null(), ""),
        maybe("model", text().or_null(), ""),
        maybe("revision", text().or_null(), ""),
        maybe("pooling", one_of(&["useModel", "forceCls", "forceMean"]).or_null(), ""),
        maybe("apiKey", text().or_null(), "API key of the provider; returned redacted."),
        maybe("dimensions", integer().or_null(), ""),
        maybe("binaryQuantized", boolean().or_null(), "Stores 1 bit per value. Cannot be undone."),
        maybe("documentTemplate", text().or_null(), "Template in Liquid."),
        maybe("documentTemplateMaxBytes", integer().or_null(), ""),
        maybe("url", text().or_null(), ""),
        maybe("request", anything(), ""),
        maybe("response", anything(), ""),
        maybe("headers", map(text()).or_null(), ""),
        maybe("distribution", distribution.or_null(), ""),
        maybe("indexingFragments", map(anything()).or_null(), "Needs the feature `multimodal`."),
        maybe("searchFragments", map(anything()).or_null(), "Needs the feature `multimodal`."),
        maybe("searchEmbedder", named("Embedder").or_null(), "Only for composite embedders."),
        maybe("indexingEmbedder", named("Embedder").or_null(), "Only for composite embedders."),
    ])
}

/// The schema of a reranker. Its members depend on the source, see /docs/reranking.
fn reranker() -> Schema {
    let sources = ["rest", "cohere", "jina", "voyage", "huggingFace"];
    object([
        maybe("source", one_of(&sources).or_null(), ""),
        maybe("model", text().or_null(), ""),
        maybe("revision", text().or_null(), ""),
        maybe("apiKey", text().or_null(), "API key of the provider; returned redacted."),
        maybe("url", text().or_null(), ""),
        maybe("headers", map(text()).or_null(), ""),
        maybe("request", anything(), ""),
        maybe("response", anything(), ""),
        maybe("documentTemplate", text().or_null(), "Template in Liquid."),
        maybe("documentTemplateMaxBytes", integer().between(1, 65_536).or_null(), ""),
        maybe("timeoutMs", integer().between(1, 30_000).or_null(), ""),
    ])
}

fn chat() -> Schema {
    let hybrid = object([
        always("embedder", text(), ""),
        maybe("semanticRatio", number().between(0, 1).default(json!(0.5)), ""),
    ]);
    let parameters = object_and_more([
        maybe("hybrid", hybrid.or_null(), ""),
        maybe("limit", integer().or_null(), ""),
        maybe("sort", list(text()).or_null(), ""),
        maybe("distinct", text().or_null(), ""),
        maybe("matchingStrategy", text().or_null(), ""),
        maybe("attributesToSearchOn", list(text()).or_null(), ""),
        maybe("rankingScoreThreshold", number().or_null(), ""),
    ]);
    object([
        maybe("description", text().or_null(), "Description by which the model chooses the index."),
        maybe("documentTemplate", text().or_null(), "Liquid template of text for the model."),
        maybe("documentTemplateMaxBytes", integer().or_null(), ""),
        maybe("searchParameters", parameters.or_null(), ""),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_form() {
        for setting in Setting::ALL {
            assert_ne!(of(setting).about, "", "{}", setting.name);
        }
    }
}
