//! The plug is pulled at every operation of a fixed piece of work. Whatever the disk has kept
//! of what was not synced, the index must open in the state before or after the commit that was
//! under way, and go on working.

// The counts show with --nocapture.
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use index::{Index, IndexError, verify};
use segment::directory::Effect;
use segment::{Directory, FaultDirectory, InjectedFault, MemoryDirectory};

use crate::support::batch::{Batch, Change};
use crate::support::model::Model;
use crate::support::script::{self, Step};
use crate::support::{at, small_options};

/// Random outcomes tried for each crash, besides the one that loses everything unsynced.
const SEEDS: u64 = 3;

/// Works until an operation fails; gives how many states have been reached (0: not even the
/// creation), and checks what readers are still served.
fn work_until_failure(directory: Arc<dyn Directory>, steps: &[Step], states: &[Model]) -> usize {
    let Ok(index) = Index::create_with(directory, at(0), small_options()) else {
        return 0;
    };
    for (number, step) in steps.iter().enumerate() {
        let result = step.run(&index);
        let reached = number + usize::from(result.is_ok());
        assert_eq!(states[reached].difference(&index.snapshot()), None, "after step {number}");
        if result.is_err() {
            return number + 1;
        }
    }
    steps.len() + 1
}

/// Opens what is left after a crash. `reached` states had been reported as committed.
fn check_survivor(survivor: MemoryDirectory, reached: usize, states: &[Model], context: &str) {
    let directory: Arc<dyn Directory> = Arc::new(survivor.clone());
    let index = match Index::open_with(directory.clone(), small_options()) {
        Ok(index) => index,
        Err(IndexError::Missing) if reached == 0 => return,
        Err(error) => panic!("{context}: {error}"),
    };
    // Either the last acknowledged state or the one whose commit was interrupted.
    let acknowledged = reached.saturating_sub(1);
    let found = (acknowledged..states.len().min(reached + 1))
        .find(|&state| states[state].difference(&index.snapshot()).is_none());
    let Some(found) = found else {
        let difference = states[acknowledged].difference(&index.snapshot());
        panic!("{context}: not the last committed state: {difference:?}");
    };
    assert_eq!(verify(&*directory), [], "{context}");
    if reached > 0 {
        check_lasts(&survivor, &states[found], context);
    }

    let next = Batch::commit(200, vec![Change::Upsert(1, vec![7]), Change::Upsert(250, vec![])]);
    next.run(&index).unwrap_or_else(|error| panic!("{context}: {error}"));
    let expected = next.run_on_model(&states[found]);
    assert_eq!(expected.difference(&index.snapshot()), None, "{context}");
    drop(index);
    let strict: Arc<dyn Directory> = Arc::new(survivor.crash());
    let index = Index::open_with(strict, small_options()).unwrap();
    assert_eq!(expected.difference(&index.snapshot()), None, "{context}, second crash");
}

/// A state that has been opened has been acted on: losing it to the next crash would be losing a
/// commit. (An index whose creation was never reported has not been acted on.)
fn check_lasts(directory: &MemoryDirectory, state: &Model, context: &str) {
    for survivor in [directory.crash(), directory.crash_with_seed(1)] {
        let index = Index::open_with(Arc::new(survivor), small_options())
            .unwrap_or_else(|error| panic!("{context}, crash after opening: {error}"));
        let difference = state.difference(&index.snapshot());
        assert_eq!(difference, None, "{context}, crash after opening");
    }
}

#[test]
fn a_crash_at_any_operation_leaves_one_of_two_states() {
    let steps = script::steps();
    let states = script::states(&steps);
    let mut crashes = 0;
    for number in 0.. {
        // A torn write is half a write; everything after it does not happen.
        let fault = InjectedFault::at(number, Effect::ShortWrite).for_good();
        let memory = MemoryDirectory::new();
        let faulty = Arc::new(FaultDirectory::with_fault(memory.clone(), fault));
        let reached = work_until_failure(faulty.clone(), &steps, &states);
        if !faulty.has_fired() {
            assert_eq!(reached, states.len());
            println!("{number} operations, {crashes} crashes survived");
            assert!(number > 150, "the work is too small to say much");
            return;
        }
        let operation = &faulty.log()[number as usize];
        let context = format!("operation {number} {operation:?}");
        check_survivor(memory.crash(), reached, &states, &context);
        for seed in 0..SEEDS {
            let survivor = memory.crash_with_seed(number * SEEDS + seed);
            check_survivor(survivor, reached, &states, &format!("{context}, seed {seed}"));
        }
        // The process died and the machine went on: nothing is lost.
        check_survivor(memory, reached, &states, &format!("{context}, process only"));
        crashes += SEEDS + 2;
    }
}

/// A crash while opening after a crash must not make it worse.
#[test]
fn a_crash_while_opening_changes_nothing() {
    let steps = script::steps();
    let states = script::states(&steps);
    let mut openings = 0;
    // Interrupted right after a rename there is most to clean up.
    for number in (5..).step_by(7) {
        let memory = MemoryDirectory::new();
        let fault = InjectedFault::at(number, Effect::Refused).for_good();
        let faulty = Arc::new(FaultDirectory::with_fault(memory.clone(), fault));
        let reached = work_until_failure(faulty.clone(), &steps, &states);
        if !faulty.has_fired() {
            println!("{openings} interrupted openings");
            return;
        }
        for opening in 0.. {
            let left = memory.crash_with_seed(number);
            let fault = InjectedFault::at(opening, Effect::Refused).for_good();
            let faulty = Arc::new(FaultDirectory::with_fault(left.clone(), fault));
            let _ = Index::open_with(faulty.clone(), small_options());
            if !faulty.has_fired() {
                break;
            }
            openings += 1;
            let context = format!("operation {number}, opening {opening}");
            check_survivor(left.crash_with_seed(opening), reached, &states, &context);
        }
    }
}
