//! Made-up documents that compress like the real ones they stand for: packages of a registry
//! (170 bytes: short names that repeat inside a document) and cities (340 bytes: names in several
//! scripts, numbers, few distinct codes).

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use serde_json::{Map, Value, json};

pub struct Document {
    pub id: String,
    pub json: String,
    /// Shared by all documents that have the same fields.
    pub fields: Arc<[String]>,
}

pub fn documents(set: &str, count: usize) -> Vec<Document> {
    let mut shapes = HashMap::new();
    let mut random = Random::new(7);
    match set {
        "packages" => {
            let words = Words::new(&mut random, 30_000, LATIN);
            (0..count)
                .map(|number| document(&package(number, &words, &mut random), &mut shapes))
                .collect()
        }
        "cities" => {
            let scripts = [LATIN, CYRILLIC, HAN].map(|set| Words::new(&mut random, 8_000, set));
            (0..count)
                .map(|number| document(&city(number, &scripts, &mut random), &mut shapes))
                .collect()
        }
        path => fs::read_to_string(path)
            .expect("an ndjson file")
            .lines()
            .take(count)
            .map(|line| serde_json::from_str(line).expect("an object a line"))
            .map(|value| document(&value, &mut shapes))
            .collect(),
    }
}

fn document(value: &Value, shapes: &mut HashMap<Vec<String>, Arc<[String]>>) -> Document {
    let object: &Map<String, Value> = value.as_object().expect("an object");
    let id = match &object["id"] {
        Value::String(id) => id.clone(),
        other => other.to_string(),
    };
    let fields: Vec<String> = object.keys().cloned().collect();
    let fields = shapes.entry(fields).or_insert_with_key(|names| names.as_slice().into()).clone();
    Document { id, fields, json: value.to_string() }
}

fn package(number: usize, words: &Words, random: &mut Random) -> Value {
    let parts: Vec<&str> = (0..random.between(1, 4)).map(|_| words.pick(random)).collect();
    let scope = random.one_in(3).then(|| words.rare(random));
    let plain = parts.join("-");
    let name = match scope {
        Some(scope) => format!("@{scope}/{plain}"),
        None => plain.clone(),
    };
    let spoken = name.replace(['@', '/', '-'], " ");
    let mut object = Map::new();
    object.insert("id".to_owned(), json!(number));
    object.insert("name".to_owned(), json!(name));
    object.insert("words".to_owned(), json!(spoken.trim()));
    object.insert("downloads".to_owned(), json!(40_000_000 / (number + 10) + 7));
    if let Some(scope) = scope {
        object.insert("scope".to_owned(), json!(scope));
    }
    if !random.one_in(4) {
        let owner = scope.unwrap_or_else(|| words.rare(random));
        let repo = format!("https://github.com/{owner}/{plain}");
        object.insert("repo".to_owned(), json!(repo));
        object.insert("host".to_owned(), json!("github.com"));
        object.insert("owner".to_owned(), json!(owner));
    }
    Value::Object(object)
}

fn city(number: usize, scripts: &[Words; 3], random: &mut Random) -> Value {
    let name = capitalised(scripts[0].rare(random));
    let others: Vec<String> = (0..random.between(0, 6))
        .map(|_| capitalised(scripts[random.below(3)].rare(random)))
        .collect();
    // Neighbours in the list are neighbours on the map.
    let country = number / 1500;
    let code: String = [country / 26 % 26, country % 26]
        .map(|letter| (b'A' + letter as u8) as char)
        .iter()
        .collect();
    let zone = format!("Europe/{}", scripts[0].words[country % 400]);
    let magnitude = random.between(6, 20);
    let population = 500 + random.below(1 << magnitude);
    json!({
        "id": 2_000_000 + number * 7 + random.below(7),
        "name": name,
        "ascii_name": name,
        "alternate_names": others,
        "_geo": {
            "lat": f64::from(random.below(18_000_000) as u32) / 1e5 - 90.0,
            "lng": f64::from(random.below(36_000_000) as u32) / 1e5 - 180.0,
        },
        "feature_code": if random.one_in(3) { "PPLA3" } else { "PPL" },
        "country_code": code,
        "admin1": format!("{:02}", random.below(20)),
        "population": population,
        "elevation": random.below(1200),
        "timezone": zone,
        "modified": format!(
            "20{:02}-{:02}-{:02}",
            random.between(10, 26),
            random.between(1, 13),
            random.between(1, 29)
        ),
    })
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

const LATIN: &[&str] = &[
    "re", "act", "no", "de", "js", "lo", "ad", "er", "co", "re", "ty", "pe", "utl", "cli", "con",
    "fig", "ser", "ver", "ma", "ro", "ti", "san", "vi", "lle", "ber", "gen", "dor", "f", "x", "ka",
    "zu", "mon", "go", "par", "se", "th", "eme", "plu", "gin",
];
const CYRILLIC: &[&str] =
    &["но", "во", "град", "ка", "мо", "ск", "ва", "ле", "нин", "пе", "тро", "бо", "ри", "со", "ль"];
const HAN: &[&str] = &["山", "大", "川", "市", "北", "新", "南", "河", "上", "田", "京", "海"];

/// Words of a made-up language; those at the front are used most.
struct Words {
    words: Vec<String>,
}

impl Words {
    fn new(random: &mut Random, count: usize, syllables: &[&str]) -> Self {
        let word = |random: &mut Random| -> String {
            (0..random.between(2, 5)).map(|_| syllables[random.below(syllables.len())]).collect()
        };
        Self { words: (0..count).map(|_| word(random)).collect() }
    }

    fn pick(&self, random: &mut Random) -> &str {
        // Squaring prefers the front, as languages do.
        let place = random.unit() * random.unit();
        &self.words[(place * place * self.words.len() as f64) as usize]
    }

    fn rare(&self, random: &mut Random) -> &str {
        &self.words[random.below(self.words.len())]
    }
}

/// A small generator with a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (((self.next() >> 32) * end as u64) >> 32) as usize
    }

    fn between(&mut self, start: usize, end: usize) -> usize {
        start + self.below(end - start)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}
