//! Tests of walks that accept few nodes, where stores of this size would plan an exact scan.

use std::sync::Arc;

use model::Cancel;
use segment::{Directory, MemoryDirectory};

use super::walk::{Accept, SearchWidth, Walk};
use crate::error::Result;
use crate::numbered_files::NumberedFiles;
use crate::options::{Metric, StoreOptions};
use crate::store::Store;

const DIMENSIONS: usize = 12;
const SEARCH_WIDTH: SearchWidth =
    SearchWidth { ef: 100, limit: 10, patience: usize::MAX, neighbours: 24 };

struct Only<F>(F);

impl<F: Fn(u32) -> bool> Accept for Only<F> {
    fn accepts(&self, _: &NumberedFiles, node: u32) -> Result<bool> {
        Ok(self.0(node))
    }
}

fn vector(seed: u32) -> Vec<f32> {
    let mut state = u64::from(seed) + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    // The first few numbers of neighbouring seeds are much alike.
    (0..DIMENSIONS + 4).map(|_| next()).skip(4).collect()
}

fn store(count: u32) -> Store {
    let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
    let options = StoreOptions { dimensions: DIMENSIONS, metric: Metric::Cosine };
    let mut writer = Store::new(options).writer(&directory, "v", 1);
    for doc_id in 0..count {
        writer.set(doc_id, &[vector(doc_id)]).unwrap();
    }
    writer.finish(1, &Cancel::default()).unwrap()
}

/// Returns the share of the ten nearest accepted nodes that walks find.
fn recall(store: &Store, accepts: impl Fn(u32) -> bool) -> f64 {
    let (state, count) = (store.state(), store.documents().len() as u32);
    let accept = Only(&accepts);
    let (mut found, mut possible) = (0, 0);
    for seed in 0..30 {
        let mut query = Vec::new();
        state.space.encode(&vector(1_000_000 + seed), &mut query);
        let distance =
            |node: u32| state.space.distance(&query, state.view().row(node).unwrap().unwrap());
        let mut truth: Vec<u32> = (0..count).filter(|node| accepts(*node)).collect();
        truth.sort_by(|left, right| distance(*left).total_cmp(&distance(*right)));
        truth.truncate(10);

        let mut walk = Walk::new(&state.graph, state.view(), &query);
        let starts = walk.descend(0, &accept).unwrap();
        let nearest = walk.search(0, &starts, SEARCH_WIDTH, &accept, None).unwrap();
        assert!(nearest.iter().all(|candidate| accepts(candidate.index())));
        let nearest: Vec<u32> =
            nearest.iter().take(10).map(|candidate| candidate.index()).collect();
        found += truth.iter().filter(|node| nearest.contains(node)).count();
        possible += truth.len();
    }
    f64::from(found as u32) / f64::from(possible as u32)
}

#[test]
fn nodes_that_are_not_accepted_are_bridged() {
    let store = store(4000);
    for share in [2, 5, 10, 20] {
        let recall =
            recall(&store, |node| node.wrapping_mul(0x9e37_79b1) >> 8 & 0xffff < 0xffff / share);
        assert!(recall >= 0.97, "one in {share}: {recall}");
    }
}

/// The accepted nodes lie together, and most queries start far from them.
#[test]
fn a_way_to_a_far_region_is_found() {
    let store = store(4000);
    let recall = recall(&store, |node| vector(node)[0] > 0.8);
    assert!(recall >= 0.97, "{recall}");
}
