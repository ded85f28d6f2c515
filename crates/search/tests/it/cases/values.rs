//! Values to sort by and of which each counts once, for a world of words: they are added to its
//! documents, settings and queries afterwards, with chances of their own.

use serde_json::{Map, Value, json};
use testkit::Random;

use super::{Ask, Change, World};

/// Not every document has them.
const ATTRIBUTES: [&str; 2] = ["price", "kind"];
const RULES: [&str; 4] = ["price:asc", "price:desc", "kind:asc", "kind:desc"];

pub fn add_values(random: &mut Random, world: &mut World, asks: &mut [Ask]) {
    for change in world.batches.iter_mut().flat_map(|batch| &mut batch.changes) {
        if let Change::Upsert(Value::Object(document)) = change {
            add_to_document(random, document);
        }
    }
    if let Value::Object(settings) = &mut world.settings {
        add_to_settings(random, settings);
    }
    asks.iter_mut().for_each(|ask| add_to_query(random, &world.settings, ask));
}

fn add_to_document(random: &mut Random, document: &mut Map<String, Value>) {
    for name in ATTRIBUTES {
        if random.percent(60) {
            document.insert(name.to_owned(), random_value(random));
        }
    }
}

/// Few of them, so that many documents share one.
fn random_value(random: &mut Random) -> Value {
    let one = |random: &mut Random| match random.below(10) {
        0..4 => random.pick(&[json!(7), json!(7.0), json!(-2.5), json!(30), json!(1e9)]),
        4..8 => random.pick(&[json!("ash"), json!("Ash "), json!("birch"), json!("7")]),
        8 => json!(true),
        _ => random.pick(&[json!(null), json!("")]),
    };
    if random.percent(20) {
        return (0..random.below(4)).map(|_| one(random)).collect();
    }
    one(random)
}

fn add_to_settings(random: &mut Random, settings: &mut Map<String, Value>) {
    if let Some(Value::Array(rules)) = settings.get_mut("rankingRules")
        && random.percent(40)
    {
        let place = random.below(rules.len() + 1);
        rules.insert(place, random.pick(&RULES).into());
    }
    let mut set = |name: &str, value: Value| drop(settings.insert(name.to_owned(), value));
    if random.percent(50) {
        set("sortableAttributes", json!(ATTRIBUTES));
    }
    if random.percent(40) {
        set("filterableAttributes", json!(ATTRIBUTES));
    }
    if random.percent(10) {
        set("distinctAttribute", random.pick(&ATTRIBUTES).into());
    }
}

/// Only what the settings allow: all else is an error.
fn add_to_query(random: &mut Random, settings: &Value, ask: &mut Ask) {
    let has_rule =
        settings["rankingRules"].as_array().is_none_or(|rules| rules.contains(&"sort".into()));
    if has_rule && !settings["sortableAttributes"].is_null() && random.percent(40) {
        let criterion = |random: &mut Random| random.pick(&RULES).to_owned();
        ask.sort = (0..random.between(1, 3)).map(|_| criterion(random)).collect();
    }
    if !settings["filterableAttributes"].is_null() && random.percent(10) {
        ask.distinct = Some(random.pick(&ATTRIBUTES).to_owned());
    }
}
