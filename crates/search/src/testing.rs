//! A small in-memory index for unit tests, with queries on it.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use filter::{Order, SortItem};
use index::{Index, Options, Snapshot, VectorOrigin};
use model::Cancel;
use segment::{DocId, MemoryDirectory};
use serde_json::{Value, json};
use time::OffsetDateTime;
use vectors::{Metric, Store, StoreOptions};

use crate::criteria::Criteria;
use crate::error::SearchError;
use crate::found::SearchResults;
use crate::query::Query;
use crate::strategy::Strategy;

/// A handle that is never cancelled.
static NOT_CANCELLED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

pub(crate) struct TestIndex {
    index: Index,
}

impl TestIndex {
    /// Creates an index. Settings are in the form of the settings route. Documents come in two
    /// commits, so that they are in two segments.
    pub fn new(settings: Value, documents: &[Value]) -> Self {
        let directory = Arc::new(MemoryDirectory::new());
        let now = OffsetDateTime::UNIX_EPOCH;
        let index = Index::create_with(directory, now, Options::default()).expect("an index");
        let mut writer = index.writer().expect("a writer");
        writer.set_primary_key(Some("id"));
        writer.set_settings(settings);
        writer.commit(&[], now).expect("a commit");
        let index = Self { index };
        let half = documents.len().div_ceil(2).max(1);
        documents.chunks(half).for_each(|part| index.put(part));
        index
    }

    /// Creates documents with one attribute `t`, with ids from 1.
    pub fn of_texts(settings: Value, texts: &[&str]) -> Self {
        let documents: Vec<Value> =
            (1..).zip(texts).map(|(id, text)| json!({ "id": id, "t": text })).collect();
        Self::new(settings, &documents)
    }

    /// Adds or replaces documents, in a segment of their own.
    pub fn put(&self, documents: &[Value]) {
        let mut writer = self.index.writer().expect("a writer");
        for document in documents {
            let fields = document.as_object().expect("an object").keys().map(String::as_str);
            let id = document["id"].to_string();
            writer.upsert(&id, &document.to_string(), fields.collect::<Vec<_>>()).expect("room");
        }
        writer.commit(&[], OffsetDateTime::UNIX_EPOCH).expect("a commit");
    }

    pub fn delete(&self, ids: &[u64]) {
        let mut writer = self.index.writer().expect("a writer");
        for id in ids {
            writer.delete(&id.to_string()).expect("a document");
        }
        writer.commit(&[], OffsetDateTime::UNIX_EPOCH).expect("a commit");
    }

    /// Runs the merges that are due.
    pub fn merge(&self) {
        while let Some(plan) = self.index.next_merge() {
            self.index.run_merge(plan, &Cancel::default()).expect("merged");
        }
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.index.snapshot()
    }

    /// Runs the default query, modified by `change`.
    pub fn run<'q>(&self, change: impl FnOnce(&mut Query<'q>)) -> Result<Answer, SearchError> {
        let mut query = usual_query();
        change(&mut query);
        let snapshot = self.snapshot();
        let found = crate::run(&snapshot, &query)?;
        Ok(Answer { found, snapshot })
    }

    /// Gives documents vectors of the embedder `e`.
    pub fn set_vectors(&self, vectors: &[(u64, &[[f32; 2]])]) {
        let snapshot = self.snapshot();
        let mut writer = self.index.writer().expect("a writer");
        if !writer.has_embedder("e") {
            let options = StoreOptions { dimensions: 2, metric: Metric::Cosine };
            writer.reset_embedder("e", options);
        }
        let origin = VectorOrigin { given: true, regenerate: false };
        for (id, vectors) in vectors {
            let doc_id = snapshot.doc_id(&id.to_string()).expect("readable").expect("a document");
            writer.set_vectors(doc_id, "e", vectors, origin).expect("room");
        }
        writer.commit(&[], OffsetDateTime::UNIX_EPOCH).expect("a commit");
    }

    /// Returns the vectors of the embedder `e`.
    pub fn store(&self) -> Store {
        self.snapshot().embedder("e").expect("an embedder").store().clone()
    }

    pub fn find(&self, text: &str, strategy: Strategy) -> Answer {
        self.run(|query| {
            (query.text, query.criteria.to_mut().matching_strategy) = (Some(text), strategy);
        })
        .expect("an answer")
    }

    /// Runs a query with a sort.
    pub fn run_sorted<'q>(
        &self,
        sort: &'q [SortItem],
        change: impl FnOnce(&mut Query<'q>),
    ) -> Result<Answer, SearchError> {
        self.run(|query| {
            query.sort = sort;
            change(query);
        })
    }

    /// Returns the ids of all documents in this order.
    pub fn sorted(&self, sort: &[SortItem]) -> Vec<u64> {
        self.run_sorted(sort, |_| ()).expect("an answer").ids()
    }
}

pub(crate) fn usual_query<'q>() -> Query<'q> {
    Query {
        text: None,
        vector: None,
        criteria: Cow::Owned(Criteria::default()),
        filter: None,
        sort: &[],
        boosts: None,
        is_hybrid: false,
        pins: &[],
        offset: 0,
        limit: 20,
        exhaustive: false,
        with_scores: true,
        with_words: false,
        deadline: Instant::now() + Duration::from_secs(60),
        cancel: &NOT_CANCELLED,
    }
}

pub(crate) struct Answer {
    pub found: SearchResults,
    pub snapshot: Arc<Snapshot>,
}

impl Answer {
    pub fn ids(&self) -> Vec<u64> {
        self.found.hits.iter().map(|hit| self.id(hit.doc_id)).collect()
    }

    /// Returns ids with scores to four decimals.
    pub fn ranked(&self) -> Vec<(u64, f64)> {
        let score = |score: f64| (score * 1e4).round() / 1e4;
        self.found.hits.iter().map(|hit| (self.id(hit.doc_id), score(hit.score))).collect()
    }

    /// Returns one member of the details of each hit.
    pub fn details(&self, pointer: &str) -> Vec<Value> {
        let detail = |hit: &crate::Hit| {
            let details = Value::Object(hit.details());
            details.pointer(pointer).cloned().unwrap_or(Value::Null)
        };
        self.found.hits.iter().map(detail).collect()
    }

    pub fn total(&self) -> u64 {
        self.found.candidates.len()
    }

    pub fn id(&self, doc_id: DocId) -> u64 {
        id_of(&self.snapshot, doc_id)
    }
}

pub(crate) fn id_of(snapshot: &Snapshot, doc_id: DocId) -> u64 {
    let document = snapshot.document(doc_id).expect("readable").expect("a document");
    let document: Value = serde_json::from_str(&document).expect("JSON");
    document["id"].as_u64().expect("an id")
}

pub(crate) fn asc(name: &str) -> SortItem {
    SortItem::Attribute { name: name.to_owned(), order: Order::Asc }
}

pub(crate) fn desc(name: &str) -> SortItem {
    SortItem::Attribute { name: name.to_owned(), order: Order::Desc }
}

/// Returns settings with one searchable attribute `t`.
pub(crate) fn one_attribute() -> Value {
    json!({ "searchableAttributes": ["t"] })
}
