//! Vectors in clusters that lie far apart, where a graph easily falls to pieces: near neighbours
//! are all of the same cluster, so that no links lead out of it, and what is not led to is never
//! found again. Whatever is written, replaced or deleted in whatever order, a search near a cluster
//! finds that cluster.

use roaring::RoaringBitmap;
use segment::DocId;
use testkit::Random;
use vectors::Metric;

use crate::support::{GRAPH_EF, RandomVectors, Site, options};

/// How the vectors of a store lie.
#[derive(Clone, Copy)]
struct Clusters {
    metric: Metric,
    dimensions: usize,
    count: u64,
    size: u64,
    seed: u64,
}

impl Clusters {
    fn new(metric: Metric, count: u64, size: u64) -> Self {
        let dimensions = if metric == Metric::Hamming { 320 } else { 64 };
        Self { metric, dimensions, count, size, seed: 1 }
    }

    /// A vector near the middle of a cluster.
    fn vector(&self, cluster: u64, random: &mut Random) -> Vec<f32> {
        let mut center = Random(self.seed * 1_000_003 + cluster);
        let spread = if self.metric == Metric::Hamming { 0.4 } else { 0.1 };
        (0..self.dimensions).map(|_| center.normal() + spread * random.normal()).collect()
    }

    /// The cluster of each document, cluster by cluster.
    fn in_order(&self) -> Vec<u64> {
        (0..self.count * self.size).map(|place| place / self.size).collect()
    }

    /// Returns the clusters in random order.
    fn mixed(&self, random: &mut Random) -> Vec<u64> {
        let mut clusters = self.in_order();
        for place in (1..clusters.len()).rev() {
            clusters.swap(place, random.below(place as u64 + 1) as usize);
        }
        clusters
    }

    /// A store with documents from 0 on of these clusters, written by a few commits.
    fn written(&self, clusters: &[u64], random: &mut Random) -> Site {
        let mut site = Site::new(options(self.dimensions, self.metric));
        let documents: Vec<(DocId, u64)> = (0..).zip(clusters.iter().copied()).collect();
        for some in documents.chunks(documents.len().div_ceil(3)) {
            self.write(&mut site, some, random);
        }
        site
    }

    fn write(&self, site: &mut Site, documents: &[(DocId, u64)], random: &mut Random) {
        let change = |&(id, cluster)| (id, vec![self.vector(cluster, random)]);
        site.commit(documents.iter().map(change).collect());
    }

    /// Returns queries near each of these clusters, with the expected results.
    fn questions(
        &self,
        site: &Site,
        clusters: impl Iterator<Item = u64>,
        filter: Option<&RoaringBitmap>,
    ) -> Vec<Question> {
        let mut random = Random(77);
        let question = |cluster| {
            let query = self.vector(cluster, &mut random);
            Question { truth: site.truth(&query, 10, filter), cluster, query }
        };
        clusters.map(question).collect()
    }

    fn check(&self, site: &Site, clusters: impl Iterator<Item = u64>, when: &str) {
        check(site, &self.questions(site, clusters, None), None, when);
    }

    /// Before a merge, after it, and after a restart.
    fn check_and_merge(&self, site: &mut Site, clusters: impl Iterator<Item = u64>, when: &str) {
        let questions = self.questions(site, clusters, None);
        check(site, &questions, None, &format!("{when}, not merged"));
        site.merge();
        check(site, &questions, None, &format!("{when}, merged"));
        site.reopen();
        check(site, &questions, None, &format!("{when}, opened again"));
    }
}

/// A search near a cluster, and the nearest there are.
struct Question {
    cluster: u64,
    query: Vec<f32>,
    truth: Vec<(DocId, f32)>,
}

/// No cluster is lost, and 98 of 100 are found.
fn check(site: &Site, questions: &[Question], filter: Option<&RoaringBitmap>, when: &str) {
    let (recall, lost) = recall(site, questions, filter);
    let metric = site.store.options().metric;
    assert!(lost.is_empty(), "{metric:?} {when}: {lost:?} are lost, recall {recall}");
    assert!(recall >= 0.98, "{metric:?} {when}: recall {recall}");
}

/// The share of the nearest that are found, and the clusters of which none is.
fn recall(site: &Site, questions: &[Question], filter: Option<&RoaringBitmap>) -> (f64, Vec<u64>) {
    let (mut found, mut possible, mut lost) = (0, 0, Vec::new());
    for Question { cluster, query, truth } in questions {
        let mut right = site.found_of(truth, query, filter, None);
        if filter.is_none() {
            right = right.min(site.found_of(truth, query, None, Some(GRAPH_EF)));
        }
        if right == 0 && !truth.is_empty() {
            lost.push(*cluster);
        }
        found += right;
        possible += truth.len();
    }
    (found as f64 / possible.max(1) as f64, lost)
}

fn delete(site: &mut Site, ids: impl Iterator<Item = DocId>) {
    site.commit(ids.map(|id| (id, vec![])).collect());
}

/// Half of the clusters are as before, the other half is gone.
fn older_half_of_clusters_in_order(metric: Metric, count: u64, size: u64) {
    let clusters = Clusters::new(metric, count, size);
    let mut random = Random(1);
    let mut site = clusters.written(&clusters.in_order(), &mut random);
    clusters.check_and_merge(&mut site, (0..count).step_by(2), "written in order");
    delete(&mut site, 0..(count * size / 2) as DocId);
    clusters.check_and_merge(&mut site, count / 2..count, "older half deleted");
    site.assert_holds_all(metric);
}

/// All clusters are there, with half of what they had.
fn older_half_of_clusters_mixed(metric: Metric, count: u64, size: u64) {
    let clusters = Clusters::new(metric, count, size);
    let mut random = Random(2);
    let mut site = clusters.written(&clusters.mixed(&mut random), &mut random);
    clusters.check_and_merge(&mut site, (0..count).step_by(2), "written mixed");
    delete(&mut site, 0..(count * size / 2) as DocId);
    clusters.check_and_merge(&mut site, 0..count, "older half deleted");
}

impl Site {
    fn assert_holds_all(&self, metric: Metric) {
        // Quantised vectors are not what was given.
        if metric != Metric::Hamming {
            self.assert_holds_model();
        }
    }
}

#[test]
fn cosine_older_half_in_order() {
    older_half_of_clusters_in_order(Metric::Cosine, 200, 60);
}

#[test]
fn cosine_older_half_mixed() {
    older_half_of_clusters_mixed(Metric::Cosine, 240, 50);
}

#[test]
fn euclidean_older_half_in_order() {
    older_half_of_clusters_in_order(Metric::Euclidean, 30, 400);
}

#[test]
fn euclidean_older_half_mixed() {
    older_half_of_clusters_mixed(Metric::Euclidean, 96, 125);
}

#[test]
fn quantised_older_half_in_order() {
    older_half_of_clusters_in_order(Metric::Hamming, 120, 100);
}

#[test]
fn quantised_older_half_mixed() {
    older_half_of_clusters_mixed(Metric::Hamming, 240, 50);
}

/// Half of the documents move to clusters that were not there before.
#[test]
fn half_replaced_by_other_clusters() {
    let clusters = Clusters::new(Metric::Cosine, 120, 80);
    let mut random = Random(3);
    let mut site = clusters.written(&clusters.mixed(&mut random), &mut random);
    site.merge();
    let half: Vec<DocId> = (0..9600).filter(|_| random.below(2) == 0).collect();
    // New clusters come one after the other, as they do when a subject is new.
    let moved: Vec<(DocId, u64)> =
        half.iter().zip(0..).map(|(&id, place)| (id, 1000 + place / 60)).collect();
    for some in moved.chunks(1500) {
        clusters.write(&mut site, some, &mut random);
    }
    let new = 1000..1000 + (moved.len() as u64) / 60;
    clusters.check(&site, (0..120).chain(new.clone()), "half replaced, not merged");
    site.reopen();
    site.merge();
    clusters.check(&site, (0..120).chain(new), "half replaced, opened again and merged");
    site.assert_holds_model();
}

#[test]
fn half_deleted_again_and_again() {
    for metric in [Metric::Cosine, Metric::Euclidean] {
        let clusters = Clusters::new(metric, 80, 150);
        let mut random = Random(4);
        let mut site = clusters.written(&clusters.mixed(&mut random), &mut random);
        site.merge();
        for round in 1..=3 {
            let ids: Vec<DocId> = site.model.keys().copied().collect();
            let gone: Vec<DocId> = ids.into_iter().filter(|_| random.below(2) == 0).collect();
            delete(&mut site, gone.into_iter());
            clusters.check(&site, 0..80, &format!("half deleted {round} times, not merged"));
            site.merge();
            clusters.check(&site, 0..80, &format!("half deleted {round} times, merged"));
        }
    }
}

/// A few clusters remain among many deleted ones, and then new ones come.
#[test]
fn all_but_few_clusters_deleted() {
    let clusters = Clusters::new(Metric::Cosine, 40, 500);
    let mut random = Random(5);
    let order = clusters.in_order();
    let mut site = clusters.written(&order, &mut random);
    site.merge();
    let stays = |cluster: u64| cluster % 3 == 1;
    let left = || (0..40).filter(|cluster| stays(*cluster));
    let gone = (0..).zip(&order).filter(|(_, cluster)| !stays(**cluster)).map(|(id, _)| id);
    delete(&mut site, gone);
    clusters.check(&site, left(), "few left, not merged");
    // The nearest to what is gone are here and there in clusters that are equally far away.
    let gone = clusters.questions(&site, (0..40).filter(|cluster| !stays(*cluster)), None);
    let (found, lost) = recall(&site, &gone, None);
    assert!(lost.is_empty() && found >= 0.95, "asked for what is gone: {found}, {lost:?}");
    site.merge();
    clusters.check(&site, left(), "few left, merged");
    let new: Vec<(DocId, u64)> = (0..3000).map(|id| (id, 2000 + u64::from(id) / 30)).collect();
    clusters.write(&mut site, &new, &mut random);
    let both = || left().chain(2000..2100);
    clusters.check(&site, both(), "new ones among few, not merged");
    site.merge();
    clusters.check(&site, both(), "new ones among few, merged");
    site.assert_holds_model();
}

/// Clusters that pass a filter, asked for from near them and from near others.
#[test]
fn filtered() {
    for metric in [Metric::Cosine, Metric::Euclidean] {
        let clusters = Clusters::new(metric, 120, 100);
        let mut random = Random(6);
        let order = clusters.mixed(&mut random);
        let mut site = clusters.written(&order, &mut random);
        let documents = |wanted: &dyn Fn(u64) -> bool| -> RoaringBitmap {
            (0..).zip(&order).filter(|(_, cluster)| wanted(**cluster)).map(|(id, _)| id).collect()
        };
        let filters = [
            ("one in two", (0..12_000).step_by(2).collect()),
            ("half of the clusters", documents(&|cluster| cluster % 2 == 0)),
            ("a fifth of the clusters", documents(&|cluster| cluster % 5 == 0)),
            ("one cluster", documents(&|cluster| cluster == 7)),
            (
                "three documents of one cluster",
                documents(&|cluster| cluster == 9).iter().take(3).collect(),
            ),
        ];
        for when in ["not merged", "merged", "older half deleted", "older half deleted, merged"] {
            if when == "older half deleted" {
                delete(&mut site, 0..6000);
            }
            for (name, filter) in &filters {
                let filter = filter & site.store.documents();
                let questions = clusters.questions(&site, (0..120).step_by(3), Some(&filter));
                if !filter.is_empty() {
                    check(&site, &questions, Some(&filter), &format!("{name}, {when}"));
                }
            }
            if !when.ends_with("merged") || when == "not merged" {
                site.merge();
            }
        }
    }
}
