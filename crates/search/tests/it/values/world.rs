//! An index with a past: batches of documents added, replaced and deleted, settings that change
//! between them, merges; and the documents that are there at the end.

use std::collections::BTreeMap;
use std::sync::Arc;

use index::{Index, Options, Snapshot};
use model::Cancel;
use segment::MemoryDirectory;
use serde_json::{Map, Value, json};
use testkit::Random;
use time::OffsetDateTime;

pub const ATTRIBUTES: [&str; 9] = ["n", "s", "t", "o", "o.x", "o.y", "b", "m", "ghost"];
const NUMBERS: [f64; 12] =
    [0.0, 1.0, 2.0, -1.0, 2.5, 10.0, 7.0, 100.0, -0.5, 1e9, 0.1, 9_007_199_254_740_993.0];
const TEXTS: [&str; 18] = [
    "Red",
    "red",
    " RED ",
    "réd",
    "re\u{301}d",
    "blue",
    "Blue sky",
    "7",
    "2.5",
    "10",
    "a b",
    " ",
    "Zebra",
    "true",
    "STRASSE",
    "straße",
    "ﬁsh",
    "apple",
];
const WORDS: [&str; 4] = ["tea", "cup", "tea cup", "pot"];

#[derive(Debug)]
pub struct World {
    steps: Vec<Step>,
    pub settings: Value,
    /// By external id.
    pub documents: BTreeMap<String, Map<String, Value>>,
}

#[derive(Debug)]
enum Step {
    Settings(Value),
    Write(Vec<(String, Option<Map<String, Value>>)>),
    Merge,
}

impl World {
    pub fn random(random: &mut Random) -> Self {
        let mut world = Self { steps: Vec::new(), settings: json!({}), documents: BTreeMap::new() };
        world.change_settings(random);
        let ids = 5 + random.below(60);
        for _ in 0..1 + random.below(6) {
            if random.percent(50) {
                world.change_settings(random);
            }
            world.write(random, ids);
            if random.percent(25) {
                world.steps.push(Step::Merge);
            }
        }
        if random.percent(70) {
            world.change_settings(random);
        }
        world
    }

    fn change_settings(&mut self, random: &mut Random) {
        self.settings = random_settings(random);
        self.steps.push(Step::Settings(self.settings.clone()));
    }

    fn write(&mut self, random: &mut Random, ids: usize) {
        let mut batch = Vec::new();
        for _ in 0..random.below(40) {
            let id = random.below(ids).to_string();
            let document = (!random.percent(15)).then(|| random_document(random, &id));
            match &document {
                Some(document) => drop(self.documents.insert(id.clone(), document.clone())),
                None => drop(self.documents.remove(&id)),
            }
            batch.push((id, document));
        }
        self.steps.push(Step::Write(batch));
    }

    pub fn build(&self) -> Arc<Snapshot> {
        let now = OffsetDateTime::UNIX_EPOCH;
        let directory = Arc::new(MemoryDirectory::new());
        let index = Index::create_with(directory, now, Options::default()).unwrap();
        for step in &self.steps {
            let mut writer = index.writer().unwrap();
            match step {
                Step::Settings(settings) => writer.set_settings(settings.clone()),
                Step::Write(batch) => {
                    for (id, document) in batch {
                        let Some(document) = document else {
                            writer.delete(id).unwrap();
                            continue;
                        };
                        let json = Value::Object(document.clone()).to_string();
                        writer.upsert(id, &json, document.keys().map(String::as_str)).unwrap();
                        let mut names = Vec::new();
                        nested_names("", document, &mut names);
                        writer.register_fields(names.iter().map(String::as_str));
                    }
                }
                Step::Merge => {
                    drop(writer);
                    while let Some(plan) = index.next_merge() {
                        index.run_merge(plan, &Cancel::default()).unwrap();
                    }
                    continue;
                }
            }
            writer.commit(b"", now).unwrap();
        }
        index.snapshot()
    }

    /// The documents by number.
    pub fn numbered(&self, snapshot: &Snapshot) -> BTreeMap<u32, &Map<String, Value>> {
        let number = |id: &str| snapshot.doc_id(id).unwrap().unwrap();
        self.documents.iter().map(|(id, document)| (number(id), document)).collect()
    }

    pub fn listing(&self, snapshot: &Snapshot) -> String {
        let line = |(number, document): (u32, &Map<String, Value>)| {
            format!("{number} {}", Value::Object(document.clone()))
        };
        self.numbered(snapshot).into_iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn nested_names(parent: &str, object: &Map<String, Value>, names: &mut Vec<String>) {
    for (key, value) in object {
        let name = if parent.is_empty() { key.clone() } else { format!("{parent}.{key}") };
        nested_names_of_value(&name, value, names);
        names.push(name);
    }
}

fn nested_names_of_value(name: &str, value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(object) => nested_names(name, object, names),
        Value::Array(items) => {
            items.iter().for_each(|item| nested_names_of_value(name, item, names));
        }
        _ => {}
    }
}

fn random_settings(random: &mut Random) -> Value {
    let mut filterable: Vec<Value> = random
        .some(&ATTRIBUTES, 60)
        .into_iter()
        .map(|name| match random.below(5) {
            0 => json!({ "attributePatterns": [format!("{name}*")],
                "features": { "facetSearch": true, "filter": { "equality": true, "comparison": true } } }),
            _ => json!(name),
        })
        .collect();
    if random.percent(10) {
        filterable.push(json!({ "attributePatterns": ["*"],
            "features": { "facetSearch": true, "filter": { "equality": true, "comparison": true } } }));
    }
    let mut rules = vec!["words", "sort"];
    if random.percent(30) {
        rules.insert(random.below(3), random.pick(&["n:asc", "s:desc", "m:asc", "o.x:desc"]));
    }
    let mut settings = json!({
        "filterableAttributes": filterable,
        "sortableAttributes": random.share_of(&ATTRIBUTES, 70),
        "rankingRules": rules,
        "searchableAttributes": ["text"],
        "faceting": { "maxValuesPerFacet": *random.one_of(&[100, 100, 3, 1]),
            "sortFacetValuesBy": { "*": *random.one_of(&["alpha", "count"]) } },
    });
    if random.percent(30) {
        settings["distinctAttribute"] = json!(random.one_of(&ATTRIBUTES));
    }
    settings
}

fn random_document(random: &mut Random, id: &str) -> Map<String, Value> {
    let mut document = Map::new();
    document.insert("id".to_owned(), json!(id));
    document.insert("text".to_owned(), json!(random.one_of(&WORDS)));
    let mut put = |name: &str, value: Value| drop(document.insert(name.to_owned(), value));
    if random.percent(85) {
        put("n", if random.percent(85) { number(random) } else { any(random) });
    }
    if random.percent(85) {
        put("s", if random.percent(85) { text(random) } else { any(random) });
    }
    if random.percent(60) {
        let items = (0..random.below(4)).map(|_| scalar(random)).collect();
        put("t", Value::Array(items));
    }
    match random.below(6) {
        0 => put("o", any(random)),
        1 => put("o", json!({ "x": scalar(random), "y": any(random) })),
        2 => put("o", json!([{ "x": scalar(random) }, { "y": number(random) }, text(random)])),
        3 => put("o.x", any(random)),
        4 => put("o", json!({ "x": [scalar(random), scalar(random)] })),
        _ => {}
    }
    if random.percent(50) {
        put("b", json!(random.percent(50)));
    }
    if random.percent(70) {
        put("m", any(random));
    }
    document
}

fn number(random: &mut Random) -> Value {
    let number = *random.one_of(&NUMBERS);
    if number.fract() == 0.0 && random.percent(70) { json!(number as i64) } else { json!(number) }
}

fn text(random: &mut Random) -> Value {
    json!(random.one_of(&TEXTS))
}

fn scalar(random: &mut Random) -> Value {
    match random.below(10) {
        0..4 => number(random),
        4..8 => text(random),
        8 => json!(random.percent(50)),
        _ => Value::Null,
    }
}

fn any(random: &mut Random) -> Value {
    match random.below(12) {
        0 => Value::Null,
        1 => json!(""),
        2 => json!([]),
        3 => json!({}),
        4 => json!([scalar(random), scalar(random)]),
        5 => json!([[scalar(random)], scalar(random)]),
        _ => scalar(random),
    }
}
