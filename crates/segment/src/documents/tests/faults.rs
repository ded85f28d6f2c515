//! A disk that fails while a file is written: the failure is reported, and what is left after a
//! crash is not taken for a whole file.

use super::*;
use crate::directory::{Effect, Fault, FaultDirectory};

/// Runs the work with a fault at every operation, until there is none left to fail.
fn fails_cleanly(work: impl Fn(&dyn Directory) -> crate::Result<u64>) {
    for effect in [Effect::Refused, Effect::DoneYetReported, Effect::ShortWrite, Effect::OutOfSpace]
    {
        for number in 0.. {
            let fault = Fault::at(number, effect);
            let directory = FaultDirectory::with_fault(memory(), fault);
            let outcome = work(&directory);
            if !directory.has_fired() {
                outcome.unwrap();
                assert!(number >= 4, "create, write, write, sync at least");
                break;
            }
            let error = outcome.unwrap_err();
            assert!(matches!(error, SegmentError::Io { .. }), "{error}");
            directory.inner().sync().unwrap();
            for seed in 0..3 {
                let after = directory.inner().crash_with_seed(seed);
                match DocumentsReader::open(&after, "x") {
                    Ok(reader) => assert_eq!(reader.verify(), []),
                    Err(error) => assert!(error.is_damaged() || error.is_not_found()),
                }
            }
        }
    }
}

/// Text that does not compress, so that the file takes several writes.
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
        merge(&inputs, directory, "x", &|| false)
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
