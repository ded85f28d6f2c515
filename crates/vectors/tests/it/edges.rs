//! Tests of extreme vectors: thousands that are equal, zeros, of one dimension and of thousands,
//! tiny and huge.

use std::collections::BTreeSet;

use model::Cancel;
use segment::DocId;
use testkit::Random;
use vectors::{Metric, VectorsError};

use crate::support::{RandomVectors, Site, options};

const METRICS: [Metric; 4] =
    [Metric::Cosine, Metric::Euclidean, Metric::DotProduct, Metric::Hamming];

/// As many different documents as there should be.
fn assert_count(site: &Site, query: &[f32], limit: usize, what: &str) {
    let found = site.search(query, limit);
    let ids: BTreeSet<DocId> = found.iter().map(|hit| hit.doc_id).collect();
    assert_eq!(found.len(), limit.min(site.model.len()), "{what}");
    assert_eq!(ids.len(), found.len(), "{what}");
    assert!(ids.iter().all(|id| site.model.contains_key(id)), "{what}: a deleted document");
}

#[test]
fn thousands_of_equal_vectors_are_all_found() {
    for metric in METRICS {
        let mut random = Random(1);
        let mut site = Site::new(options(40, metric));
        let twin = random.vector(40);
        site.commit((0..4000).map(|id| (id, vec![twin.clone()])).collect());
        for round in 0..3 {
            for limit in [1, 10, 1000] {
                assert_count(&site, &twin, limit, &format!("{metric:?}, round {round}"));
                assert_count(&site, &random.vector(40), limit, &format!("{metric:?} {round}"));
            }
            if round == 0 {
                site.commit((0..1500).map(|id| (id, vec![])).collect());
            }
            site.merge();
            site.reopen();
        }
    }
}

/// Equal vectors do not crowd out those next to them.
#[test]
fn groups_of_equal_vectors_among_others() {
    for metric in [Metric::Cosine, Metric::Euclidean] {
        let mut random = Random(2);
        let mut site = Site::new(options(64, metric));
        let twins: Vec<Vec<f32>> = (0..12).map(|_| random.vector(64)).collect();
        let mut changes = Vec::new();
        for id in 0..8000 {
            let vector = match id % 3 {
                0 => random.vector(64),
                _ => twins[random.below(12) as usize].clone(),
            };
            changes.push((id, vec![vector]));
        }
        site.commit(changes);
        for round in 0..3 {
            let recall = site.recall(40, 3, None);
            assert!(recall >= 0.98, "{metric:?}, round {round}: {recall}");
            for twin in &twins {
                let found = site.search(twin, 100);
                assert!(found.iter().all(|hit| hit.similarity > 0.999), "{metric:?} {round}");
                assert_count(&site, twin, 100, "twins");
            }
            if round == 0 {
                site.commit((0..3000).map(|id| (id, vec![])).collect());
            }
            site.merge();
        }
    }
}

#[test]
fn finds_vectors_when_half_are_zero() {
    for metric in METRICS {
        let mut random = Random(3);
        let mut site = Site::new(options(32, metric));
        let vector = |id: DocId, random: &mut Random| match id % 2 {
            0 => vec![vec![0.0; 32]],
            _ => vec![random.vector(32)],
        };
        site.commit((0..5000).map(|id| (id, vector(id, &mut random))).collect());
        for round in 0..3 {
            let when = format!("{metric:?}, round {round}");
            // The worse of two ways, one of them through a graph that 2,500 equal vectors crowd: by
            // itself, a search of so few compares with all of them.
            let recall = site.recall(20, 4, None);
            assert!(recall >= 0.95, "{when}: {recall}");
            assert_count(&site, &[0.0; 32], 50, &when);
            assert_count(&site, &random.vector(32), 4900, &when);
            if round == 0 {
                site.commit((0..2000).map(|id| (id, vec![])).collect());
            }
            site.merge();
        }
        if metric != Metric::Hamming {
            site.assert_holds_model();
        }
    }
}

#[test]
fn finds_documents_when_all_vectors_are_zero() {
    let mut site = Site::new(options(3, Metric::Cosine));
    site.commit((0..3000).map(|id| (id, vec![vec![0.0; 3]])).collect());
    for _ in 0..2 {
        assert_count(&site, &[1.0, 2.0, 3.0], 20, "zeros");
        assert_count(&site, &[0.0; 3], 20, "zeros");
        site.merge();
        site.reopen();
    }
    // Others beside them.
    site.commit_random(3000..6000, &mut Random(1));
    assert_count(&site, &[1.0, 2.0, 3.0], 4000, "zeros and others");
    site.merge();
    assert_count(&site, &[1.0, 2.0, 3.0], 4000, "zeros and others");
}

#[test]
fn one_dimension() {
    for metric in METRICS {
        let mut random = Random(5);
        let mut site = Site::new(options(1, metric));
        site.commit((0..6000).map(|id| (id, vec![vec![random.normal()]])).collect());
        for round in 0..3 {
            for query in [-2.0, -0.1, 0.3, 1.0, 5.0] {
                let truth = site.truth(&[query], 10, None);
                let found = site.search(&[query], 10);
                assert_eq!(found.len(), 10);
                for (hit, (_, similarity)) in found.iter().zip(&truth) {
                    let difference = (hit.similarity - similarity).abs();
                    assert!(difference < 1e-4, "{metric:?}, round {round}, {query}: {difference}");
                }
            }
            assert_count(&site, &[0.5], 3000, &format!("{metric:?}, round {round}"));
            if round == 0 {
                site.commit((0..3000).map(|id| (id, vec![])).collect());
            }
            site.merge();
        }
    }
}

#[test]
fn four_thousand_dimensions() {
    for metric in [Metric::Cosine, Metric::Hamming] {
        let mut random = Random(6);
        let mut site = Site::new(options(4096, metric));
        site.commit_random(0..2100, &mut random);
        site.merge();
        let recall = site.recall(10, 6, None);
        assert!(recall >= 0.98, "{metric:?}: {recall}");
        site.reopen();
        assert_eq!(site.store.verify(), []);
        if metric == Metric::Cosine {
            assert_eq!(site.store.vectors_of(77).unwrap(), site.model[&77]);
        }
    }
}

#[test]
fn tiny_and_huge_vectors_are_found_like_others() {
    let mut random = Random(7);
    let mut site = Site::new(options(64, Metric::Cosine));
    let sizes = [1e-40, 1e-25, 1.0, 1e25, 1e37];
    let mut changes = Vec::new();
    for id in 0..6000 {
        let size = sizes[id as usize % sizes.len()];
        changes.push((id, vec![random.vector(64).iter().map(|value| value * size).collect()]));
    }
    site.commit(changes);
    site.merge();
    let recall = site.recall(40, 8, None);
    assert!(recall >= 0.97, "{recall}");
    assert_eq!(site.store.verify(), []);
}

#[test]
fn rejects_vectors_that_are_not_numbers() {
    for metric in METRICS {
        let site = Site::new(options(2, metric));
        let mut writer = site.store.writer(&site.directory, crate::support::NAME, 1);
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let error = writer.set(3, &[[0.0, 1.0], [1.0, value]]).unwrap_err();
            assert!(matches!(error, VectorsError::NotFinite { doc_id: 3 }), "{error}");
        }
        // Nothing of a document that was refused is kept.
        let store = writer.finish(1, &Cancel::default()).unwrap();
        assert!(store.documents().is_empty());
    }
}
