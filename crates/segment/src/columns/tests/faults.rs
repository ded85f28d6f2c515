//! Tests of disk failures during a write: the failure is reported, and leftovers of a crash are not
//! taken for a complete file.

use ::model::Cancel;

use super::*;
use crate::failing_disk;

fn fails_cleanly(work: impl Fn(&dyn Directory) -> crate::Result<u64>) {
    failing_disk::fails_cleanly(work, |after| Ok(ColumnsReader::open(after, "x")?.verify()));
}

/// Enough values that the file takes several writes.
fn large_model() -> Model {
    let mut model = Model::default();
    for doc_id in 0..20_000 {
        let price = f64::from(doc_id) * 1.25;
        model.add(doc_id, [("a", Item::Number(price)), ("b", Item::Text(doc_id.to_string()))]);
    }
    model
}

#[test]
fn writing_fails_cleanly() {
    let model = large_model();
    fails_cleanly(|directory| finish(vec![model.buffer()], &fold, directory, "x"));
}

#[test]
fn merging_fails_cleanly() {
    let model = large_model();
    let reader = model.write(&memory(), "source");
    let live = &model.doc_ids();
    fails_cleanly(|directory| {
        let inputs = [ColumnsMergeInput { readers: vec![&reader], live }];
        merge(&inputs, &|_| true, &fold, directory, "x", &Cancel::default())
    });
}
