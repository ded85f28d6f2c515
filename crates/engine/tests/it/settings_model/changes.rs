//! Random changes of settings, in the form of the settings route: values, resets, and members of
//! the settings that are merged. Every change is a good one, alone and after any other.

use serde_json::{Map, Value, json};
use testkit::Random;

use crate::settings_model::documents::{ATTRIBUTES, EMBEDDER, WORDS};

/// Settings that a change may touch: all that an answer can depend on.
const SETTINGS: [&str; 20] = [
    "displayedAttributes",
    "searchableAttributes",
    "filterableAttributes",
    "sortableAttributes",
    "rankingRules",
    "stopWords",
    "nonSeparatorTokens",
    "separatorTokens",
    "dictionary",
    "synonyms",
    "distinctAttribute",
    "proximityPrecision",
    "typoTolerance",
    "faceting",
    "pagination",
    "searchCutoffMs",
    "localizedAttributes",
    "facetSearch",
    "prefixSearch",
    "embedders",
];

pub fn random_change(random: &mut Random) -> Value {
    if random.percent(4) {
        return SETTINGS.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
    }
    let count = if random.percent(60) { 1 } else { random.between(2, 5) };
    let mut change = Map::new();
    for _ in 0..count {
        let name = random.pick(&SETTINGS);
        let value = if random.percent(15) { Value::Null } else { random_value(random, name) };
        change.insert(name.to_owned(), value);
    }
    Value::Object(change)
}

/// Settings that most runs begin with.
pub fn first_change(random: &mut Random) -> Value {
    json!({
        "filterableAttributes": many(random),
        "sortableAttributes": many(random),
        "embedders": random.percent(50).then(|| random_embedder(random)),
    })
}

/// Lays a change over the settings that are set so far, as the contract says: a value takes the
/// place of the one before, but for three settings whose members are replaced one by one.
pub fn lay_over(settings: &mut Map<String, Value>, change: &Value) {
    for (name, value) in change.as_object().into_iter().flatten() {
        let is_merged = matches!(name.as_str(), "typoTolerance" | "faceting" | "pagination");
        match (settings.get_mut(name), value) {
            (_, Value::Null) => drop(settings.remove(name)),
            (Some(Value::Object(before)), Value::Object(members)) if is_merged => {
                for (member, value) in members {
                    match value {
                        Value::Null => drop(before.remove(member)),
                        value => drop(before.insert(member.clone(), value.clone())),
                    }
                }
            }
            _ => drop(settings.insert(name.clone(), value.clone())),
        }
    }
}

fn random_value(random: &mut Random, name: &str) -> Value {
    match name {
        "displayedAttributes" => names_or_all(random, 8),
        "searchableAttributes" => random_searchable(random),
        "filterableAttributes" => random_filterable(random),
        "sortableAttributes" => many(random).into(),
        "rankingRules" => random_rules(random),
        "stopWords" => random.few_of(&["the", "of", "in", "tea", "C", "ภาษา"], 4).into(),
        "nonSeparatorTokens" => random.few_of(&["+", "#", ".", "-", "_", "&", ". "], 4).into(),
        "separatorTokens" => random.few_of(&["e", "大", "flo", "&", "2"], 2).into(),
        "dictionary" => {
            random.few_of(&["J. R. R.", "node.js", "東京タワー", "flower", "rock&"], 3).into()
        }
        "synonyms" => random_synonyms(random),
        "distinctAttribute" => json!(random.pick(&["brand", "color", "price", "meta.author"])),
        "proximityPrecision" => json!(random.pick(&["byWord", "byAttribute"])),
        "typoTolerance" => random_typo_tolerance(random),
        "faceting" => random_faceting(random),
        "pagination" => json!({ "maxTotalHits": random.pick(&[2, 10, 1000]) }),
        // Long enough for any machine: timeouts are another question.
        "searchCutoffMs" => json!(random.between(60_000, 90_000)),
        "localizedAttributes" => random_localized(random),
        "facetSearch" => json!(random.percent(80)),
        "prefixSearch" => json!(random.pick(&["indexingTime", "disabled"])),
        "embedders" => random_embedder(random),
        other => unreachable!("no values for {other}"),
    }
}

fn names_or_all(random: &mut Random, most: usize) -> Value {
    if random.percent(15) { json!(["*"]) } else { random.few_of(&ATTRIBUTES, most).into() }
}

fn random_searchable(random: &mut Random) -> Value {
    let mut names = names_or_all(random, 6);
    if let Some(names) = names.as_array_mut().filter(|_| random.percent(80)) {
        for name in ["title", "body"] {
            let place = random.below(names.len() + 1);
            names.insert(place, name.into());
        }
    }
    names
}

/// Mostly all but a few, so that most questions have an answer.
fn many(random: &mut Random) -> Vec<&'static str> {
    let few = random.few_of(&ATTRIBUTES, 6);
    if random.percent(15) {
        return few;
    }
    let all = random.shuffled(&ATTRIBUTES);
    all.into_iter().filter(|name| !few[..few.len() / 2].contains(name)).collect()
}

fn random_filterable(random: &mut Random) -> Value {
    let mut rules: Vec<Value> = many(random).into_iter().map(Value::from).collect();
    if random.percent(35) {
        let patterns = random.few_of(&["me*", "*o*", "color", "price", "meta.author", "*"], 2);
        let rule = json!({
            "attributePatterns": patterns,
            "features": {
                "facetSearch": random.percent(50),
                "filter": { "equality": random.percent(70), "comparison": random.percent(50) },
            },
        });
        rules.insert(random.below(rules.len() + 1), rule);
    }
    rules.into()
}

fn random_rules(random: &mut Random) -> Value {
    let split =
        ["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"];
    let joined = ["words", "typo", "proximity", "attribute", "sort", "exactness"];
    let rules: &[&str] = if random.percent(25) { &joined } else { &split };
    let mut rules = random.few_of(rules, rules.len());
    if random.percent(30) {
        // Not `bm25`: the average length of texts counts replaced ones until they are merged away.
        let more = random.pick(&["price:asc", "price:desc", "title:asc"]);
        rules.insert(random.below(rules.len() + 1), more);
    }
    rules.into()
}

fn random_synonyms(random: &mut Random) -> Value {
    let mut synonyms = Map::new();
    for _ in 0..random.between(0, 4) {
        let others: Vec<&str> = random.few_of(&WORDS, 3);
        synonyms.insert(random.pick(&WORDS).to_owned(), others.into());
    }
    Value::Object(synonyms)
}

/// Both sizes at once, so that they agree whatever was there before.
fn random_typo_tolerance(random: &mut Random) -> Value {
    let mut typos = Map::new();
    let mut put = |name: &str, value: Value| drop(typos.insert(name.to_owned(), value));
    if random.percent(30) {
        put("enabled", random.percent(60).into());
    }
    if random.percent(40) {
        // Short words with two typos resemble more words than are looked for, and then an index
        // may find more than another.
        let one = random.between(0, 6);
        let two = random.between(one.max(4), 10);
        put("minWordSizeForTypos", json!({ "oneTypo": one, "twoTypos": two }));
    }
    if random.percent(30) {
        put("disableOnWords", random.few_of(&WORDS, 4).into());
    }
    if random.percent(30) {
        put("disableOnAttributes", random.few_of(&ATTRIBUTES, 3).into());
    }
    if random.percent(30) {
        put("disableOnNumbers", random.percent(60).into());
    }
    if random.percent(15) {
        put(random.pick(&["enabled", "disableOnWords", "minWordSizeForTypos"]), Value::Null);
    }
    Value::Object(typos)
}

fn random_faceting(random: &mut Random) -> Value {
    let mut faceting = Map::new();
    if random.percent(60) {
        let most = [json!(1), json!(3), json!(100), json!(null)];
        faceting.insert("maxValuesPerFacet".to_owned(), random.pick(&most));
    }
    if random.percent(60) {
        let attribute = random.pick(&["*", "color", "brand"]);
        let order = random.pick(&["alpha", "count"]);
        faceting.insert("sortFacetValuesBy".to_owned(), json!({ "*": "alpha", attribute: order }));
    }
    Value::Object(faceting)
}

/// With all of its members, so that it takes the place of what was there.
fn random_embedder(random: &mut Random) -> Value {
    let distributions = [json!(null), json!({ "mean": 0.9, "sigma": 0.2 })];
    json!({ EMBEDDER: {
        "source": "userProvided",
        "dimensions": 2,
        "distribution": random.pick(&distributions),
    }})
}

fn random_localized(random: &mut Random) -> Value {
    let rules = (0..random.between(0, 2)).map(|_| {
        let patterns = random.few_of(&["title", "meta.*", "*", "*o*", "tags", "body"], 2);
        let locales = random.few_of(&["de", "sv", "ja", "zh", "ar", "fa", "en", "th"], 2);
        json!({ "attributePatterns": patterns, "locales": locales })
    });
    rules.collect()
}
