//! A small index in memory, with a file of every kind, for the targets that search it or damage it.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use index::{Index, Options, VectorOrigin};
use model::Cancel;
use search::{Criteria, Query};
use segment::{Directory, MemoryDirectory};
use serde_json::{Value, json};
use time::OffsetDateTime;
use vectors::{Metric, StoreOptions};

/// Somebody always waits.
pub static WANTED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

/// Documents in two segments, with words of several scripts, values, places, vectors, and one of
/// them deleted.
pub fn small_index(directory: Arc<MemoryDirectory>) -> Index {
    let index = Index::create_with(directory, NOW, Options::default()).expect("an index");
    let mut writer = index.writer().expect("a writer");
    writer.set_primary_key(Some("id"));
    writer.set_settings(json!({
        "searchableAttributes": ["title", "text"],
        "filterableAttributes": ["genre", "pages", "_geo", "_geojson"],
        "sortableAttributes": ["pages", "_geo"],
        "stopWords": ["the"],
        "synonyms": { "ship": ["boat", "sailing vessel"] },
        "rankingRules": [
            "words", "typo", "proximity", "attribute", "sort", "exactness", "pages:desc"
        ],
    }));
    writer.commit(&[], NOW).expect("a commit");
    put(&index, &documents()[..3]);
    put(&index, &documents()[3..]);
    let snapshot = index.snapshot();
    let mut writer = index.writer().expect("a writer");
    writer.reset_embedder("e", StoreOptions { dimensions: 2, metric: Metric::Cosine });
    let origin = VectorOrigin { given: true, regenerate: false };
    for id in 0..5_u16 {
        let doc_id = snapshot.doc_id(&id.to_string()).expect("readable").expect("a document");
        let vectors = [[f32::from(id), 1.0], [0.5, -f32::from(id)]];
        writer.set_vectors(doc_id, "e", &vectors, origin).expect("room");
    }
    writer.delete("5").expect("a document");
    writer.commit(&[], NOW).expect("a commit");
    index
}

/// The files of the small index, with their names.
pub fn index_files() -> Vec<(String, Vec<u8>)> {
    let directory = Arc::new(MemoryDirectory::new());
    drop(small_index(Arc::clone(&directory)));
    let names = directory.list().expect("names");
    let read = |(name, _): (String, u64)| {
        let bytes = directory.open(&name).expect("a file").to_vec();
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

fn put(index: &Index, documents: &[Value]) {
    let mut writer = index.writer().expect("a writer");
    for document in documents {
        let fields = document.as_object().expect("an object").keys().map(String::as_str);
        let id = document["id"].to_string();
        writer.upsert(&id, &document.to_string(), fields.collect::<Vec<_>>()).expect("room");
    }
    writer.commit(&[], NOW).expect("a commit");
}

fn documents() -> Vec<Value> {
    vec![
        json!({"id": 0, "title": "The Quiet Harbour", "text": "boats, salt and rope", "pages": 212,
               "genre": ["sea", "calm"], "_geo": {"lat": 48.1, "lng": 11.5}}),
        json!({"id": 1, "title": "Salt and Copper", "text": "a sailing ship", "pages": 348.5,
               "genre": "sea", "_geo": {"lat": -33.9, "lng": 151.2}}),
        json!({"id": 2, "title": "東京の夜", "text": "夜 の 港 harbor", "pages": null, "genre": ""}),
        json!({"id": 3, "title": "Ein stiller Hafen", "text": "Straße, Größe, naïve café",
               "pages": 7, "_geojson": {"type": "Polygon", "coordinates":
               [[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]]]}}),
        json!({"id": 4, "title": "quiet quiet", "text": "the the the", "nested": {"a": [1, "b"]}}),
        json!({"id": 5, "title": "gone", "text": "deleted soon", "pages": 1}),
    ]
}

/// A search for a text.
pub fn query_for(text: &str) -> Query<'_> {
    Query {
        text: Some(text),
        vector: None,
        boosts: None,
        is_hybrid: false,
        criteria: Cow::Owned(Criteria::default()),
        filter: None,
        sort: &[],
        pins: &[],
        offset: 0,
        limit: 20,
        exhaustive: false,
        with_scores: true,
        with_words: true,
        deadline: Instant::now() + Duration::from_secs(60),
        cancel: &WANTED,
    }
}
