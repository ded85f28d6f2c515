//! The engine as the tests see it: the only place here that knows its interface.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use index::{Index, Options, Snapshot, Writer};
use model::Cancel;
use search::{Criteria, Query, SearchError, Strategy};
use segment::MemoryDirectory;
use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::cases::{Ask, Batch, COPY_STEP, Change, World};

pub use search::{Hit, SearchResults};

/// One state of an index.
pub type State = Arc<Snapshot>;

/// Builds the index of a world, batch by batch.
pub fn build(world: &World) -> State {
    let options = Options { buffer_bytes: world.buffer_bytes, ..Options::default() };
    let directory = Arc::new(MemoryDirectory::new());
    let now = OffsetDateTime::UNIX_EPOCH;
    let index = Index::create_with(directory, now, options).unwrap();
    if world.settings_first {
        set_settings(&index, &world.settings);
    }
    for batch in &world.batches {
        apply(&index, batch, world.copies);
    }
    if !world.settings_first {
        set_settings(&index, &world.settings);
    }
    index.snapshot()
}

fn set_settings(index: &Index, settings: &Value) {
    let change = settings::Change::of_many(settings.clone()).unwrap();
    let stored = change.apply(&Value::Null).unwrap();
    let mut writer = index.writer().unwrap();
    writer.set_settings(stored);
    writer.commit(&[], OffsetDateTime::UNIX_EPOCH).unwrap();
}

fn apply(index: &Index, batch: &Batch, copies: u64) {
    let mut writer = index.writer().unwrap();
    writer.set_primary_key(Some("id"));
    for copy in 0..copies {
        batch.changes.iter().for_each(|change| apply_change(&mut writer, change, copy));
    }
    writer.commit(&[], OffsetDateTime::UNIX_EPOCH).unwrap();
    if batch.merges {
        index.compact(&Cancel::default()).unwrap();
    }
}

fn apply_change(writer: &mut Writer<'_>, change: &Change, copy: u64) {
    match change {
        Change::Delete(id) => drop(writer.delete(&copy_id(*id, copy)).unwrap()),
        Change::Upsert(document) => {
            let id = copy_id(document["id"].as_u64().unwrap(), copy);
            let mut document = document.clone();
            document["id"] = serde_json::from_str(&id).unwrap();
            let fields = document.as_object().into_iter().flatten();
            let fields: Vec<&str> = fields.map(|(name, _)| name.as_str()).collect();
            writer.upsert(&id, &document.to_string(), fields).unwrap();
        }
    }
}

fn copy_id(id: u64, copy: u64) -> String {
    (id + copy * COPY_STEP).to_string()
}

/// The live documents with the numbers that one copy of them has in the index.
pub fn numbered(state: &State, world: &World, copy: u64) -> Vec<(u32, Map<String, Value>)> {
    let documents = world.documents().into_iter().map(|(id, document)| {
        let doc_id = state.doc_id(&copy_id(id, copy)).unwrap();
        (doc_id.expect("a document is missing"), document.as_object().cloned().unwrap_or_default())
    });
    let documents: Vec<_> = documents.collect();
    assert_eq!(state.number_of_documents(), documents.len() as u64 * world.copies);
    documents
}

/// The window of hits, and how its total is counted.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub offset: usize,
    pub limit: usize,
    pub with_scores: bool,
    pub threshold: Option<f64>,
    pub exhaustive: bool,
    /// The time for ranking is over before it begins.
    pub is_late: bool,
}

impl Window {
    pub const ALL: Self = Self {
        offset: 0,
        limit: 100_000,
        with_scores: true,
        threshold: None,
        exhaustive: false,
        is_late: false,
    };
}

pub fn ask(state: &State, ask: &Ask, window: Window) -> Result<SearchResults, SearchError> {
    let cancel = Cancel::default();
    let strategy = match ask.strategy.as_str() {
        "all" => Strategy::All,
        "frequency" => Strategy::Frequency,
        _ => Strategy::Last,
    };
    let sort = filter::parse_sort(&ask.sort).unwrap();
    let hours = if window.is_late { 0 } else { 1 };
    let criteria = Criteria {
        matching_strategy: strategy,
        attributes_to_search_on: ask.attributes.clone(),
        ranking_score_threshold: window.threshold,
        distinct: ask.distinct.clone(),
        ..Criteria::default()
    };
    let query = Query {
        vector: None,
        boosts: None,
        is_hybrid: false,
        text: Some(&ask.text),
        criteria: Cow::Owned(criteria),
        filter: None,
        sort: &sort,
        pins: &[],
        offset: window.offset,
        limit: window.limit,
        exhaustive: window.exhaustive,
        with_scores: window.with_scores,
        with_words: false,
        deadline: Instant::now() + Duration::from_secs(hours * 3600),
        cancel: &cancel,
    };
    search::run(state, &query)
}
