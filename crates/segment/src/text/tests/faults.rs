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
                match TextReader::open(&after, "x") {
                    Ok(reader) => assert_eq!(reader.verify(), []),
                    Err(error) => assert!(error.is_damaged() || error.is_not_found()),
                }
            }
        }
    }
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
    fails_cleanly(|directory| finish(vec![model.buffer()], directory, "x"));
}

#[test]
fn merging_fails_cleanly() {
    let model = large_model();
    let reader = model.write(&memory(), "source");
    let live = &model.doc_ids();
    fails_cleanly(|directory| {
        let inputs = [TextMergeInput { reader: &reader, live }];
        merge(&inputs, directory, "x", &|| false)
    });
}

#[test]
fn a_finished_file_survives_a_crash_once_its_name_is_synced() {
    let directory = memory();
    let model = Model::sample(0, 100);
    finish(vec![model.buffer()], &directory, "x").unwrap();
    let lost = TextReader::open(&directory.crash(), "x").unwrap_err();
    assert!(lost.is_not_found());
    directory.sync().unwrap();
    model.check(&TextReader::open(&directory.crash(), "x").unwrap());
}
