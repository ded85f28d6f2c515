//! A fixed piece of work that passes through everything that writes: small and large commits,
//! an abort, files beside the manifest, components of all kinds built with documents and after
//! them, merges, compaction, clearing.

use index::{Index, Result};
use model::Cancel;

use super::batch::{Batch, Change};
use super::model::Model;
use super::{at, merge_all};

#[derive(Debug, Clone)]
pub enum Step {
    Batch(Batch),
    MergeAll,
    Compact,
}

impl Step {
    pub fn run(&self, index: &Index) -> Result<()> {
        match self {
            Self::Batch(batch) => batch.run(index),
            Self::MergeAll => merge_all(index).map(drop),
            Self::Compact => index.compact(&Cancel::default()).map(drop),
        }
    }

    pub fn run_on_model(&self, model: &Model) -> Model {
        match self {
            Self::Batch(batch) => batch.run_on_model(model),
            Self::MergeAll | Self::Compact => model.clone(),
        }
    }
}

pub fn steps() -> Vec<Step> {
    let add = |keys: std::ops::Range<u8>| keys.map(|key| Change::Upsert(key, vec![1, key % 6]));
    let delete = |keys: std::ops::Range<u8>| keys.map(Change::Delete);
    let batches: Vec<Vec<Change>> = vec![
        std::iter::once(Change::SetPrimaryKey(Some(1))).chain(add(0..5)).collect(),
        vec![Change::Upsert(1, vec![4]), Change::Delete(2), Change::Upsert(9, vec![1])],
        // Larger than the buffer, with changes to what has been flushed.
        add(0..30)
            .chain([Change::Delete(3), Change::Upsert(3, vec![]), Change::Delete(4)])
            .collect(),
        // Past what the manifest holds itself.
        (0..12).map(Change::RegisterField).chain([Change::SetSettings(105)]).collect(),
        vec![Change::Upsert(40, vec![2])],
        vec![Change::Upsert(41, vec![2])],
        delete(5..15).collect(),
        vec![Change::Delete(20), Change::SetSettings(121)],
    ];
    let mut steps: Vec<Step> = Vec::new();
    for changes in batches {
        let number = steps.len() as u8 + 1;
        steps.push(Step::Batch(Batch::commit(number, changes)));
    }
    let aborted = Batch { changes: add(50..80).collect(), commit: false, number: 99 };
    steps.insert(3, Step::Batch(aborted));
    steps.insert(7, Step::MergeAll);
    steps.push(Step::MergeAll);
    steps.push(Step::Batch(Batch::commit(20, add(10..22).collect())));
    steps.push(Step::Compact);
    // Columns in one file, then in two, some of them no longer wanted.
    steps.push(Step::Batch(Batch::commit(25, vec![Change::SetSettings(4)])));
    steps.push(Step::Batch(Batch::commit(26, vec![Change::SetSettings(6)])));
    steps.push(Step::Batch(Batch::commit(21, delete(10..20).collect())));
    steps.push(Step::Batch(Batch::commit(22, vec![Change::DeleteDocIds(vec![0, 1, 200])])));
    let after_clear = std::iter::once(Change::Clear).chain(add(60..63)).collect();
    steps.push(Step::Batch(Batch::commit(23, after_clear)));
    steps.push(Step::Batch(Batch::commit(24, vec![Change::SetSettings(7)])));
    steps.push(Step::MergeAll);
    steps
}

/// The state after creation and after each step.
pub fn states(steps: &[Step]) -> Vec<Model> {
    let mut states = vec![Model::new(at(0))];
    for step in steps {
        states.push(step.run_on_model(&states[states.len() - 1]));
    }
    states
}
