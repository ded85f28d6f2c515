//! Tests of disk failures during a write: the failure is reported, and leftovers of a crash are not
//! taken for a complete file.

use ::model::Cancel;

use super::*;
use crate::failing_disk;

fn fails_cleanly(work: impl Fn(&dyn Directory) -> crate::Result<u64>) {
    failing_disk::fails_cleanly(work, |after| Ok(TextReader::open(after, "x")?.verify()));
}

/// Enough words that the file takes several writes.
fn large_model() -> Model {
    let mut model = Model::default();
    for doc_id in 0..40 {
        let words: String = (0..4000).map(|number| format!(" {}", doc_id * number)).collect();
        model.add(doc_id, &[("a", &words)]);
    }
    model
}

#[test]
fn writing_fails_cleanly() {
    let model = large_model();
    fails_cleanly(|directory| finish(vec![model.buffer()], directory, "x", &Cancel::default()));
}

#[test]
fn merging_fails_cleanly() {
    let model = large_model();
    let reader = model.write(&memory(), "source");
    let live = &model.doc_ids();
    fails_cleanly(|directory| {
        let inputs = [TextMergeInput { reader: &reader, live }];
        merge(&inputs, directory, "x", &Cancel::default())
    });
}

#[test]
fn a_finished_file_survives_a_crash_once_its_name_is_synced() {
    let directory = memory();
    let model = Model::sample(0, 100);
    finish(vec![model.buffer()], &directory, "x", &Cancel::default()).unwrap();
    let lost = TextReader::open(&directory.crash(), "x").unwrap_err();
    assert!(lost.is_not_found());
    directory.sync().unwrap();
    model.check(&TextReader::open(&directory.crash(), "x").unwrap());
}
