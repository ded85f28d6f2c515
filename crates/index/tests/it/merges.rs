//! Merging and compaction as the service uses them.

// The counts show with --nocapture.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use index::{Index, verify};
use model::Cancel;
use segment::{Directory, MemoryDirectory};

use crate::support::batch::{Batch, Change};
use crate::support::model::Model;
use crate::support::{
    add_ids, at, delete_ids, file_names, in_memory, list_ids, merge_all, small_options,
};

fn one_document(number: usize) -> (String, String) {
    let id = format!("document-{number}");
    let json = format!("{{\"id\":\"{id}\",\"title\":\"Title of {number}\",\"n\":{number}}}");
    (id, json)
}

#[test]
fn thousands_of_small_commits_leave_few_segments() {
    let (directory, index) = in_memory();
    let commits = 2_000;
    let (mut merges, mut written, mut most_segments) = (0, 0, 0);
    let mut written_for_the_first_250 = 0;
    for number in 0..commits {
        let mut writer = index.writer().unwrap();
        let (id, json) = one_document(number);
        writer.upsert(&id, &json, ["id", "title", "n"]).unwrap();
        writer.commit(b"", at(1)).unwrap();
        for report in merge_all(&index).unwrap() {
            assert!(report.published);
            merges += 1;
            written += report.bytes_written;
        }
        most_segments = most_segments.max(index.snapshot().segments().len());
        if number == 249 {
            written_for_the_first_250 = written;
        }
    }
    let snapshot = index.snapshot();
    let bytes = snapshot.sizes().total;
    println!(
        "{commits} commits: {merges} merges wrote {written} bytes for {bytes} bytes on disk, \
         {most_segments} segments at most, {} at the end",
        snapshot.segments().len()
    );
    assert_eq!(snapshot.number_of_documents(), commits as u64);
    assert!(most_segments < 40);
    // n log n: a document is rewritten a few times, not once for every commit after it. Eight
    // times the documents are one tier more.
    assert!(written < 2_000 * 500, "{written}");
    assert!(written < 8 * 2 * written_for_the_first_250, "{written_for_the_first_250}");
    assert_eq!(file_names(&*directory).len(), 2 * snapshot.segments().len() + 1);
    assert_eq!(verify(&*directory), []);
}

#[test]
fn updates_of_the_same_documents_do_not_pile_up() {
    let (directory, index) = in_memory();
    for round in 0..300 {
        let mut writer = index.writer().unwrap();
        for number in 0..3 {
            let (id, _) = one_document((round * 7 + number) % 50);
            let json = format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}", "word ".repeat(40));
            writer.upsert(&id, &json, ["id", "text"]).unwrap();
        }
        writer.commit(b"", at(1)).unwrap();
        merge_all(&index).unwrap();
    }
    let snapshot = index.snapshot();
    let deleted: u64 = snapshot.segments().iter().map(|segment| segment.deleted().len()).sum();
    println!("50 documents, {deleted} deleted ones, {:?}", snapshot.sizes());
    assert_eq!(snapshot.number_of_documents(), 50);
    assert!(snapshot.segments().len() < 16);
    assert!(deleted < 100);
    assert_eq!(verify(&*directory), []);
}

fn index_ready_to_merge(directory: Arc<dyn Directory>) -> Index {
    let index = Index::create_with(directory, at(0), small_options()).unwrap();
    for id in ["a", "b", "c"] {
        add_ids(&index, &[id]);
    }
    index
}

#[test]
fn deletions_made_during_a_merge_are_carried_over() {
    let memory = MemoryDirectory::new();
    let index = index_ready_to_merge(Arc::new(memory.clone()));
    let plan = index.next_merge().unwrap();
    assert!(index.next_merge().is_none(), "its segments are taken");

    // `b` goes with its whole segment, `a` is replaced, a new document takes the place of `b`.
    delete_ids(&index, &["b"]);
    add_ids(&index, &["a", "n"]);
    let before = index.snapshot();
    let report = index.run_merge(plan, &Cancel::default()).unwrap();
    assert!(report.published);
    assert_eq!((report.segments_merged, report.documents), (3, 3));
    assert_eq!(list_ids(&index), ["a", "n", "c"]);
    let after = index.snapshot();
    assert_eq!(after.doc_id("b").unwrap(), None);
    assert_eq!(after.receipt(), before.receipt());
    assert_eq!(after.updated_at(), before.updated_at());
    assert_eq!(after.segments().len(), 2);
    assert_eq!(verify(&memory), []);
}

#[test]
fn an_index_at_rest_is_merged_before_there_are_many_segments() {
    let memory = MemoryDirectory::new();
    let index = Index::create_with(Arc::new(memory.clone()), at(0), small_options()).unwrap();
    add_ids(&index, &["a"]);
    assert!(index.next_merge_at_rest().is_none(), "there is one segment only");
    add_ids(&index, &["b"]);
    assert!(index.next_merge().is_none(), "more may come");
    let plan = index.next_merge_at_rest().unwrap();
    index.run_merge(plan, &Cancel::default()).unwrap();
    assert_eq!(index.snapshot().segments().len(), 1);
    assert!(index.next_merge_at_rest().is_none());
    assert_eq!(list_ids(&index), ["a", "b"]);
    assert_eq!(verify(&memory), []);
}

#[test]
fn a_merge_of_segments_that_have_gone_is_dropped() {
    let memory = MemoryDirectory::new();
    let index = index_ready_to_merge(Arc::new(memory.clone()));
    let plan = index.next_merge().unwrap();
    index.compact(&Cancel::default()).unwrap();
    let generation = index.snapshot().generation();
    let report = index.run_merge(plan, &Cancel::default()).unwrap();
    assert!(!report.published);
    assert_eq!(index.snapshot().generation(), generation);
    assert_eq!(list_ids(&index), ["a", "b", "c"]);
    assert_eq!(file_names(&memory).len(), 3);
}

#[test]
fn a_merge_that_is_stopped_leaves_nothing_and_can_be_tried_again() {
    let memory = MemoryDirectory::new();
    let index = index_ready_to_merge(Arc::new(memory.clone()));
    let before = file_names(&memory);
    let plan = index.next_merge().unwrap();
    let error = index.run_merge(plan, &Cancel::default().or_when(|| true)).unwrap_err();
    assert!(error.is_stopped_on_request());
    assert_eq!(file_names(&memory), before);
    assert_eq!(merge_all(&index).unwrap().len(), 1);
    assert_eq!(list_ids(&index), ["a", "b", "c"]);
}

#[test]
fn a_merge_that_waits_for_a_writer_can_be_stopped() {
    let memory = MemoryDirectory::new();
    let index = index_ready_to_merge(Arc::new(memory.clone()));
    let plan = index.next_merge().unwrap();
    let writer = index.writer().unwrap();
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let merge = scope.spawn(|| index.run_merge(plan, &cancel));
        std::thread::sleep(Duration::from_millis(50));
        cancel.cancel();
        assert!(merge.join().unwrap().unwrap_err().is_stopped_on_request());
    });
    drop(writer);
    assert_eq!(index.snapshot().segments().len(), 3);
}

#[test]
fn a_damaged_segment_is_not_merged_again_and_again() {
    let memory = MemoryDirectory::new();
    let directory: Arc<dyn Directory> = Arc::new(memory.clone());
    let index = index_ready_to_merge(directory.clone());
    let damaged = file_names(&memory).into_iter().find(|name| name.contains("documents")).unwrap();
    let mut bytes = memory.open(&damaged).unwrap().to_vec();
    drop(index);
    // The blocks come first after the header and are looked at only when they are read.
    bytes[20] ^= 0xff;
    memory.put(&damaged, bytes);
    let Ok(index) = Index::open_with(directory, small_options()) else {
        return;
    };
    let plan = index.next_merge().unwrap();
    assert!(index.run_merge(plan, &Cancel::default()).unwrap_err().is_damaged());
    assert!(index.next_merge().is_none());
    add_ids(&index, &["d"]);
    assert!(index.next_merge().is_none(), "damage does not heal");
    assert!(!verify(&memory).is_empty());
}

#[test]
fn compaction_leaves_one_segment_without_deleted_documents() {
    let (directory, index) = in_memory();
    assert_eq!(
        index.compact(&Cancel::default()).unwrap().size_after,
        index.snapshot().sizes().total
    );
    for round in 0..5 {
        let mut writer = index.writer().unwrap();
        for number in 0..200 {
            let (id, json) = one_document(round * 100 + number);
            writer.upsert(&id, &json, ["id", "title", "n"]).unwrap();
        }
        writer.commit(b"r", at(9)).unwrap();
    }
    let before = list_ids(&index);
    let compaction = index.compact(&Cancel::default()).unwrap();
    println!("{compaction:?}");
    assert!(compaction.size_after < compaction.size_before);
    assert_eq!(list_ids(&index), before);
    let snapshot = index.snapshot();
    assert_eq!(snapshot.segments().len(), 1);
    assert!(snapshot.segments()[0].deleted().is_empty());
    assert_eq!((snapshot.receipt(), snapshot.updated_at()), (&b"r"[..], at(9)));
    assert_eq!(compaction.size_after, snapshot.sizes().total);
    let again = index.compact(&Cancel::default()).unwrap();
    assert_eq!(again.size_before, again.size_after);
    drop(snapshot);
    assert_eq!(file_names(&*directory).len(), 3, "documents, text, manifest");
}

/// Merges on one thread, batches on another, readers on a third.
#[test]
fn merging_beside_batches_changes_nothing_that_is_seen() {
    let memory = MemoryDirectory::new();
    let index = Index::create_with(Arc::new(memory.clone()), at(0), small_options()).unwrap();
    let done = Cancel::new();
    let mut model = Model::new(at(0));
    let merges = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let merging = scope.spawn(|| {
            while !done.is_cancelled() {
                match index.next_merge() {
                    Some(plan) => {
                        let is_merged = index.run_merge(plan, &done).is_ok();
                        merges.fetch_add(u64::from(is_merged), Ordering::Relaxed);
                    }
                    None => std::thread::yield_now(),
                }
            }
        });
        let reading = scope.spawn(|| {
            while !done.is_cancelled() {
                let snapshot = index.snapshot();
                let mut seen = 0;
                snapshot
                    .for_each_document(snapshot.live(), |_, _| {
                        seen += 1;
                        Ok::<(), segment::SegmentError>(())
                    })
                    .unwrap();
                assert_eq!(seen, snapshot.number_of_documents());
            }
        });
        for number in 0..200u8 {
            let key = number.wrapping_mul(37) % 60;
            let mut changes =
                vec![Change::Upsert(key, vec![number % 5]), Change::Upsert(key / 2, vec![])];
            changes.push(Change::Delete(key.wrapping_mul(11) % 60));
            if number.is_multiple_of(25) {
                // What is indexed changes each time.
                changes.push(Change::SetSettings(100 + number / 25));
            }
            let batch = Batch::commit(number, changes);
            batch.run(&index).unwrap();
            model = batch.run_on_model(&model);
            assert_eq!(model.difference(&index.snapshot()), None);
        }
        // Batches may find more time than merges.
        let begun = Instant::now();
        while merges.load(Ordering::Relaxed) == 0 && begun.elapsed() < Duration::from_secs(60) {
            std::thread::yield_now();
        }
        done.cancel();
        reading.join().unwrap();
        merging.join().unwrap();
    });
    let merges = merges.into_inner();
    println!("{merges} merges beside 200 batches");
    assert!(merges > 0);
    assert_eq!(model.difference(&index.snapshot()), None);
    assert_eq!(verify(&memory), []);
}

#[test]
fn a_merge_of_a_deleted_index_just_stops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let directory: Arc<dyn Directory> = Arc::new(segment::DiskDirectory::new(&path).unwrap());
    let index = index_ready_to_merge(directory);
    let plan = index.next_merge().unwrap();
    index.note_deletion();
    std::fs::remove_dir_all(&path).unwrap();
    assert!(index.run_merge(plan, &Cancel::default()).unwrap_err().is_stopped_on_request());
    assert!(index.check_writable().is_ok(), "the disk is not in doubt");
}

#[test]
fn truncated_files_stop_merges_and_commits() {
    let folder = tempfile::tempdir().unwrap();
    let directory: Arc<dyn Directory> =
        Arc::new(segment::DiskDirectory::new(folder.path()).unwrap());
    let index = index_ready_to_merge(directory.clone());
    let plan = index.next_merge().unwrap();
    let (name, _) =
        directory.list().unwrap().into_iter().find(|(name, _)| name.contains("text")).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(folder.path().join(&name)).unwrap();
    file.set_len(0).unwrap();
    let error = index.run_merge(plan, &Cancel::default()).unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains(&name), "{error}");
    let error = index.writer().map(drop).unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains(&name), "{error}");
    assert!(index.next_merge().is_none());
}
