//! The settings of an index: what each may be. Their names, routes and defaults are those of the
//! table of settings; only their forms and a line about each stand here.

use serde_json::json;
use settings::Setting;

use super::{Named, Schema};
use crate::openapi::schema::{
    Member, always, any_of, anything, boolean, described, integer, list, map, maybe, named, number,
    object, object_and_more, one_of, text,
};

/// One setting: its form, and what it says.
pub struct Described {
    pub schema: Schema,
    pub about: &'static str,
}

pub fn of(setting: &Setting) -> Described {
    let texts = || list(text());
    let (schema, about) = match setting.name {
        "displayedAttributes" => (texts(), "What searches show. `*` is everything."),
        "searchableAttributes" => (texts(), "Where words are looked for; earlier ones weigh more."),
        "filterableAttributes" => (
            list(any_of([text(), named("FilterableRule")])),
            "What can be filtered by, counted as facets, made distinct.",
        ),
        "sortableAttributes" => (texts(), "What `sort` may name."),
        "foreignKeys" => {
            (list(foreign_key()), "Whose ids an attribute holds; feature `foreignKeys`.")
        }
        "rankingRules" => (texts(), "What orders hits, the first rule first."),
        "stopWords" => {
            (any_of([texts(), stop_words()]), "Words that are not searched, given or by language.")
        }
        "nonSeparatorTokens" => (texts(), "What does not separate words."),
        "separatorTokens" => (texts(), "What separates words too."),
        "dictionary" => (texts(), "What is one word although separators stand in it."),
        "synonyms" => (map(texts()), "What a word or phrase is also found by; one way."),
        "distinctAttribute" => {
            (text().or_null(), "Of documents that share a value the best is shown.")
        }
        "proximityPrecision" => (
            one_of(&["byWord", "byAttribute"]),
            "Whether nearness counts words, or only asks for one attribute.",
        ),
        "typoTolerance" => (typo_tolerance(), "From how many letters on a word may have typos."),
        "faceting" => (faceting(), "How many values a facet shows, and in which order."),
        "pagination" => (
            object([maybe("maxTotalHits", integer().or_null(), "")]),
            "Past how many hits none is given out.",
        ),
        "embedders" => (
            map(named("Embedder").or_null()),
            "What makes vectors of documents and queries, by name. Null takes one away.",
        ),
        "rerankers" => (
            map(named("Reranker").or_null()),
            "What orders the first hits of a search anew, by name. Null takes one away.",
        ),
        "searchCutoffMs" => (integer().or_null(), "How long a search may rank; null is 1,500 ms."),
        "localizedAttributes" => (list(localized()).or_null(), "Languages of attributes."),
        "facetSearch" => (boolean(), "Whether `/facet-search` answers."),
        "prefixSearch" => (
            one_of(&["indexingTime", "disabled"]),
            "Whether the last word of a query may be the beginning of one.",
        ),
        "stemming" => (
            stemming().or_null(),
            "Words that are found by others of the same stem; null switches it off.",
        ),
        "boosts" => (list(named("Boost")).or_null(), "What raises documents beside the words."),
        "attributeWeights" => {
            (map(number().between(0, 1000)).or_null(), "What attributes weigh under `bm25`.")
        }
        "chat" => (chat(), "How conversations search the index; feature `chatCompletions`."),
        // A new setting has no form here until a test asks for one.
        _ => (anything(), ""),
    };
    Described { schema, about }
}

pub fn all() -> Vec<Named> {
    let member = |setting: &'static Setting| {
        let Described { schema, about } = of(setting);
        maybe(setting.name, schema, about)
    };
    let changed = |setting: &'static Setting| {
        let Member { name, schema, about, .. } = member(setting);
        // Null resets a setting; those that may be null say so already.
        maybe(name, if takes_null(name) { schema } else { schema.or_null() }, about)
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

/// What is sent to change one setting.
pub fn change_of(setting: &Setting) -> Schema {
    let Described { schema, about } = of(setting);
    let schema = if takes_null(setting.name) { schema } else { schema.or_null() };
    described(schema, about)
}

fn foreign_key() -> Schema {
    object([always("foreignIndexUid", text(), ""), always("fieldName", text(), "")])
}

fn stop_words() -> Schema {
    object([
        maybe("languages", list(text()), "Codes of languages whose usual stop words count."),
        maybe("words", list(text()), "Further words."),
    ])
}

fn stemming() -> Schema {
    object([
        maybe("attributes", list(text()), "Patterns; all attributes by default."),
        maybe("languages", list(text()), "Codes, or `auto` for those of the documents."),
        maybe("exceptions", map(text()), "Words with stems of their own."),
    ])
}

fn localized() -> Schema {
    object([
        always("attributePatterns", list(text()), ""),
        always("locales", list(text()), "None: any language."),
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
        maybe("sortFacetValuesBy", map(one_of(&["alpha", "count"])).or_null(), "`*` is the rest."),
    ])
}

/// Which members an embedder may have depends on its source; /docs/vectors tells.
fn embedder() -> Schema {
    let sources = ["openAi", "huggingFace", "ollama", "userProvided", "rest", "composite"];
    let distribution = object_and_more([
        maybe("mean", number(), "The middle of the similarities."),
        maybe("sigma", number(), "How far they lie from it."),
    ]);
    object_and_more([
        maybe("source", one_of(&sources).or_null(), ""),
        maybe("model", text().or_null(), ""),
        maybe("revision", text().or_null(), ""),
        maybe("pooling", one_of(&["useModel", "forceCls", "forceMean"]).or_null(), ""),
        maybe("apiKey", text().or_null(), "Shown shortened."),
        maybe("dimensions", integer().or_null(), ""),
        maybe("binaryQuantized", boolean().or_null(), "Cannot be undone."),
        maybe("documentTemplate", text().or_null(), "Liquid."),
        maybe("documentTemplateMaxBytes", integer().or_null(), ""),
        maybe("url", text().or_null(), ""),
        maybe("request", anything(), ""),
        maybe("response", anything(), ""),
        maybe("headers", map(text()).or_null(), ""),
        maybe("distribution", distribution.or_null(), ""),
        maybe("indexingFragments", map(anything()).or_null(), "Feature `multimodal`."),
        maybe("searchFragments", map(anything()).or_null(), "Feature `multimodal`."),
        maybe("searchEmbedder", named("Embedder").or_null(), "Of a composite one."),
        maybe("indexingEmbedder", named("Embedder").or_null(), "Of a composite one."),
    ])
}

/// Which members a reranker may have depends on its source; /docs/reranking tells.
fn reranker() -> Schema {
    let sources = ["rest", "cohere", "jina", "voyage", "huggingFace"];
    object([
        maybe("source", one_of(&sources).or_null(), ""),
        maybe("model", text().or_null(), ""),
        maybe("revision", text().or_null(), ""),
        maybe("apiKey", text().or_null(), "Shown shortened."),
        maybe("url", text().or_null(), ""),
        maybe("headers", map(text()).or_null(), ""),
        maybe("request", anything(), ""),
        maybe("response", anything(), ""),
        maybe("documentTemplate", text().or_null(), "Liquid."),
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
        maybe("description", text().or_null(), "What a model chooses the index by."),
        maybe("documentTemplate", text().or_null(), "Liquid: the text that a model reads."),
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
