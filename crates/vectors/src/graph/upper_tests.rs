//! Tests which clusters have members in the layer above.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::Cancel;
use segment::{Directory, DocId, MemoryDirectory};

use crate::options::{Metric, StoreOptions};
use crate::store::Store;

const DIMENSIONS: usize = 24;
const CLUSTERS: u32 = 80;
const SIZE: u32 = 60;

fn numbers(seed: u32) -> impl Iterator<Item = f32> {
    let mut state = u64::from(seed) + 1;
    let next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        Some((state >> 40) as f32 / (1 << 23) as f32 - 1.0)
    };
    // The first few numbers of neighbouring seeds are much alike.
    std::iter::from_fn(next).skip(4)
}

fn cluster_of(doc_id: DocId) -> u32 {
    doc_id / SIZE
}

/// Writes cluster by cluster: each starts among others whose rows are full.
fn in_clusters(directory: &Arc<dyn Directory>, metric: Metric) -> Store {
    let options = StoreOptions { dimensions: DIMENSIONS, metric };
    let mut writer = Store::new(options).writer(directory, "v", 1);
    for doc_id in 0..CLUSTERS * SIZE {
        let center = numbers(1_000_000 + cluster_of(doc_id));
        let vector = center.zip(numbers(doc_id)).map(|(center, own)| center + 0.05 * own);
        writer.set(doc_id, &[vector.take(DIMENSIONS).collect::<Vec<f32>>()]).unwrap();
    }
    writer.finish(1, &Cancel::default()).unwrap()
}

/// Returns the live documents of layer 1.
fn above(store: &Store) -> BTreeSet<DocId> {
    let state = store.state();
    let layer = &state.graph.layers[1];
    let members = (0..layer.length()).filter_map(|index| layer.member(index).unwrap());
    let rows = members.filter_map(|member| state.files.locate(member.node));
    let living = rows.filter(|(numbered, row)| !numbered.is_dead(*row));
    living.filter_map(|(numbered, row)| numbered.file.owner(row).unwrap()).collect()
}

fn clusters_above(store: &Store) -> usize {
    above(store).iter().map(|doc_id| cluster_of(*doc_id)).collect::<BTreeSet<u32>>().len()
}

#[test]
fn every_cluster_is_in_the_layer_above_as_soon_as_it_is_written() {
    for metric in [Metric::Cosine, Metric::Euclidean] {
        let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
        let store = in_clusters(&directory, metric);
        assert_eq!(clusters_above(&store), CLUSTERS as usize, "{metric:?}");
        let members = above(&store).len();
        let by_lot = (CLUSTERS * SIZE / 16) as usize;
        assert!((by_lot..2 * by_lot).contains(&members), "{metric:?}: {members}");
    }
}

/// Deletes all members of the layer above, and others beside them.
#[test]
fn a_merge_brings_back_what_the_layers_above_have_lost() {
    let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
    let store = in_clusters(&directory, Metric::Cosine);
    let mut generation = 1;
    let mut merge = |store: &Store| {
        let mut next = || {
            generation += 1;
            generation
        };
        store.merge(&directory, "v", &mut next, 1, &Cancel::default()).unwrap().unwrap()
    };
    let store = merge(&store);
    let mut writer = store.writer(&directory, "v", 1000);
    above(&store).into_iter().for_each(|doc_id| writer.remove(doc_id));
    (0..CLUSTERS * SIZE).filter(|id| id % 9 < 4).for_each(|doc_id| writer.remove(doc_id));
    let store = writer.finish(1, &Cancel::default()).unwrap();
    assert!(above(&store).is_empty());

    let store = merge(&store);
    assert_eq!(clusters_above(&store), CLUSTERS as usize);
    let living = store.number_of_vectors() as usize;
    assert!(above(&store).len() < living / 8, "{} of {living}", above(&store).len());
}
