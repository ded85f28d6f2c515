//! Random work against the naive model. On failure proptest shows the smallest sequence of
//! operations that still fails; paste it into `replay` to run it again.

// The counts show with --nocapture.
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use index::{Index, MergePlan, Snapshot, verify};
use model::Cancel;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use segment::{Directory, MemoryDirectory};

use crate::support::batch::{Batch, Change};
use crate::support::model::Model;
use crate::support::{at, merge_all, small_options};

const SEQUENCES: u32 = 400;

#[derive(Debug, Clone)]
enum Operation {
    Batch(Batch),
    /// Chooses a merge, to be run later.
    PlanMerge,
    RunPlannedMerge,
    MergeAll,
    Compact,
    Reopen,
    /// Opens what would be left after power loss.
    CrashAndReopen(u64),
    /// Takes a snapshot, to be compared at the end.
    Hold,
}

fn change() -> impl Strategy<Value = Change> {
    let key = 0..24u8;
    let field = 0..6u8;
    prop_oneof![
        8 => (key.clone(), vec(field.clone(), 0..4)).prop_map(|(k, f)| Change::Upsert(k, f)),
        2 => (key.clone(), field.clone()).prop_map(|(k, f)| Change::Extend(k, f)),
        4 => key.prop_map(Change::Delete),
        1 => vec(0..30u32, 0..6).prop_map(Change::DeleteDocIds),
        1 => prop::option::of(field.clone()).prop_map(Change::SetPrimaryKey),
        1 => (0..100u8).prop_map(Change::SetSettings),
        1 => (0..20u8).prop_map(Change::RegisterField),
    ]
}

fn batch() -> impl Strategy<Value = Batch> {
    // Clearing is rare, or nothing would ever grow.
    let changes =
        (vec(change(), 0..20), prop::bool::weighted(0.03)).prop_map(|(mut all, clear)| {
            if clear {
                all.insert(all.len() / 2, Change::Clear);
            }
            all
        });
    (changes, prop::bool::weighted(0.85), any::<u8>()).prop_map(|(changes, commit, number)| Batch {
        changes,
        commit,
        number,
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        10 => batch().prop_map(Operation::Batch),
        2 => Just(Operation::PlanMerge),
        2 => Just(Operation::RunPlannedMerge),
        1 => Just(Operation::MergeAll),
        1 => Just(Operation::Compact),
        1 => Just(Operation::Reopen),
        1 => any::<u64>().prop_map(Operation::CrashAndReopen),
        1 => Just(Operation::Hold),
    ]
}

struct Run {
    memory: MemoryDirectory,
    index: Index,
    model: Model,
    planned: Vec<MergePlan>,
    held: Vec<(Arc<Snapshot>, Model)>,
}

impl Run {
    fn new() -> Self {
        let memory = MemoryDirectory::new();
        let index = Index::create_with(Arc::new(memory.clone()), at(0), small_options()).unwrap();
        Self { memory, index, model: Model::new(at(0)), planned: Vec::new(), held: Vec::new() }
    }

    fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Batch(batch) => {
                batch.run(&self.index).unwrap();
                self.model = batch.run_on_model(&self.model);
            }
            Operation::PlanMerge => self.planned.extend(self.index.next_merge()),
            Operation::RunPlannedMerge => {
                if !self.planned.is_empty() {
                    self.index.run_merge(self.planned.remove(0), &Cancel::default()).unwrap();
                }
            }
            Operation::MergeAll => drop(merge_all(&self.index).unwrap()),
            Operation::Compact => {
                self.index.compact(&Cancel::default()).unwrap();
                assert!(self.index.snapshot().segments().len() <= 1);
            }
            Operation::Reopen => self.reopen(self.memory.clone()),
            Operation::CrashAndReopen(seed) => self.reopen(self.memory.crash_with_seed(*seed)),
            Operation::Hold => self.held.push((self.index.snapshot(), self.model.clone())),
        }
    }

    fn reopen(&mut self, memory: MemoryDirectory) {
        self.check_held();
        self.planned.clear();
        self.memory = memory;
        let directory: Arc<dyn Directory> = Arc::new(self.memory.clone());
        self.index = Index::open_with(directory, small_options()).unwrap();
    }

    /// Snapshots must say what they said when they were taken.
    fn check_held(&mut self) {
        for (snapshot, model) in self.held.drain(..) {
            assert_eq!(model.difference(&snapshot), None, "a held snapshot changed");
        }
    }
}

fn replay(operations: &[Operation]) {
    let mut run = Run::new();
    for (number, operation) in operations.iter().enumerate() {
        run.apply(operation);
        let difference = run.model.difference(&run.index.snapshot());
        assert_eq!(difference, None, "after operation {number}");
    }
    run.check_held();
    run.planned.clear();
    assert_eq!(verify(&run.memory), []);

    // Nothing is left behind but what the last manifest names.
    let expected = run.index.snapshot().sizes().total;
    let found: u64 = run.memory.list().unwrap().iter().map(|(_, length)| length).sum();
    assert_eq!(found, expected, "{:?}", run.memory.list());
}

#[test]
fn random_operations_agree_with_the_model() {
    let config = Config { cases: SEQUENCES, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    runner
        .run(&vec(operation(), 1..40), |operations| {
            replay(&operations);
            Ok(())
        })
        .unwrap();
    println!("{SEQUENCES} sequences agree");
}
