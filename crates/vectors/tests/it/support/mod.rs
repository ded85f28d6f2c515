//! Test support: realistic vectors, a model that scans everything, and a store that commits the way
//! an index does.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::Cancel;
use roaring::RoaringBitmap;
use segment::{Directory, DocId, MemoryDirectory};
use testkit::Random;
use vectors::{Metric, Neighbour, Request, Store, StoreEntry, StoreOptions};

pub const NAME: &str = "v";

/// Candidates in view of searches that have to go through the graph; no more than by default.
pub const GRAPH_EF: usize = 200;

/// Draws random vectors and their components.
pub trait RandomVectors {
    /// About normally distributed.
    fn normal(&mut self) -> f32;

    /// A vector of one of a few groups, as real ones are.
    fn vector(&mut self, dimensions: usize) -> Vec<f32>;
}

impl RandomVectors for Random {
    fn normal(&mut self) -> f32 {
        let sum: f32 = (0..6).map(|_| (self.draw() >> 40) as f32 / (1u64 << 24) as f32).sum();
        (sum - 3.0) * 1.4
    }

    fn vector(&mut self, dimensions: usize) -> Vec<f32> {
        let mut center = Random(self.below(40) + 1);
        (0..dimensions).map(|_| 0.7 * center.normal() + self.normal()).collect()
    }
}

pub fn options(dimensions: usize, metric: Metric) -> StoreOptions {
    StoreOptions { dimensions, metric }
}

/// A store and what it should hold.
pub struct Site {
    pub directory: Arc<dyn Directory>,
    pub store: Store,
    pub model: BTreeMap<DocId, Vec<Vec<f32>>>,
    pub generation: u64,
}

impl Site {
    pub fn new(options: StoreOptions) -> Self {
        Self::on(Arc::new(MemoryDirectory::new()), options)
    }

    pub fn on(directory: Arc<dyn Directory>, options: StoreOptions) -> Self {
        let store = Store::new(options);
        Self { directory, store, model: BTreeMap::new(), generation: 0 }
    }

    /// One commit: documents with their new vectors, none to remove them.
    pub fn commit(&mut self, changes: Vec<(DocId, Vec<Vec<f32>>)>) {
        self.write(changes, 2);
        self.tidy();
    }

    /// Commits, and keeps files that are no longer needed: a merge may be using them.
    pub fn write(&mut self, changes: Vec<(DocId, Vec<Vec<f32>>)>, threads: usize) {
        self.generation += 1;
        let mut writer = self.store.writer(&self.directory, NAME, self.generation);
        for (doc_id, vectors) in changes {
            writer.set(doc_id, &vectors).unwrap();
            if vectors.is_empty() {
                self.model.remove(&doc_id);
            } else {
                self.model.insert(doc_id, vectors);
            }
        }
        self.store = writer.finish(threads, &Cancel::default()).unwrap();
    }

    /// A commit that the model does not hear of, one document after the other, so that nothing
    /// but the store takes memory.
    pub fn commit_unmodelled(&mut self, changes: impl Iterator<Item = (DocId, Vec<f32>)>) {
        self.generation += 1;
        let mut writer = self.store.writer(&self.directory, NAME, self.generation);
        for (doc_id, vector) in changes {
            writer.set(doc_id, &[vector]).unwrap();
        }
        self.store = writer.finish(1, &Cancel::default()).unwrap();
        self.tidy();
    }

    pub fn commit_random(&mut self, ids: impl IntoIterator<Item = DocId>, random: &mut Random) {
        let dimensions = self.store.options().dimensions;
        let changes = ids.into_iter().map(|id| (id, vec![random.vector(dimensions)])).collect();
        self.commit(changes);
    }

    /// Merges until there is nothing to merge.
    pub fn merge(&mut self) {
        let mut rounds = 0;
        while self.store.wants_merge() {
            if let Some(merged) = self.merged(2) {
                self.store = self.store.rebase(&self.store, &merged).unwrap().unwrap();
            }
            self.tidy();
            rounds += 1;
            assert!(rounds < 20, "merging does not end");
        }
    }

    /// Returns the merged store, without replacing the current one.
    pub fn merged(&mut self, threads: usize) -> Option<Store> {
        let generation = &mut self.generation;
        let mut next = || {
            *generation += 1;
            *generation
        };
        self.store.merge(&self.directory, NAME, &mut next, threads, &Cancel::default()).unwrap()
    }

    /// Opens the store again from what a manifest keeps.
    pub fn reopen(&mut self) {
        let json = serde_json::to_string(self.store.entry()).unwrap();
        let entry: StoreEntry = serde_json::from_str(&json).unwrap();
        self.store = Store::open(&self.directory, NAME, &entry).unwrap();
    }

    /// Deletes the files that the store does not need.
    pub fn tidy(&self) {
        let needed = self.store.files();
        for (name, length) in self.directory.list().unwrap() {
            match needed.iter().find(|file| file.name == name) {
                Some(file) => assert_eq!(file.length, length, "{name}"),
                None => self.directory.delete(&name).unwrap(),
            }
        }
    }

    pub fn search(&self, query: &[f32], limit: usize) -> Vec<Neighbour> {
        self.search_in(query, limit, None)
    }

    pub fn search_in(
        &self,
        query: &[f32],
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Vec<Neighbour> {
        self.search_with(query, limit, filter, None)
    }

    pub fn search_with(
        &self,
        query: &[f32],
        limit: usize,
        filter: Option<&RoaringBitmap>,
        ef: Option<usize>,
    ) -> Vec<Neighbour> {
        let cancel = &Cancel::default();
        let request = Request { limit, filter, nth: None, cancel, ef };
        self.store.search(query, &request).unwrap()
    }

    /// The nearest documents by comparing with everything.
    pub fn truth(
        &self,
        query: &[f32],
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Vec<(DocId, f32)> {
        let passing =
            self.model.iter().filter(|(id, _)| filter.is_none_or(|set| set.contains(**id)));
        let mut near: Vec<(DocId, f32)> = passing
            .map(|(id, vectors)| {
                let similarities =
                    vectors.iter().map(|vector| similarity(self.store.options(), query, vector));
                (*id, similarities.fold(0.0, f32::max))
            })
            .collect();
        let order = |left: &(DocId, f32), right: &(DocId, f32)| {
            right.1.total_cmp(&left.1).then(left.0.cmp(&right.0))
        };
        if near.len() > limit {
            near.select_nth_unstable_by(limit, order);
            near.truncate(limit);
        }
        near.sort_by(order);
        near
    }

    /// The share of the ten nearest that are found, as searches go by default and, without a
    /// filter, through the graph: small stores are quicker to compare with, and would show nothing
    /// of it. The lesser counts.
    pub fn recall(&self, queries: usize, seed: u64, filter: Option<&RoaringBitmap>) -> f64 {
        let mut random = Random(seed);
        let (mut found, mut through_graph, mut possible) = (0, 0, 0);
        for _ in 0..queries {
            let query = random.vector(self.store.options().dimensions);
            let truth = self.truth(&query, 10, filter);
            let right = self.found_of(&truth, &query, filter, None);
            found += right;
            through_graph += match filter {
                None => self.found_of(&truth, &query, None, Some(GRAPH_EF)),
                Some(_) => right,
            };
            possible += truth.len();
        }
        found.min(through_graph) as f64 / possible as f64
    }

    /// How many of the nearest are found. Every answer must be alive, pass the filter and have the
    /// similarity that it has in truth.
    pub fn found_of(
        &self,
        truth: &[(DocId, f32)],
        query: &[f32],
        filter: Option<&RoaringBitmap>,
        ef: Option<usize>,
    ) -> usize {
        let answer = self.search_with(query, 10, filter, ef);
        assert_eq!(answer.len(), truth.len());
        assert!(answer.is_sorted_by(|left, right| left.similarity >= right.similarity));
        let worst = truth.last().map_or(0.0, |(_, similarity)| *similarity);
        let mut found = 0;
        for hit in &answer {
            let vectors = self.model.get(&hit.doc_id).expect("a deleted document");
            assert!(filter.is_none_or(|filter| filter.contains(hit.doc_id)));
            let best = vectors
                .iter()
                .map(|vector| similarity(self.store.options(), query, vector))
                .fold(0.0, f32::max);
            assert!((hit.similarity - best).abs() < 1e-4, "{} {best}", hit.similarity);
            found += usize::from(hit.similarity >= worst - 1e-6);
        }
        found
    }

    /// Everything that the store says of its documents is what the model says.
    pub fn assert_holds_model(&self) {
        let ids: RoaringBitmap = self.model.keys().copied().collect();
        assert_eq!(*self.store.documents(), ids);
        let count: usize = self.model.values().map(Vec::len).sum();
        assert_eq!(self.store.number_of_vectors(), count as u64);
        for (id, vectors) in &self.model {
            assert_eq!(self.store.vectors_of(*id).unwrap(), *vectors, "document {id}");
        }
        assert_eq!(self.store.verify(), []);
    }
}

/// Reference computation in 64 bits.
pub fn similarity(options: &StoreOptions, left: &[f32], right: &[f32]) -> f32 {
    let similarity = match options.metric {
        Metric::Cosine => {
            let lengths = sum(left, left, |left, right| left * right).sqrt()
                * sum(right, right, |left, right| left * right).sqrt();
            let cosine = sum(left, right, |left, right| left * right) / lengths;
            if lengths == 0.0 { 1.0 } else { (1.0 + cosine) / 2.0 }
        }
        Metric::Euclidean => {
            1.0 / (1.0 + sum(left, right, |left, right| (left - right) * (left - right)).sqrt())
        }
        Metric::DotProduct => 1.0 / (1.0 + (-sum(left, right, |left, right| left * right)).exp()),
        Metric::Hamming => {
            let differing =
                sum(left, right, |left, right| f64::from((left > 0.0) != (right > 0.0)));
            1.0 - differing / options.dimensions.next_multiple_of(64) as f64
        }
    };
    similarity as f32
}

/// In several sums at a time, which is quicker.
fn sum(left: &[f32], right: &[f32], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    for (left, right) in left.chunks(8).zip(right.chunks(8)) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += term(f64::from(*left), f64::from(*right));
        }
    }
    sums.iter().sum()
}
