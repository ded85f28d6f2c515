//! Random settings, in the form of the settings route; often hardly any.

use serde_json::{Map, Value, json};
use testkit::Random;

use super::documents::ATTRIBUTES;

const RULES: [&str; 7] =
    ["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"];
const RULES_WITH_ATTRIBUTE: [&str; 6] =
    ["words", "typo", "proximity", "attribute", "sort", "exactness"];

pub fn random_settings(random: &mut Random, vocabulary: &[String]) -> Value {
    let mut settings = Map::new();
    let mut set = |name: &str, value: Value| drop(settings.insert(name.to_owned(), value));
    if random.percent(65) {
        let count = random.between(0, 5);
        let mut names = random.some(&ATTRIBUTES, count);
        if random.percent(80) && !names.contains(&"title") {
            names.insert(random.below(count + 1).min(names.len()), "title");
        }
        set("searchableAttributes", names.into());
    }
    if random.percent(60) {
        set("rankingRules", random_rules(random));
    }
    if random.percent(35) {
        let count = random.between(1, 3);
        set("stopWords", random.some(vocabulary, count).into());
    }
    if random.percent(35) {
        set("synonyms", random_synonyms(random, vocabulary));
    }
    if random.percent(50) {
        set("typoTolerance", random_typo_tolerance(random, vocabulary));
    }
    if random.percent(15) {
        set("proximityPrecision", "byAttribute".into());
    }
    if random.percent(10) {
        set("prefixSearch", "disabled".into());
    }
    Value::Object(settings)
}

fn random_rules(random: &mut Random) -> Value {
    let rules: &[&str] = if random.percent(25) { &RULES_WITH_ATTRIBUTE } else { &RULES };
    if random.percent(40) {
        // Usual at the start, anything after that.
        let mut list = vec!["words", "typo"];
        list.extend(random.some(&rules[2..], rules.len() - 2));
        return list.into();
    }
    let count = random.between(0, rules.len());
    random.some(rules, count).into()
}

fn random_synonyms(random: &mut Random, vocabulary: &[String]) -> Value {
    let words = |random: &mut Random, most: usize| {
        let count = if random.percent(60) { 1 } else { random.between(1, most) };
        (0..count)
            .map(|_| random.one_of(vocabulary).as_str().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut synonyms = Map::new();
    for _ in 0..random.between(1, 4) {
        let values: Vec<String> = (0..random.between(1, 3)).map(|_| words(random, 3)).collect();
        synonyms.insert(words(random, 3), values.into());
    }
    Value::Object(synonyms)
}

fn random_typo_tolerance(random: &mut Random, vocabulary: &[String]) -> Value {
    let mut typos = Map::new();
    if random.percent(15) {
        typos.insert("enabled".to_owned(), false.into());
    }
    if random.percent(50) {
        let one = random.between(0, 6);
        let two = random.between(one, 9);
        typos.insert("minWordSizeForTypos".to_owned(), json!({"oneTypo": one, "twoTypos": two}));
    }
    if random.percent(30) {
        typos.insert("disableOnWords".to_owned(), random.some(vocabulary, 2).into());
    }
    if random.percent(40) {
        let count = random.between(1, 2);
        typos.insert("disableOnAttributes".to_owned(), random.some(&ATTRIBUTES, count).into());
    }
    if random.percent(30) {
        typos.insert("disableOnNumbers".to_owned(), true.into());
    }
    Value::Object(typos)
}
