//! Documents with words, values and many ties, the same for a number whenever they are made.

use serde_json::{Value, json};
use testkit::Random;

pub const INDEX: &str = "books";
pub const EMBEDDER: &str = "v";
/// Every so many documents one has a vector: few enough to be compared one by one, for what is
/// found approximately depends on who has which.
pub const HAS_VECTOR: u64 = 20;

const WORDS: [&str; 40] = [
    "harbour", "lantern", "salt", "winter", "garden", "engine", "river", "stone", "paper", "glass",
    "forest", "letter", "mirror", "island", "copper", "thread", "morning", "shadow", "orchard",
    "bridge", "candle", "meadow", "silver", "voyage", "quiet", "tower", "feather", "market",
    "window", "ember", "compass", "valley", "story", "history", "map", "clock", "cradle", "anchor",
    "north", "tide",
];
const GENRES: [&str; 6] = ["poetry", "novel", "essay", "drama", "letters", "travel"];

pub fn settings() -> Value {
    json!({
        "searchableAttributes": ["title", "text"],
        "filterableAttributes": ["genre", "price", "series", "tags", "note"],
        "sortableAttributes": ["price", "year"],
        "stopWords": ["the"],
        "synonyms": {"sea": ["tide"]},
        // However slow the machine is.
        "searchCutoffMs": 600_000,
    })
}

pub fn document(number: u64) -> Value {
    let mut random = Random(number);
    let mut words = |count: u64| -> String {
        let words: Vec<&str> =
            (0..count).map(|_| WORDS[random.below(WORDS.len() as u64) as usize]).collect();
        words.join(" ")
    };
    let (title, text) = (words(3), words(12));
    let mut random = Random(number ^ 0xabcd);
    let mut document = json!({
        "id": number,
        "title": title,
        "text": text,
        "genre": GENRES[random.below(6) as usize],
        "price": random.below(20),
        "year": 1900 + random.below(120),
        "series": random.below(500),
        "tags": [format!("t{}", random.below(9)), format!("t{}", random.below(9))],
    });
    // Not every document has every field.
    if number.is_multiple_of(4) {
        document.as_object_mut().unwrap().remove("price");
    }
    document
}

/// Adds an embedder to the settings.
pub fn settings_with_vectors() -> Value {
    let mut settings = settings();
    settings["embedders"] = json!({EMBEDDER: {"source": "userProvided", "dimensions": 4}});
    settings
}

/// Adds a vector for the embedder to the document.
pub fn with_vectors(number: u64) -> Value {
    let vectors = match number.is_multiple_of(HAS_VECTOR) {
        true => json!([vector(number)]),
        false => json!([]),
    };
    let mut document = document(number);
    document["_vectors"] = json!({EMBEDDER: {"embeddings": vectors, "regenerate": false}});
    document
}

pub fn vector(number: u64) -> [f32; 4] {
    let mut random = Random(number ^ 0x7e57);
    [(); 4].map(|()| random.below(2001) as f32 / 1000.0 - 1.0)
}
