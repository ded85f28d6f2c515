//! Tests of reading back what a store was given, and of its searches.

use std::sync::Arc;

use model::Cancel;
use roaring::RoaringBitmap;
use segment::DocId;
use testkit::Random;
use vectors::{Metric, Request, Store, VectorsError};

use crate::support::{NAME, RandomVectors, Site, options};

fn ids(site: &Site, query: &[f32], limit: usize) -> Vec<DocId> {
    site.search(query, limit).iter().map(|hit| hit.doc_id).collect()
}

#[test]
fn vectors_are_kept_replaced_and_removed() {
    let mut site = Site::new(options(2, Metric::Cosine));
    site.commit(vec![(1, vec![vec![1.0, 0.0]]), (2, vec![vec![0.0, 1.0], vec![-3.0, 0.5]])]);
    site.assert_holds_model();
    assert_eq!(ids(&site, &[1.0, 0.1], 10), [1, 2]);
    assert_eq!(site.search(&[0.0, 2.0], 1)[0].similarity, 1.0);

    site.commit(vec![(1, vec![vec![0.0, -1.0]]), (7, vec![vec![2.0, 2.0]])]);
    site.assert_holds_model();
    assert_eq!(ids(&site, &[1.0, 1.0], 2), [7, 2]);

    site.commit(vec![(2, vec![]), (9, vec![])]);
    site.assert_holds_model();
    assert_eq!(ids(&site, &[0.0, 1.0], 10), [7, 1]);
    site.reopen();
    site.assert_holds_model();
    assert_eq!(ids(&site, &[0.0, 1.0], 10), [7, 1]);
}

#[test]
fn the_last_change_of_a_document_in_a_commit_counts() {
    let site = Site::new(options(1, Metric::Euclidean));
    let mut writer = site.store.writer(&site.directory, NAME, 1);
    writer.set(1, &[[1.0]]).unwrap();
    writer.set(2, &[[2.0]]).unwrap();
    writer.set(1, &[[3.0], [4.0]]).unwrap();
    writer.remove(2);
    writer.set(3, &[[5.0]]).unwrap();
    let store = writer.finish(1, &Cancel::default()).unwrap();
    assert_eq!(*store.documents(), RoaringBitmap::from([1, 3]));
    assert_eq!(store.number_of_vectors(), 3);
    assert_eq!(store.vectors_of(1).unwrap(), [[3.0], [4.0]]);
    assert_eq!(store.vectors_of(2).unwrap(), Vec::<Vec<f32>>::new());
    assert_eq!(store.verify(), []);

    let mut writer = store.writer(&site.directory, NAME, 2);
    writer.set(8, &[[1.0]]).unwrap();
    writer.clear();
    writer.set(9, &[[1.0]]).unwrap();
    let cleared = writer.finish(1, &Cancel::default()).unwrap();
    assert_eq!(*cleared.documents(), RoaringBitmap::from([9]));
    assert_eq!(cleared.files().len(), 1);
    // The store before is as it was.
    assert_eq!(*store.documents(), RoaringBitmap::from([1, 3]));
}

#[test]
fn a_writer_that_changes_nothing_writes_nothing() {
    let mut site = Site::new(options(1, Metric::Cosine));
    let mut writer = site.store.writer(&site.directory, NAME, 1);
    writer.remove(5);
    let store = writer.finish(1, &Cancel::default()).unwrap();
    assert_eq!(store.files(), []);
    site.commit(vec![(5, vec![vec![1.0]])]);
    site.commit(vec![(5, vec![])]);
    assert_eq!(site.store.files(), []);
    assert_eq!(site.directory.list().unwrap(), []);
}

#[test]
fn an_abandoned_writer_leaves_no_file() {
    let site = Site::new(options(1, Metric::Cosine));
    let mut writer = site.store.writer(&site.directory, NAME, 1);
    writer.set(5, &[[1.0]]).unwrap();
    assert_eq!(site.directory.list().unwrap().len(), 1);
    drop(writer);
    assert_eq!(site.directory.list().unwrap(), []);
}

#[test]
fn rejects_vectors_that_cannot_be_stored() {
    let site = Site::new(options(2, Metric::Cosine));
    let mut writer = site.store.writer(&site.directory, NAME, 1);
    let error = writer.set(1, &[[1.0]]).unwrap_err();
    assert_eq!(error.to_string(), "a vector has 1 dimensions, 2 are expected");
    let error = writer.set(1, &[[1.0, f32::INFINITY]]).unwrap_err();
    assert!(matches!(error, VectorsError::NotFinite { doc_id: 1 }));
    let error = writer.set(1, &vec![[1.0, 1.0]; 257]).unwrap_err();
    assert!(matches!(error, VectorsError::TooMany { found: 257, .. }));
    writer.set(1, &vec![[1.0, 1.0]; 256]).unwrap();
    let store = writer.finish(1, &Cancel::default()).unwrap();
    assert_eq!(store.number_of_vectors(), 256);
    let cancel = &Cancel::default();
    let request = Request { limit: 1, filter: None, nth: None, cancel, ef: None };
    assert!(matches!(store.search(&[1.0], &request), Err(VectorsError::Dimensions { .. })));
}

#[test]
fn zero_vectors_are_as_near_as_can_be_to_everything() {
    let mut random = Random(3);
    for count in [5, 3000] {
        let mut site = Site::new(options(4, Metric::Cosine));
        let mut changes: Vec<_> = (0..count).map(|id| (id, vec![random.vector(4)])).collect();
        changes[2].1 = vec![vec![0.0; 4]];
        changes[4].1 = vec![random.vector(4), vec![0.0; 4]];
        site.commit(changes);
        let found = site.search(&random.vector(4), 3);
        assert_eq!([found[0].doc_id, found[1].doc_id], [2, 4]);
        assert_eq!([found[0].similarity, found[1].similarity], [1.0, 1.0]);
        assert!(found[2].similarity < 1.0);
        let found = site.search(&[0.0; 4], 3);
        assert_eq!(found.iter().map(|hit| hit.doc_id).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(found.iter().all(|hit| hit.similarity == 1.0));
    }
}

#[test]
fn only_the_nth_vectors_are_compared() {
    let mut random = Random(5);
    for count in [50, 2500] {
        let mut site = Site::new(options(8, Metric::Cosine));
        let vectors =
            |random: &mut Random| (0..random.below(3) + 1).map(|_| random.vector(8)).collect();
        site.commit((0..count).map(|id| (id, vectors(&mut random))).collect());
        for nth in 0..4 {
            let query = random.vector(8);
            let cancel = &Cancel::default();
            let request =
                Request { limit: 10, filter: None, nth: Some(nth), cancel, ef: Some(200) };
            let found = site.store.search(&query, &request).unwrap();
            let with_nth = site.model.values().filter(|vectors| vectors.len() > nth).count();
            assert_eq!(found.len(), with_nth.min(10), "vector {nth} of {count}");
            for hit in found {
                let expected = crate::support::similarity(
                    site.store.options(),
                    &query,
                    &site.model[&hit.doc_id][nth],
                );
                assert!((hit.similarity - expected).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn each_document_comes_once_however_many_vectors_it_has() {
    let mut random = Random(9);
    let mut site = Site::new(options(16, Metric::Cosine));
    // Fifty documents whose vectors are all nearer to the query than those of the others.
    let near =
        |random: &mut Random| (0..16).map(|_| 1.0 + 0.2 * random.normal()).collect::<Vec<f32>>();
    let mut changes: Vec<_> = (0..3000).map(|id| (id, vec![random.vector(16)])).collect();
    for (_, vectors) in &mut changes[..50] {
        *vectors = (0..100).map(|_| near(&mut random)).collect();
    }
    site.commit(changes);
    site.merge();
    let found = ids(&site, &[1.0; 16], 40);
    assert_eq!(found.len(), 40);
    assert!(found.iter().all(|id| *id < 50));
    let distinct: RoaringBitmap = found.into_iter().collect();
    assert_eq!(distinct.len(), 40);
}

#[test]
fn every_metric_finds_its_nearest() {
    for metric in [Metric::Cosine, Metric::Euclidean, Metric::DotProduct, Metric::Hamming] {
        let mut random = Random(1);
        let mut site = Site::new(options(48, metric));
        site.commit_random(0..1000, &mut random);
        assert_eq!(site.recall(20, 5, None), 1.0, "{metric:?}");
        site.commit_random(1000..4000, &mut random);
        let recall = site.recall(40, 5, None);
        assert!(recall >= 0.97, "{metric:?}: {recall}");
    }
}

#[test]
fn quantised_vectors_read_as_zeros_and_ones() {
    let mut site = Site::new(options(3, Metric::Hamming));
    site.commit(vec![(1, vec![vec![0.5, -0.5, 0.0]])]);
    assert_eq!(site.store.vectors_of(1).unwrap(), [[1.0, 0.0, 0.0]]);
    assert_eq!(site.search(&[1.0, 1.0, -1.0], 1)[0].similarity, 1.0 - 1.0 / 64.0);
}

#[test]
fn a_cancelled_search_ends_early() {
    let mut site = Site::new(options(4, Metric::Cosine));
    site.commit_random(0..1000, &mut Random(1));
    let cancel = &Cancel::new();
    cancel.cancel();
    let request = Request { limit: 10, filter: None, nth: None, cancel, ef: None };
    assert_eq!(site.store.search(&[1.0; 4], &request).unwrap(), []);
}

#[test]
fn entries_are_small_and_legible() {
    let mut site = Site::new(options(4, Metric::Cosine));
    site.commit_random(0..10, &mut Random(1));
    let json = serde_json::to_string(site.store.entry()).unwrap();
    let expected = r#"{"dimensions":4,"metric":"cosine","files":[{"generation":1,"firstNode":0}]}"#;
    assert_eq!(json, expected);
}

#[test]
fn an_entry_that_contradicts_its_files_is_refused() {
    let mut site = Site::new(options(4, Metric::Cosine));
    site.commit_random(0..10, &mut Random(1));
    site.commit_random(10..20, &mut Random(2));
    let mut entry = site.store.entry().clone();
    entry.files[1].first_node = 5;
    assert!(Store::open(&site.directory, NAME, &entry).unwrap_err().is_damaged());
    let mut entry = site.store.entry().clone();
    entry.options.dimensions = 5;
    assert!(Store::open(&site.directory, NAME, &entry).unwrap_err().is_damaged());
    let directory = Arc::clone(&site.directory);
    assert!(Store::open(&directory, "other", site.store.entry()).is_err());
}

#[test]
fn files_are_explained() {
    let mut site = Site::new(options(4, Metric::Cosine));
    site.commit_random(0..2500, &mut Random(1));
    site.merge();
    let texts: Vec<String> = site
        .store
        .files()
        .iter()
        .map(|file| {
            vectors::inspect(&site.directory.open(&file.name).unwrap(), &file.name).unwrap()
        })
        .collect();
    assert!(texts[0].starts_with("vectors: 2500 of 4 dimensions, Cosine, 20 bytes each\n"));
    assert!(texts[1].starts_with("nodes: 2500, 2500 of them alive, 1"), "{}", texts[1]);
    assert!(vectors::inspect(&b"something else".to_vec().into(), "x").is_none());
}
