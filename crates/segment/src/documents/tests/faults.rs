//! Tests of disk failures during a write: the failure is reported, and leftovers of a crash are not
//! taken for a complete file.

use ::model::Cancel;

use super::*;
use crate::failing_disk;

fn fails_cleanly(work: impl Fn(&dyn Directory) -> crate::Result<u64>) {
    failing_disk::fails_cleanly(work, |after| Ok(DocumentsReader::open(after, "x")?.verify()));
}

/// Incompressible text, so that the file takes several writes.
fn noisy_model() -> Model {
    let mut model = Model::sample(0, 60);
    let mut state = 1_u64;
    for document in model.documents.values_mut() {
        let noise: String = (0..8000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                char::from(b'0' + (state >> 33) as u8 % 64)
            })
            .collect();
        document.json += &noise;
    }
    model
}

#[test]
fn writing_fails_cleanly() {
    let model = noisy_model();
    fails_cleanly(|directory| model.writer().finish(directory, "x"));
}

#[test]
fn merging_fails_cleanly() {
    let model = noisy_model();
    let reader = model.write(&memory(), "source");
    let live = &model.doc_ids();
    fails_cleanly(|directory| {
        let inputs = [MergeInput { reader: &reader, live }];
        merge(&inputs, directory, "x", &Cancel::default())
    });
}

#[test]
fn a_finished_file_survives_a_crash_once_its_name_is_synced() {
    let directory = memory();
    let model = Model::sample(0, 100);
    model.writer().finish(&directory, "x").unwrap();
    let lost = DocumentsReader::open(&directory.crash(), "x").unwrap_err();
    assert!(lost.is_not_found());
    directory.sync().unwrap();
    model.check(&DocumentsReader::open(&directory.crash(), "x").unwrap());
}
