//! Random documents: texts of several languages whose words resemble each other, values in
//! several spellings, arrays, nested objects, places, vectors.

use serde_json::{Map, Value, json};
use testkit::Random;

pub const IDS: u64 = 24;

/// The embedder that an index may have; documents bring vectors for it.
pub const EMBEDDER: &str = "given";

/// Every attribute that a document may have, with nested ones by their dotted names.
pub const ATTRIBUTES: [&str; 12] = [
    "id",
    "title",
    "body",
    "tags",
    "meta",
    "meta.author",
    "meta.notes",
    "parts.name",
    "brand",
    "color",
    "price",
    "_geo",
];

/// Words that a setting can join, part, leave out or replace, and some that look alike. The first
/// ones are the most frequent.
pub const WORDS: [&str; 40] = [
    "sunflower",
    "the",
    "東京タワー",
    "Kaffeemaschine",
    "new york",
    "C++",
    "tea",
    "Smörgås",
    "20245",
    "السلام",
    "sunflowers",
    "node.js",
    "北京大学",
    "harvester",
    "of",
    "moonlight",
    "well-known",
    "ภาษาไทย",
    "The",
    "rock&roll",
    "ÅKE",
    "nyc",
    "J. R. R.",
    "flower",
    "harvestor",
    "سلام",
    "Maschine",
    "東京大学",
    "under_score",
    "20246",
    "light",
    "ёлка",
    "sunflwoer",
    "in",
    "c#",
    "newyork",
    "moon",
    "smorgas",
    "Ştraße",
    "garvester",
];

pub fn random_word(random: &mut Random) -> &'static str {
    WORDS[random.below(WORDS.len()).min(random.below(WORDS.len()))]
}

pub fn random_text(random: &mut Random, words: usize) -> String {
    let mut text = String::new();
    for place in 0..words {
        if place > 0 {
            let usual = random.percent(80);
            text.push_str(if usual { " " } else { random.pick(&[". ", ", ", "-", "/", "! "]) });
        }
        text.push_str(random_word(random));
    }
    text
}

fn text_or_list(random: &mut Random, list_percent: usize) -> Value {
    if random.percent(list_percent) {
        return (0..random.below(4)).map(|_| random_item(random)).collect();
    }
    let words = random.between(1, 6);
    random_text(random, words).into()
}

fn random_item(random: &mut Random) -> Value {
    match random.below(10) {
        0 => Value::Null,
        1 => json!(20245),
        2 => json!(true),
        _ => random_text(random, 2).into(),
    }
}

/// A document with every attribute, so that all names are known from the beginning: which names
/// an index knows is a matter of its whole life, not of its documents.
pub fn full_document() -> Value {
    json!({
        "id": 0, "title": "tea", "body": "tea", "tags": ["tea"],
        "meta": { "author": "tea", "notes": "tea" }, "parts": [{ "name": "tea" }],
        "brand": "tea", "color": "red", "price": 1, "_geo": { "lat": 1, "lng": 1 },
        "_vectors": { EMBEDDER: { "embeddings": [[1.0, 1.0]], "regenerate": false } },
    })
}

/// In the form in which vectors are read, whether the index has the embedder or not. Every
/// document says something, since an embedder of this kind makes none by itself.
fn random_vectors(random: &mut Random) -> Value {
    let count = random.pick(&[0, 1, 1, 1, 1, 2]);
    let vectors: Vec<[f32; 2]> = (0..count).map(|_| random_vector(random)).collect();
    json!({ EMBEDDER: { "embeddings": vectors, "regenerate": false } })
}

/// Few enough that some are equal; sixteenths come back as they were given.
pub fn random_vector(random: &mut Random) -> [f32; 2] {
    [0, 1].map(|_| (1 + random.below(12)) as f32 / 16.0)
}

pub fn random_document(random: &mut Random) -> Value {
    let mut document = Map::new();
    let id = random.below(IDS as usize);
    let mut put = |name: &str, value: Value| drop(document.insert(name.to_owned(), value));
    put("id", id.into());
    if random.percent(85) {
        put("title", text_or_list(random, 5));
    }
    if random.percent(50) {
        put("body", text_or_list(random, 10));
    }
    if random.percent(30) {
        put("tags", text_or_list(random, 80));
    }
    if random.percent(35) {
        let mut meta = Map::new();
        for name in ["author", "notes"] {
            if random.percent(60) {
                meta.insert(name.to_owned(), text_or_list(random, 30));
            }
        }
        put("meta", meta.into());
    }
    if random.percent(20) {
        let parts = (0..random.below(3)).map(|_| json!({ "name": text_or_list(random, 10) }));
        put("parts", parts.collect());
    }
    if random.percent(60) {
        put("brand", json!(random.pick(&["Acme", "acme", "Bolt", "Çelik"])));
    }
    if random.percent(60) {
        let colors = [json!("red"), json!("Red"), json!(["blue", "RED"]), json!(null), json!([])];
        put("color", random.pick(&colors));
    }
    if random.percent(60) {
        let prices = [json!(1), json!(2.5), json!(10), json!("10"), json!([1, 20]), json!(-3)];
        put("price", random.pick(&prices));
    }
    if random.percent(40) {
        let (lat, lng) = (random.below(90), random.below(180));
        put("_geo", json!({ "lat": lat, "lng": lng }));
    }
    put("_vectors", random_vectors(random));
    Value::Object(document)
}
