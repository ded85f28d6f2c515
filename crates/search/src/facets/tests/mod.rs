//! Facets over a real index of several segments, with documents that were replaced and deleted.

mod counting;
mod found;
mod messages;
mod naive;
mod random;
mod shown;

use std::sync::Arc;
use std::sync::LazyLock;

use index::{Index, Snapshot};
use model::Cancel;
use roaring::RoaringBitmap;
use segment::MemoryDirectory;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::{FacetQuery, distribution, search};
use crate::error::SearchError;

/// A handle that is never cancelled.
static NOT_CANCELLED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

pub(super) struct Shelf {
    index: Index,
}

impl Shelf {
    pub fn new(settings: &Value) -> Self {
        let directory = Arc::new(MemoryDirectory::new());
        let shelf = Self { index: Index::create(directory, OffsetDateTime::UNIX_EPOCH).unwrap() };
        shelf.set(settings);
        shelf
    }

    fn set(&self, settings: &Value) {
        let mut writer = self.index.writer().unwrap();
        writer.set_settings(settings.clone());
        writer.commit(b"", OffsetDateTime::UNIX_EPOCH).unwrap();
    }

    /// One segment.
    pub fn write(&self, documents: &[Value]) {
        let mut writer = self.index.writer().unwrap();
        for document in documents {
            let object = document.as_object().unwrap();
            let names = object.keys().map(String::as_str);
            writer.upsert(&object["id"].to_string(), &document.to_string(), names).unwrap();
            let mut nested = Vec::new();
            note_names(object, "", &mut nested);
            writer.register_fields(nested.iter().map(String::as_str));
        }
        writer.commit(b"", OffsetDateTime::UNIX_EPOCH).unwrap();
    }

    pub fn delete(&self, ids: impl IntoIterator<Item = u32>) {
        let mut writer = self.index.writer().unwrap();
        for id in ids {
            writer.delete(&id.to_string()).unwrap();
        }
        writer.commit(b"", OffsetDateTime::UNIX_EPOCH).unwrap();
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.index.snapshot()
    }

    pub fn candidates(&self, ids: impl IntoIterator<Item = u32>) -> RoaringBitmap {
        let snapshot = self.snapshot();
        ids.into_iter().filter_map(|id| snapshot.doc_id(&id.to_string()).unwrap()).collect()
    }

    /// Over all documents: values in their order.
    fn values(&self, facet: &str) -> String {
        self.values_of(facet, self.snapshot().live())
    }

    fn values_of(&self, facet: &str, candidates: &RoaringBitmap) -> String {
        let facets =
            distribution(&self.snapshot(), candidates, &[facet.to_owned()], &NOT_CANCELLED)
                .unwrap();
        let attribute = facets.distribution.iter().find(|(name, _)| name == facet);
        attribute.map_or_else(|| "absent".to_owned(), |(_, values)| listed(values))
    }

    fn names(&self, patterns: &[&str]) -> String {
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        let snapshot = self.snapshot();
        let facets = distribution(&snapshot, snapshot.live(), &patterns, &NOT_CANCELLED).unwrap();
        let names: Vec<String> = facets.distribution.into_iter().map(|(name, _)| name).collect();
        names.join(" ")
    }

    fn find(&self, facet: &str, text: Option<&str>) -> String {
        self.find_among(facet, text, self.snapshot().live())
    }

    fn find_among(&self, facet: &str, text: Option<&str>, candidates: &RoaringBitmap) -> String {
        let query = FacetQuery { facet, text, locales: None };
        listed(&search(&self.snapshot(), &query, candidates, &Cancel::default()).unwrap())
    }

    fn refusal(&self, facet: &str) -> String {
        let snapshot = self.snapshot();
        let refused = distribution(&snapshot, snapshot.live(), &[facet.to_owned()], &NOT_CANCELLED);
        match refused {
            Err(SearchError::Facets(message)) => message,
            other => format!("{other:?}"),
        }
    }

    fn search_refusal(&self, facet: &str) -> String {
        let snapshot = self.snapshot();
        let query = FacetQuery { facet, text: None, locales: None };
        let refused = search(&snapshot, &query, snapshot.live(), &Cancel::default());
        match refused {
            Err(SearchError::NotFacetSearchable(message)) => message,
            other => format!("{other:?}"),
        }
    }
}

fn listed(values: &[(String, u64)]) -> String {
    let values: Vec<String> =
        values.iter().map(|(name, count)| format!("{name}={count}")).collect();
    values.join(", ")
}

fn note_names(object: &Map<String, Value>, outer: &str, names: &mut Vec<String>) {
    for (name, value) in object {
        let name = if outer.is_empty() { name.clone() } else { format!("{outer}.{name}") };
        note_names_in(value, &name, names);
        names.push(name);
    }
}

fn note_names_in(value: &Value, name: &str, names: &mut Vec<String>) {
    match value {
        Value::Object(object) => note_names(object, name, names),
        Value::Array(items) => items.iter().for_each(|item| note_names_in(item, name, names)),
        _ => {}
    }
}

/// Everything can be filtered by and searched.
fn open_rule() -> Value {
    let all = json!({ "facetSearch": true, "filter": { "equality": true, "comparison": true } });
    json!([{ "attributePatterns": ["*"], "features": all }])
}
