//! Random documents: several attributes, arrays, nested objects, repeated words.

use serde_json::{Map, Value, json};
use testkit::Random;

/// Every attribute that a document may have, with nested ones by their dotted names.
pub const ATTRIBUTES: [&str; 9] =
    ["id", "title", "body", "tags", "meta", "meta.author", "meta.notes", "parts.name", "flag"];

pub fn random_document(random: &mut Random, vocabulary: &[String], id: u64) -> Value {
    let mut document = Map::new();
    document.insert("id".to_owned(), id.into());
    if random.percent(90) {
        document.insert("title".to_owned(), random_value(random, vocabulary, 5));
    }
    if random.percent(50) {
        document.insert("body".to_owned(), random_value(random, vocabulary, 10));
    }
    if random.percent(25) {
        document.insert("tags".to_owned(), random_value(random, vocabulary, 80));
    }
    if random.percent(25) {
        let mut meta = Map::new();
        if random.percent(70) {
            meta.insert("author".to_owned(), random_value(random, vocabulary, 20));
        }
        if random.percent(50) {
            meta.insert("notes".to_owned(), random_value(random, vocabulary, 70));
        }
        document.insert("meta".to_owned(), Value::Object(meta));
    }
    if random.percent(10) {
        // The same attribute as the nested one.
        document.insert("meta.author".to_owned(), random_value(random, vocabulary, 0));
    }
    if random.percent(15) {
        let parts = (0..random.between(0, 3))
            .map(|_| json!({"name": random_value(random, vocabulary, 10)}))
            .collect();
        document.insert("parts".to_owned(), parts);
    }
    if random.percent(10) {
        let flag = random.pick(&[json!(true), json!(null), json!(20245), json!(2.75)]);
        document.insert("flag".to_owned(), flag);
    }
    Value::Object(document)
}

fn random_value(random: &mut Random, vocabulary: &[String], array_percent: usize) -> Value {
    if random.percent(array_percent) {
        let length = random.below(5);
        return (0..length).map(|_| random_item(random, vocabulary)).collect();
    }
    match random.below(100) {
        0..3 => {
            let length = random.between(15, 70);
            random_text(random, vocabulary, length).into()
        }
        // Around the longest field that can be an exact match.
        3..6 => {
            let length = random.between(28, 33);
            (0..length)
                .map(|_| random.one_of(vocabulary).as_str())
                .collect::<Vec<_>>()
                .join(" ")
                .into()
        }
        _ => {
            let length = random.between(1, 7);
            random_text(random, vocabulary, length).into()
        }
    }
}

fn random_item(random: &mut Random, vocabulary: &[String]) -> Value {
    match random.below(12) {
        0 => Value::Null,
        1 => json!(20245),
        2 => json!(false),
        3 => json!([random_text(random, vocabulary, 2), ["", random.one_of(vocabulary).as_str()]]),
        4 => json!(""),
        _ => {
            let length = random.between(1, 3);
            random_text(random, vocabulary, length).into()
        }
    }
}

pub fn random_text(random: &mut Random, vocabulary: &[String], words: usize) -> String {
    let mut text = String::new();
    if random.percent(8) {
        text.push_str(random.pick(&["! ", "-", "  ", "\"", ". "]));
    }
    for i in 0..words {
        if i > 0 {
            text.push_str(random_separator(random));
        }
        text.push_str(random.one_of(vocabulary).as_str());
    }
    if random.percent(10) {
        text.push_str(random.pick(&[".", "!", " ", ". "]));
    }
    text
}

fn random_separator(random: &mut Random) -> &'static str {
    if random.percent(75) {
        return " ";
    }
    random.pick(&[". ", ", ", "! ", "; ", "-", "? ", " ! ! ", "/", ".", "  "])
}
