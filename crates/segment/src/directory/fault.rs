//! A directory with fault injection: its n-th operation fails in a chosen way. A test runs the same
//! work with n = 0, 1, 2, … until it succeeds, and so covers every point of failure.
//!
//! Only changes are counted: create, write, sync, rename, delete and folder sync.

use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Directory, FileBytes, FileWriter};
use crate::error::{Result, SegmentError};

/// Error number for "no space left on device" on Linux and the BSDs.
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
    /// Not done, and reported as an error.
    Refused,
    /// Done, but reported as an error.
    DoneYetReported,
    /// A write writes half of its bytes; any other operation is refused.
    ShortWrite,
    /// Refused for lack of space.
    OutOfSpace,
}

#[derive(Debug, Clone, Copy)]
pub struct InjectedFault {
    /// Number of the failing operation, from 0, counting only those of kind `only` if set.
    pub number: u64,
    pub only: Option<Operation>,
    pub effect: Effect,
    /// True if all later operations fail too, as on a disk that has gone away.
    pub for_good: bool,
}

impl InjectedFault {
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
    fault: Option<InjectedFault>,
    matching: u64,
    fired: bool,
    log: Vec<(Operation, String)>,
}

impl<D: Directory> FaultDirectory<D> {
    /// Creates a directory without a fault, which only counts operations.
    pub fn new(inner: D) -> Self {
        Self { inner, plan: Arc::default() }
    }

    pub fn with_fault(inner: D, fault: InjectedFault) -> Self {
        let directory = Self::new(inner);
        directory.set_fault(Some(fault));
        directory
    }

    /// Arms a fault, or none; counting restarts from 0.
    pub fn set_fault(&self, fault: Option<InjectedFault>) {
        *self.plan.lock() = Plan { fault, ..Plan::default() };
    }

    /// Returns whether the planned operation has been reached.
    pub fn has_fired(&self) -> bool {
        self.plan.lock().fired
    }

    /// Returns the number of operations since the fault was set.
    pub fn operations(&self) -> u64 {
        self.plan.lock().log.len() as u64
    }

    /// Returns the operations since the fault was set, with the (new) name of their file.
    pub fn log(&self) -> Vec<(Operation, String)> {
        self.plan.lock().log.clone()
    }

    pub fn inner(&self) -> &D {
        &self.inner
    }

    /// Counts an atomic operation, and runs it unless it is to fail.
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
