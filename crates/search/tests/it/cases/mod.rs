//! Random indexes and queries, the same for the same seed, and small enough that accidents are
//! frequent: words that are typos, beginnings, parts or concatenations of each other.
//!
//! A case is JSON, so that one which fails can be printed, made smaller and run again.

mod documents;
mod history;
mod queries;
mod settings;
mod shrink;
mod values;
mod vocabulary;

use serde_json::{Value, json};
use testkit::Random;

pub use shrink::shrink;

/// An index with its past.
#[derive(Debug, Clone)]
pub struct World {
    /// The form of the settings route.
    pub settings: Value,
    /// Whether the settings come before the documents.
    pub settings_first: bool,
    /// Memory for documents before a segment is written.
    pub buffer_bytes: usize,
    /// How often the index holds each document: more than once to be large.
    pub copies: u64,
    pub batches: Vec<Batch>,
}

/// How far apart the ids of two copies are.
pub const COPY_STEP: u64 = 1000;

#[derive(Debug, Clone)]
pub struct Batch {
    pub changes: Vec<Change>,
    /// Whether segments are merged afterwards.
    pub merges: bool,
}

#[derive(Debug, Clone)]
pub enum Change {
    Upsert(Value),
    /// By the value of `id`.
    Delete(u64),
}

/// A search, in the parameters of the search route.
#[derive(Debug, Clone)]
pub struct Ask {
    pub text: String,
    pub strategy: String,
    pub attributes: Option<Vec<String>>,
    pub sort: Vec<String>,
    pub distinct: Option<String>,
}

/// Creates a world with `copies` of each document, and queries that suit it.
pub fn random_world(seed: u64, number_of_queries: usize, copies: u64) -> (World, Vec<Ask>) {
    let mut random = Random(seed);
    random.draw();
    let vocabulary = vocabulary::random_vocabulary(&mut random);
    let settings = settings::random_settings(&mut random, &vocabulary);
    let mut world = World {
        settings_first: random.percent(80),
        buffer_bytes: if random.percent(50) { 300 } else { 1 << 20 },
        copies: 1,
        batches: history::random_batches(&mut random, &vocabulary),
        settings,
    };
    if copies > 1 {
        world.copy_documents(copies);
    }
    let documents = world.documents();
    let mut asks: Vec<Ask> = (0..number_of_queries)
        .map(|_| queries::random_ask(&mut random, &vocabulary, &world.settings, &documents))
        .collect();
    values::add_values(&mut random, &mut world, &mut asks);
    (world, asks)
}

impl World {
    /// Copies differ in their ids, so these are not searched.
    fn copy_documents(&mut self, copies: u64) {
        self.copies = copies;
        self.buffer_bytes *= copies as usize;
        let searchable = match self.settings["searchableAttributes"].as_array() {
            Some(names) => names.iter().filter(|name| **name != "id").cloned().collect(),
            None => json!(["title", "body", "tags", "meta", "parts", "flag"]),
        };
        self.settings["searchableAttributes"] = searchable;
    }

    /// The documents that are left in the end, by `id`, without copies.
    pub fn documents(&self) -> Vec<(u64, Value)> {
        let mut documents: Vec<(u64, Value)> = Vec::new();
        for change in self.batches.iter().flat_map(|batch| &batch.changes) {
            match change {
                Change::Delete(id) => documents.retain(|(other, _)| other != id),
                Change::Upsert(document) => {
                    let id = document["id"].as_u64().unwrap_or_default();
                    match documents.iter_mut().find(|(other, _)| *other == id) {
                        Some((_, old)) => *old = document.clone(),
                        None => documents.push((id, document.clone())),
                    }
                }
            }
        }
        documents
    }

    /// Returns the world with the same documents, written at once.
    pub fn without_history(&self) -> Self {
        let changes = self.documents().into_iter().map(|(_, document)| Change::Upsert(document));
        Self {
            settings: self.settings.clone(),
            settings_first: true,
            buffer_bytes: 1 << 20,
            copies: self.copies,
            batches: vec![Batch { changes: changes.collect(), merges: false }],
        }
    }

    pub fn to_json(&self, ask: &Ask) -> Value {
        let change = |change: &Change| match change {
            Change::Upsert(document) => document.clone(),
            Change::Delete(id) => json!({"delete": id}),
        };
        let batch = |batch: &Batch| {
            let changes: Vec<Value> = batch.changes.iter().map(change).collect();
            json!({"merges": batch.merges, "changes": changes})
        };
        json!({
            "settings": self.settings,
            "settingsFirst": self.settings_first,
            "bufferBytes": self.buffer_bytes,
            "copies": self.copies,
            "batches": self.batches.iter().map(batch).collect::<Vec<_>>(),
            "query": {
                "q": ask.text,
                "matchingStrategy": ask.strategy,
                "attributesToSearchOn": ask.attributes,
                "sort": ask.sort,
                "distinct": ask.distinct,
            },
        })
    }

    /// Returns `None` if it is not the JSON of a case.
    pub fn from_json(json: &Value) -> Option<(Self, Ask)> {
        let change = |value: &Value| match value["delete"].as_u64() {
            Some(id) => Some(Change::Delete(id)),
            None => value["id"].as_u64().map(|_| Change::Upsert(value.clone())),
        };
        let batch = |value: &Value| {
            let changes: Option<Vec<Change>> =
                value["changes"].as_array()?.iter().map(change).collect();
            Some(Batch { changes: changes?, merges: value["merges"].as_bool()? })
        };
        let batches: Option<Vec<Batch>> = json["batches"].as_array()?.iter().map(batch).collect();
        let world = Self {
            settings: json["settings"].as_object()?.clone().into(),
            settings_first: json["settingsFirst"].as_bool()?,
            buffer_bytes: json["bufferBytes"].as_u64()? as usize,
            copies: json["copies"].as_u64()?,
            batches: batches?,
        };
        let strings = |name: &str| {
            let items = json["query"][name].as_array()?;
            Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>())
        };
        let ask = Ask {
            text: json["query"]["q"].as_str()?.to_owned(),
            strategy: json["query"]["matchingStrategy"].as_str()?.to_owned(),
            attributes: strings("attributesToSearchOn"),
            sort: strings("sort").unwrap_or_default(),
            distinct: json["query"]["distinct"].as_str().map(str::to_owned),
        };
        Some((world, ask))
    }
}
