//! Every operation of a fixed piece of work fails once, in every way it can. The error must be
//! reported, readers keep the last committed state, and the index either goes on as if nothing
//! had been tried or refuses writes until it is opened again.

// The counts show with --nocapture.
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use index::{Index, IndexError, verify};
use model::Cancel;
use segment::directory::{Effect, Operation};
use segment::{Directory, FaultDirectory, InjectedFault, MemoryDirectory};

use crate::support::model::Model;
use crate::support::script::{self, Step};
use crate::support::{at, small_options};

#[derive(Debug, Default)]
struct Counts {
    faults: u64,
    went_on: u64,
    stopped: u64,
    unnoticed: u64,
}

struct Work<'s> {
    directory: Arc<FaultDirectory<MemoryDirectory>>,
    steps: &'s [Step],
    states: &'s [Model],
    went_on: bool,
    stopped: bool,
    while_creating: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    WentOn,
    Stopped,
    Unnoticed,
}

/// Returns the outcome that a failed operation must have.
fn expected_outcome(log: &[(Operation, String)], number: u64, effect: Effect) -> Outcome {
    let operation = log[number as usize].0;
    let before = number.checked_sub(1).map(|before| log[before as usize].0);
    let renamed = before == Some(Operation::Rename);
    match (operation, effect) {
        // A file that cannot be deleted stays until the next opening.
        (Operation::Delete, _) => Outcome::Unnoticed,
        // From here on it is open which manifest a restart would find.
        (Operation::Rename, _) => Outcome::Stopped,
        (Operation::SyncFolder, _) if renamed => Outcome::Stopped,
        (_, Effect::OutOfSpace) | (Operation::Write, Effect::ShortWrite) => Outcome::WentOn,
        _ => Outcome::Stopped,
    }
}

impl Work<'_> {
    /// Does all the work, trying again what failed.
    fn run(&mut self) {
        let mut index = self.create();
        let mut done = 0;
        while done < self.steps.len() {
            match self.steps[done].run(&index) {
                Ok(()) => done += 1,
                Err(error) => {
                    assert_eq!(self.states[done].difference(&index.snapshot()), None, "served");
                    done = self.recover(&mut index, done, &error);
                }
            }
        }
        assert_eq!(self.states[done].difference(&index.snapshot()), None, "at the end");
        drop(index);
        let index = Index::open_with(self.directory.clone(), small_options()).unwrap();
        assert_eq!(self.states[done].difference(&index.snapshot()), None, "opened again");
        assert_eq!(verify(&*self.directory), []);
    }

    fn create(&mut self) -> Index {
        let directory: Arc<dyn Directory> = self.directory.clone();
        if let Ok(index) = Index::create_with(directory.clone(), at(0), small_options()) {
            return index;
        }
        self.while_creating = true;
        match Index::open_with(directory.clone(), small_options()) {
            Ok(index) => {
                self.stopped = true;
                index
            }
            Err(IndexError::Missing) => {
                self.went_on = true;
                Index::create_with(directory, at(0), small_options()).unwrap()
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// The number of steps that have been done after a failure of the step `done`.
    fn recover(&mut self, index: &mut Index, done: usize, error: &IndexError) -> usize {
        match index.writer() {
            Ok(_) => {
                assert!(error.is_out_of_space(), "writes go on after {error}");
                self.went_on = true;
                return done;
            }
            Err(IndexError::WritesStopped { .. }) => self.stopped = true,
            Err(other) => panic!("{other}"),
        }
        assert!(index.next_merge().is_none());
        assert!(matches!(index.compact(&Cancel::default()), Err(IndexError::WritesStopped { .. })));
        assert_eq!(self.states[done].difference(&index.snapshot()), None, "served when stopped");

        let directory: Arc<dyn Directory> = self.directory.clone();
        *index = Index::open_with(directory, small_options()).unwrap();
        let as_before = self.states[done].difference(&index.snapshot());
        if as_before.is_none() {
            return done;
        }
        assert_eq!(self.states[done + 1].difference(&index.snapshot()), None, "{as_before:?}");
        done + 1
    }
}

fn fail_every_operation(effect: Effect) -> Counts {
    let steps = script::steps();
    let states = script::states(&steps);
    let mut counts = Counts::default();
    for number in 0.. {
        let fault = InjectedFault::at(number, effect);
        let directory = Arc::new(FaultDirectory::with_fault(MemoryDirectory::new(), fault));
        let mut work = Work {
            directory: directory.clone(),
            steps: &steps,
            states: &states,
            went_on: false,
            stopped: false,
            while_creating: false,
        };
        work.run();
        if !directory.has_fired() {
            break;
        }
        counts.faults += 1;
        let (operation, name) = directory.log()[number as usize].clone();
        let context = format!("{effect:?} at {number}: {operation:?} {name}");
        let outcome = match (work.went_on, work.stopped) {
            (true, false) => Outcome::WentOn,
            (false, true) => Outcome::Stopped,
            (false, false) => Outcome::Unnoticed,
            (true, true) => panic!("{context}: failed twice"),
        };
        match outcome {
            Outcome::WentOn => counts.went_on += 1,
            Outcome::Stopped => counts.stopped += 1,
            Outcome::Unnoticed => counts.unnoticed += 1,
        }
        if !work.while_creating {
            assert_eq!(outcome, expected_outcome(&directory.log(), number, effect), "{context}");
        }
        let leftover =
            directory.list().unwrap().into_iter().find(|(name, _)| name.ends_with(".tmp"));
        assert_eq!(leftover, None, "{context}");
    }
    println!("{effect:?}: {counts:?}");
    counts
}

#[test]
fn a_full_disk_before_the_rename_leaves_the_index_usable() {
    let counts = fail_every_operation(Effect::OutOfSpace);
    assert!(counts.faults > 150 && counts.went_on > counts.stopped);
}

#[test]
fn a_short_write_leaves_the_index_usable() {
    let counts = fail_every_operation(Effect::ShortWrite);
    assert!(counts.faults > 150 && counts.went_on > 0);
}

#[test]
fn a_refused_operation_stops_writes() {
    let counts = fail_every_operation(Effect::Refused);
    assert!(counts.faults > 150 && counts.stopped > 100);
}

#[test]
fn an_operation_that_happens_and_is_reported_as_failed_stops_writes() {
    let counts = fail_every_operation(Effect::DoneYetReported);
    assert!(counts.faults > 150 && counts.stopped > 100);
}
