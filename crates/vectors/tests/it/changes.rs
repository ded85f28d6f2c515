//! Stores that change: what is found stays right and complete through updates, deletions, merges
//! and restarts.

use std::sync::Arc;

use model::Cancel;
use roaring::RoaringBitmap;
use segment::{DiskDirectory, DocId};
use testkit::Random;
use vectors::Metric;

use crate::support::{GRAPH_EF, NAME, RandomVectors, Site, options};

const DIMENSIONS: usize = 24;

fn built(count: DocId, random: &mut Random) -> Site {
    let mut site = Site::new(options(DIMENSIONS, Metric::Cosine));
    site.commit_random(0..count, random);
    site
}

#[test]
fn the_graph_in_memory_and_in_a_file_find_the_same() {
    let mut random = Random(11);
    let mut site = built(4000, &mut random);
    let in_memory = site.recall(40, 1, None);
    assert!(in_memory >= 0.99, "{in_memory}");
    site.merge();
    assert_eq!(site.store.files().len(), 2);
    let in_file = site.recall(40, 1, None);
    assert!((in_file - in_memory).abs() < 0.01, "{in_file} {in_memory}");
    site.reopen();
    site.store.preload().unwrap();
    assert_eq!(site.recall(40, 1, None), in_file);
    assert!(!site.store.wants_merge());
    site.assert_holds_model();
}

#[test]
fn recall_stays_when_half_is_replaced() {
    let mut random = Random(12);
    let mut site = built(4000, &mut random);
    site.merge();
    let half: Vec<DocId> = (0..4000).filter(|_| random.below(2) == 0).collect();
    for some in half.chunks(400) {
        site.commit_random(some.iter().copied(), &mut random);
    }
    let before = site.recall(40, 2, None);
    assert!(before >= 0.98, "before merging: {before}");
    site.merge();
    let after = site.recall(40, 2, None);
    assert!(after >= 0.98, "after merging: {after}");
    site.assert_holds_model();
}

#[test]
fn recall_stays_after_each_deleted_half() {
    let mut random = Random(13);
    let mut site = built(6_000, &mut random);
    site.merge();
    while site.model.len() > 1500 {
        let ids: Vec<DocId> = site.model.keys().copied().collect();
        let gone = ids.into_iter().filter(|_| random.below(2) == 0);
        site.commit(gone.map(|id| (id, vec![])).collect());
        let before = site.recall(30, 3, None);
        assert!(before >= 0.98, "{} left, before merging: {before}", site.model.len());
        site.merge();
        let after = site.recall(30, 3, None);
        assert!(after >= 0.98, "{} left, after merging: {after}", site.model.len());
        site.reopen();
    }
    site.assert_holds_model();
}

/// On a disk, with restarts at any time: half of the vectors are replaced among insertions and
/// deletions, then half of what is there is deleted until little is left. Nothing that is deleted
/// may ever be found, which `recall` sees to.
#[test]
fn half_replaced_and_halved_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Arc::new(DiskDirectory::new(folder.path()).unwrap());
    let mut site = Site::on(directory, options(DIMENSIONS, Metric::Cosine));
    let mut random = Random(22);
    site.commit_random(0..6000, &mut random);
    site.merge();
    let mut replaced = RoaringBitmap::new();
    while replaced.len() < 3000 {
        let mut changes = Vec::new();
        for _ in 0..200 {
            let id = random.below(6000) as DocId;
            replaced.insert(id);
            changes.push((id, vec![random.vector(DIMENSIONS)]));
        }
        changes.extend((0..20).map(|_| (6000 + random.below(3000) as DocId, vec![])));
        changes.extend(
            (0..30).map(|_| (6000 + random.below(3000) as DocId, vec![random.vector(DIMENSIONS)])),
        );
        site.commit(changes);
        restart_or_merge(&mut site, &mut random);
    }
    check_recall(&site, "half replaced");
    while site.model.len() > 800 {
        let ids: Vec<DocId> = site.model.keys().copied().collect();
        let gone = ids.into_iter().filter(|_| random.below(2) == 0);
        site.commit(gone.map(|id| (id, vec![])).collect());
        check_recall(&site, "half deleted");
        restart_or_merge(&mut site, &mut random);
        check_recall(&site, "half deleted, and after a restart or a merge");
    }
    site.reopen();
    site.assert_holds_model();
}

fn restart_or_merge(site: &mut Site, random: &mut Random) {
    match random.below(4) {
        0 => site.merge(),
        1 => site.reopen(),
        2 => {
            site.reopen();
            site.merge();
        }
        _ => {}
    }
}

fn check_recall(site: &Site, when: &str) {
    let recall = site.recall(40, 23, None);
    assert!(recall >= 0.98, "{when}, {} documents: {recall}", site.model.len());
}

/// All that is near the query is deleted, so that the way leads through nothing but the dead.
#[test]
fn recall_stays_when_a_region_is_deleted() {
    let mut random = Random(14);
    let mut site = built(4000, &mut random);
    site.merge();
    let center = random.vector(DIMENSIONS);
    let near: Vec<DocId> = site.truth(&center, 1500, None).iter().map(|(id, _)| *id).collect();
    site.commit(near.into_iter().map(|id| (id, vec![])).collect());
    for _ in 0..2 {
        let found: Vec<DocId> = site.search(&center, 10).iter().map(|hit| hit.doc_id).collect();
        let truth = site.truth(&center, 10, None);
        let right = truth.iter().filter(|(id, _)| found.contains(id)).count();
        assert!(right >= 9, "{right} of 10");
        assert!(site.recall(40, 4, None) >= 0.98);
        site.merge();
    }
}

#[test]
fn filters_lose_nothing() {
    let mut random = Random(15);
    let mut site = built(12_000, &mut random);
    site.merge();
    site.commit_random((0..12_000).step_by(11), &mut random);
    let center = random.vector(DIMENSIONS);
    let around = |site: &Site, count| -> RoaringBitmap {
        site.truth(&center, count, None).iter().map(|(id, _)| *id).collect()
    };
    let mut share =
        |of: u64| -> RoaringBitmap { (0..15_000).filter(|_| random.below(of) == 0).collect() };
    let filters = [
        ("half", share(2)),
        ("a fifth", share(5)),
        ("a tenth", share(10)),
        ("one in a hundred", share(100)),
        ("a region of a half", around(&site, 6000)),
        ("a region of a fifth", around(&site, 2500)),
        ("a region of one in a hundred", around(&site, 120)),
        ("some of all but a region", &share(5) - &around(&site, 6000)),
        ("three", RoaringBitmap::from([5, 77, 11_999, 14_999])),
        ("none", RoaringBitmap::from([13_000])),
    ];
    for (name, filter) in &filters {
        let recall = site.recall(25, 6, Some(filter));
        assert!(recall.is_nan() || recall >= 0.98, "{name}: {recall}");
    }
}

#[test]
fn many_small_commits_become_few_files() {
    let mut random = Random(16);
    let mut site = built(4000, &mut random);
    site.merge();
    for round in 0..120 {
        let ids: Vec<DocId> = (0..3).map(|_| random.below(4500) as DocId).collect();
        if round % 7 == 3 {
            site.commit(ids.into_iter().map(|id| (id, vec![])).collect());
        } else {
            site.commit_random(ids, &mut random);
        }
        if site.store.wants_merge() {
            site.merge();
        }
        assert!(site.store.files().len() < 20, "{:?}", site.store.files());
        if round % 40 == 20 {
            site.reopen();
        }
    }
    site.assert_holds_model();
    let recall = site.recall(40, 7, None);
    assert!(recall >= 0.98, "{recall}");
}

/// Changes the same few documents again and again: joins leave the old vectors behind, and the
/// graph is compacted before it is many times as large as the live vectors.
#[test]
fn changing_the_same_documents_does_not_fill_the_graph() {
    let mut random = Random(24);
    let mut site = built(4000, &mut random);
    site.merge();
    for _ in 0..50 {
        site.commit_random((0..300).map(|id| id * 13), &mut random);
        site.merge();
        let last = site.store.entry().files.last().unwrap().first_node;
        assert!(last < 4000 + 2 * 2000 + 300, "node {last} of 4000 vectors");
    }
    let recall = site.recall(40, 7, None);
    assert!(recall >= 0.98, "{recall}");
    site.assert_holds_model();
}

#[test]
fn random_changes_and_restarts_agree_with_the_model() {
    for seed in 0..2 {
        let mut random = Random(100 + seed);
        let metric = [Metric::Cosine, Metric::Euclidean][seed as usize];
        let mut site = Site::new(options(12, metric));
        for _ in 0..20 {
            let changes = 1 + random.below(400);
            let changes = (0..changes).map(|_| {
                let vectors = [1, 1, 1, 0, 2, 3][random.below(6) as usize];
                let vectors = (0..vectors).map(|_| random.vector(12)).collect();
                (random.below(5000) as DocId, vectors)
            });
            let changes = changes.collect();
            site.commit(changes);
            match random.below(4) {
                0 => site.merge(),
                1 => site.reopen(),
                _ => {}
            }
            let recall = site.recall(8, random.draw(), None);
            assert!(recall >= 0.95, "{recall}");
        }
        site.assert_holds_model();
        let recall = site.recall(40, 8, None);
        assert!(recall >= 0.98, "{recall}");
    }
}

#[test]
fn equal_vectors_do_not_hide_the_others() {
    let mut random = Random(17);
    let mut site = Site::new(options(DIMENSIONS, Metric::Cosine));
    let twin = random.vector(DIMENSIONS);
    let mut changes = Vec::new();
    for id in 0..5000 {
        let vector = if id % 2 == 0 { twin.clone() } else { random.vector(DIMENSIONS) };
        changes.push((id, vec![vector]));
    }
    site.commit(changes);
    for _ in 0..2 {
        assert!(site.recall(40, 9, None) >= 0.98);
        let found = site.search(&twin, 100);
        assert_eq!(found.len(), 100);
        assert!(found.iter().all(|hit| hit.similarity > 0.9999));
        site.merge();
    }
}

#[test]
fn commits_during_a_merge_are_brought_in() {
    let mut random = Random(18);
    let mut site = built(5000, &mut random);
    for _ in 0..3 {
        let before = site.store.clone();
        // Commits while the merge is under way: its outcome knows nothing of them.
        let merged = site.merged(1).unwrap();
        for _ in 0..2 {
            let mut changes = Vec::new();
            for _ in 0..200 {
                let id = random.below(6000) as DocId;
                changes.push((id, vec![random.vector(DIMENSIONS)]));
            }
            changes.push((random.below(5000) as DocId, vec![]));
            site.write(changes, 1);
        }
        site.store = site.store.rebase(&before, &merged).unwrap().unwrap();
        site.tidy();
        site.assert_holds_model();
        assert!(site.recall(40, 10, None) >= 0.98);
        site.reopen();
        assert!(site.recall(40, 10, None) >= 0.98);
        site.commit_random((0..5000).step_by(2), &mut random);
    }
}

/// Merges what there is while these vectors come, some a commit, and then all of it.
fn merge_meanwhile(site: &mut Site, commits: Vec<Vec<(DocId, Vec<Vec<f32>>)>>) {
    let before = site.store.clone();
    let merged = site.merged(2).unwrap();
    for changes in commits {
        site.write(changes, 2);
    }
    site.store = site.store.rebase(&before, &merged).unwrap().unwrap();
    site.merge();
    site.assert_holds_model();
}

#[test]
fn more_than_was_there_comes_during_a_merge() {
    let mut random = Random(21);
    let mut site = built(3000, &mut random);
    let mut some = |ids: std::ops::Range<DocId>| {
        ids.map(|id| (id, vec![random.vector(DIMENSIONS)])).collect::<Vec<_>>()
    };
    let commits = vec![some(2900..6000), some(5900..9000)];
    merge_meanwhile(&mut site, commits);
    let recall = site.recall(60, 11, None);
    assert!(recall >= 0.98, "{recall}");
    site.commit_random((0..9000).step_by(9), &mut random);
    assert!(site.recall(60, 12, None) >= 0.98);
}

#[test]
fn small_clusters_that_come_during_a_merge_stay_within_reach() {
    const SIZE: u32 = 8;
    let mut random = Random(22);
    let mut site = built(3000, &mut random);
    let centres: Vec<Vec<f32>> = (0..300).map(|_| random.vector(DIMENSIONS)).collect();
    let mut members = Vec::new();
    for (cluster, centre) in (0..).zip(&centres) {
        for member in 0..SIZE {
            let near = centre.iter().map(|value| value + 0.001 * random.normal()).collect();
            members.push((3000 + cluster * SIZE + member, vec![near]));
        }
    }
    merge_meanwhile(&mut site, members.chunks(700).map(<[_]>::to_vec).collect());
    for (cluster, centre) in (0..).zip(&centres) {
        let found = site.search_with(centre, SIZE as usize, None, Some(GRAPH_EF));
        let is_member = |id: DocId| id >= 3000 && (id - 3000) / SIZE == cluster;
        assert!(found.iter().all(|hit| is_member(hit.doc_id)), "cluster {cluster}: {found:?}");
    }
}

#[test]
fn a_merge_of_what_has_gone_is_in_vain() {
    let mut random = Random(19);
    let mut site = built(3000, &mut random);
    let before = site.store.clone();
    let merged = site.merged(1).unwrap();
    let mut writer = site.store.writer(&site.directory, NAME, 50);
    writer.clear();
    writer.set(1, &[random.vector(DIMENSIONS)]).unwrap();
    site.store = writer.finish(1, &Cancel::default()).unwrap();
    assert!(site.store.rebase(&before, &merged).unwrap().is_none());
}

#[test]
fn work_stops_on_request_and_leaves_nothing() {
    let mut random = Random(20);
    let mut site = built(3000, &mut random);
    let files = site.directory.list().unwrap();
    let mut next = || 77;
    let error = site
        .store
        .merge(&site.directory, NAME, &mut next, 2, &Cancel::default().or_when(|| true))
        .unwrap_err();
    assert!(error.is_stopped_on_request());
    assert_eq!(site.directory.list().unwrap(), files);

    let mut writer = site.store.writer(&site.directory, NAME, 78);
    for id in 0..1000 {
        writer.set(id, &[random.vector(DIMENSIONS)]).unwrap();
    }
    assert!(
        writer.finish(2, &Cancel::default().or_when(|| true)).unwrap_err().is_stopped_on_request()
    );
    assert_eq!(site.directory.list().unwrap(), files);
    // The nodes that it inserted into the graph do no harm.
    assert!(site.recall(40, 1, None) >= 0.98);
    site.commit_random(500..1500, &mut random);
    assert!(site.recall(40, 1, None) >= 0.98);
    site.merge();
    assert!(site.recall(40, 1, None) >= 0.98);
    site.assert_holds_model();
}

#[test]
fn searches_go_on_while_a_writer_and_a_merge_work() {
    let mut random = Random(21);
    let mut site = built(4000, &mut random);
    let reader = site.store.clone();
    let documents = reader.documents().clone();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let searching = scope.spawn(|| {
            let mut random = Random(5);
            let cancel = Cancel::default();
            let mut searches = 0;
            while !done.load(std::sync::atomic::Ordering::Relaxed) || searches < 50 {
                let request = vectors::Request {
                    limit: 10,
                    filter: None,
                    nth: None,
                    cancel: &cancel,
                    ef: None,
                };
                let found = reader.search(&random.vector(DIMENSIONS), &request).unwrap();
                assert_eq!(found.len(), 10);
                assert!(found.iter().all(|hit| documents.contains(hit.doc_id)));
                searches += 1;
            }
        });
        for part in 0..4 {
            site.commit_random(3000 + 700 * part..4200 + 700 * part, &mut random);
            site.merge();
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        searching.join().unwrap();
    });
    site.assert_holds_model();
    assert!(site.recall(40, 1, None) >= 0.98);
}
