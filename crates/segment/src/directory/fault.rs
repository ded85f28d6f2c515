//! A folder whose n-th operation goes wrong in a chosen way. A test runs the same work with
//! n = 0, 1, 2, … until the work succeeds, and so meets every point at which it can fail.
//!
//! Only operations that change something are counted: create, write, sync, rename, delete and
//! folder sync.

use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Directory, FileBytes, FileWriter};
use crate::error::{Result, SegmentError};

/// The number that Linux and the BSDs give to "no space left on device".
const ENOSPC: i32 = 28;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Create,
    Write,
    SyncFile,
    Rename,
    Delete,
    SyncFolder,
}

/// How an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing is done, an error is reported.
    Refused,
    /// It is done, and an error is reported all the same.
    DoneYetReported,
    /// Half of the bytes of a write get through; anything else is refused.
    ShortWrite,
    /// Refused for lack of space.
    OutOfSpace,
}

#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Which operation fails, counted from 0; among those of one kind if `only` says so.
    pub number: u64,
    pub only: Option<Operation>,
    pub effect: Effect,
    /// Everything after it fails too, as on a disk that has gone away.
    pub for_good: bool,
}

impl Fault {
    pub fn at(number: u64, effect: Effect) -> Self {
        Self { number, only: None, effect, for_good: false }
    }

    pub fn only(self, operation: Operation) -> Self {
        Self { only: Some(operation), ..self }
    }

    pub fn for_good(self) -> Self {
        Self { for_good: true, ..self }
    }
}

#[derive(Debug)]
pub struct FaultDirectory<D> {
    inner: D,
    plan: Arc<Mutex<Plan>>,
}

#[derive(Debug, Default)]
struct Plan {
    fault: Option<Fault>,
    matching: u64,
    fired: bool,
    log: Vec<(Operation, String)>,
}

impl<D: Directory> FaultDirectory<D> {
    /// Without a fault it only counts.
    pub fn new(inner: D) -> Self {
        Self { inner, plan: Arc::default() }
    }

    pub fn with_fault(inner: D, fault: Fault) -> Self {
        let directory = Self::new(inner);
        directory.set_fault(Some(fault));
        directory
    }

    /// Arms a fault (or none); counting starts again from 0.
    pub fn set_fault(&self, fault: Option<Fault>) {
        *self.plan.lock() = Plan { fault, ..Plan::default() };
    }

    /// Whether the planned operation has been reached.
    pub fn has_fired(&self) -> bool {
        self.plan.lock().fired
    }

    /// How many operations there have been since the fault was set.
    pub fn operations(&self) -> u64 {
        self.plan.lock().log.len() as u64
    }

    /// The operations since the fault was set, with the file (or its new name) they concern.
    pub fn log(&self) -> Vec<(Operation, String)> {
        self.plan.lock().log.clone()
    }

    pub fn inner(&self) -> &D {
        &self.inner
    }

    /// Counts an operation that is all or nothing, and runs it unless it is to fail.
    fn guarded<T>(
        &self,
        operation: Operation,
        name: &str,
        run: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        guarded(&self.plan, operation, name, run)
    }
}

impl Plan {
    fn next(&mut self, operation: Operation, name: &str) -> Option<Effect> {
        self.log.push((operation, name.to_owned()));
        let fault = self.fault?;
        if self.fired && fault.for_good {
            return Some(fault.effect);
        }
        if fault.only.is_some_and(|only| only != operation) {
            return None;
        }
        let number = self.matching;
        self.matching += 1;
        if number != fault.number {
            return None;
        }
        self.fired = true;
        Some(fault.effect)
    }
}

fn guarded<T>(
    plan: &Mutex<Plan>,
    operation: Operation,
    name: &str,
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let effect = plan.lock().next(operation, name);
    match effect {
        None => run(),
        Some(Effect::DoneYetReported) => {
            run()?;
            Err(SegmentError::io(name, planned()))
        }
        Some(Effect::OutOfSpace) => Err(SegmentError::io(name, out_of_space())),
        Some(Effect::Refused | Effect::ShortWrite) => Err(SegmentError::io(name, planned())),
    }
}

fn planned() -> io::Error {
    io::Error::other("planned failure")
}

fn out_of_space() -> io::Error {
    io::Error::from_raw_os_error(ENOSPC)
}

impl<D: Directory> Directory for FaultDirectory<D> {
    fn create(&self, name: &str) -> Result<Box<dyn FileWriter>> {
        let file = self.guarded(Operation::Create, name, || self.inner.create(name))?;
        Ok(Box::new(FaultFile { inner: file, name: name.to_owned(), plan: self.plan.clone() }))
    }

    fn open(&self, name: &str) -> Result<FileBytes> {
        self.inner.open(name)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.guarded(Operation::Rename, to, || self.inner.rename(from, to))
    }

    fn delete(&self, name: &str) -> Result<()> {
        self.guarded(Operation::Delete, name, || self.inner.delete(name))
    }

    fn list(&self) -> Result<Vec<(String, u64)>> {
        self.inner.list()
    }

    fn sync(&self) -> Result<()> {
        self.guarded(Operation::SyncFolder, "", || self.inner.sync())
    }

    fn check_maps(&self) -> Result<()> {
        self.inner.check_maps()
    }
}

struct FaultFile {
    inner: Box<dyn FileWriter>,
    name: String,
    plan: Arc<Mutex<Plan>>,
}

impl Write for FaultFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let effect = self.plan.lock().next(Operation::Write, &self.name);
        match effect {
            None => self.inner.write(bytes),
            Some(Effect::Refused) => Err(planned()),
            Some(Effect::OutOfSpace) => Err(out_of_space()),
            Some(Effect::DoneYetReported) => {
                self.inner.write_all(bytes)?;
                Err(planned())
            }
            Some(Effect::ShortWrite) => {
                self.inner.write_all(&bytes[..bytes.len() / 2])?;
                Err(out_of_space())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl FileWriter for FaultFile {
    fn sync(&mut self) -> Result<()> {
        let Self { inner, name, plan } = self;
        guarded(plan, Operation::SyncFile, name, || inner.sync())
    }
}
