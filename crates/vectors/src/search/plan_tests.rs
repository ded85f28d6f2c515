//! Tests of where the documents of a filter lie relative to the query.

use std::sync::Arc;

use model::Cancel;
use roaring::RoaringBitmap;
use segment::{Directory, DocId, MemoryDirectory};

use super::plan::SAMPLE;
use super::result_filter::ResultFilter;
use super::{Request, Search};
use crate::options::{Metric, StoreOptions};
use crate::store::Store;

const COUNT: DocId = 4000;

/// Even documents lie around the first axis, odd ones around the second, each with a little of a
/// third direction that is different for any two.
fn vector(doc_id: DocId) -> [f32; 3] {
    let spread = ((doc_id.wrapping_mul(0x9e37_79b1) >> 16) as f32 / 65_536.0 - 0.5) * 0.4;
    if doc_id.is_multiple_of(2) { [1.0, 0.1, spread] } else { [0.1, 1.0, spread] }
}

fn store() -> Store {
    let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
    let options = StoreOptions { dimensions: 3, metric: Metric::Cosine };
    let mut writer = Store::new(options).writer(&directory, "v", 1);
    for doc_id in 0..COUNT {
        writer.set(doc_id, &[vector(doc_id)]).unwrap();
    }
    writer.finish(1, &Cancel::default()).unwrap()
}

/// Runs `ask` on a search for a vector under a filter.
fn ask<T>(
    store: &Store,
    query: &[f32],
    filter: &RoaringBitmap,
    question: impl FnOnce(&Search<'_>) -> T,
) -> T {
    let (state, cancel) = (store.state(), &Cancel::default());
    let request = &Request { limit: 10, filter: Some(filter), nth: None, cancel, ef: None };
    let mut row = Vec::new();
    state.space.encode(query, &mut row);
    question(&Search { state, query: &row, request, accepted: ResultFilter::new(state, request) })
}

fn is_apart(store: &Store, query: &[f32], filter: &RoaringBitmap) -> bool {
    ask(store, query, filter, |search| {
        search.is_apart(&search.sample(filter, SAMPLE).unwrap()).unwrap()
    })
}

#[test]
fn a_set_away_from_the_query_is_apart() {
    let store = store();
    let odd: RoaringBitmap = (1..COUNT).step_by(2).collect();
    assert!(is_apart(&store, &vector(0), &odd));
    assert!(!is_apart(&store, &vector(1), &odd));
    // One in seven of either kind.
    let mixed: RoaringBitmap = (0..COUNT).step_by(7).collect();
    assert!(!is_apart(&store, &vector(0), &mixed));
    assert!(!is_apart(&store, &vector(1), &mixed));
}

/// The numbers of passing documents may all but a few lie close together.
#[test]
fn a_sample_is_as_large_for_any_numbers() {
    let store = store();
    let mut filter: RoaringBitmap = (100..400).collect();
    filter.insert(COUNT - 1);
    let sample = ask(&store, &vector(0), &filter, |search| search.sample(&filter, SAMPLE).unwrap());
    assert_eq!(sample.len() as u64, SAMPLE);
    let nodes: RoaringBitmap = sample.iter().map(|start| start.index).collect();
    assert_eq!(nodes.len(), SAMPLE);
    let few = RoaringBitmap::from([7, 9]);
    let sample = ask(&store, &vector(0), &few, |search| search.sample(&few, SAMPLE).unwrap());
    assert_eq!(sample.iter().map(|start| start.index).collect::<Vec<_>>(), [7, 9]);
}
