//! A folder in memory that tracks what has been synced, to simulate power loss in tests:
//! [`MemoryDirectory::crash`] returns the folder that a machine would find afterwards.
//!
//! Bytes and names are durable separately, as on a real file system: a synced file whose name
//! was never synced is gone, and a synced name of an unsynced file points to an empty file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Directory, FileBytes, FileWriter, check_name};
use crate::error::{Result, SegmentError};

#[derive(Debug, Clone, Default)]
pub struct MemoryDirectory {
    state: Arc<Mutex<State>>,
}

type File = Arc<Mutex<Contents>>;

#[derive(Debug, Default)]
struct State {
    names: BTreeMap<String, File>,
    durable_names: BTreeMap<String, File>,
    /// Changes of names since the last sync, in order.
    unsynced: Vec<NameChange>,
}

#[derive(Debug, Default)]
struct Contents {
    bytes: Vec<u8>,
    durable_length: usize,
}

#[derive(Debug, Clone)]
enum NameChange {
    Created(String, File),
    Renamed(String, String, File),
    Deleted(String),
}

impl MemoryDirectory {
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the folder after power loss, in the strictest reading: everything unsynced is lost,
    /// be it bytes, names or deletions.
    pub fn crash(&self) -> Self {
        self.after_crash(|_| 0, || false)
    }

    /// Returns a possible folder after power loss: of every file a random part of the unsynced
    /// bytes survived, and every unsynced change of a name may or may not have happened.
    pub fn crash_with_seed(&self, seed: u64) -> Self {
        let lengths = Mutex::new(SplitMix(seed));
        let names = Mutex::new(SplitMix(!seed));
        self.after_crash(
            |unsynced| (lengths.lock().next() % (unsynced as u64 + 1)) as usize,
            || names.lock().next() & 1 == 1,
        )
    }

    fn after_crash(&self, survivors: impl Fn(usize) -> usize, happened: impl Fn() -> bool) -> Self {
        let state = self.state.lock();
        let mut names = state.durable_names.clone();
        for change in &state.unsynced {
            if happened() {
                change.apply(&mut names);
            }
        }
        let names: BTreeMap<String, File> = names
            .into_iter()
            .map(|(name, file)| {
                let file = file.lock();
                let durable = file.durable_length;
                let length = durable + survivors(file.bytes.len() - durable);
                (name, Contents::durable(file.bytes[..length].to_vec()))
            })
            .collect();
        Self {
            state: Arc::new(Mutex::new(State {
                durable_names: names.clone(),
                names,
                unsynced: Vec::new(),
            })),
        }
    }

    /// Adds a file as if it had always existed, to test with damaged bytes.
    pub fn put(&self, name: &str, bytes: Vec<u8>) {
        let file = Contents::durable(bytes);
        let mut state = self.state.lock();
        state.names.insert(name.to_owned(), file.clone());
        state.durable_names.insert(name.to_owned(), file);
    }
}

impl Contents {
    fn durable(bytes: Vec<u8>) -> File {
        Arc::new(Mutex::new(Self { durable_length: bytes.len(), bytes }))
    }
}

impl NameChange {
    fn apply(&self, names: &mut BTreeMap<String, File>) {
        match self {
            Self::Created(name, file) => {
                names.insert(name.clone(), file.clone());
            }
            Self::Renamed(from, to, file) => {
                names.remove(from);
                names.insert(to.clone(), file.clone());
            }
            Self::Deleted(name) => {
                names.remove(name);
            }
        }
    }
}

impl Directory for MemoryDirectory {
    fn create(&self, name: &str) -> Result<Box<dyn FileWriter>> {
        check_name(name)?;
        let mut state = self.state.lock();
        if state.names.contains_key(name) {
            return Err(SegmentError::io(name, io::ErrorKind::AlreadyExists.into()));
        }
        let file = File::default();
        state.names.insert(name.to_owned(), file.clone());
        state.unsynced.push(NameChange::Created(name.to_owned(), file.clone()));
        Ok(Box::new(MemoryFile(file)))
    }

    fn open(&self, name: &str) -> Result<FileBytes> {
        check_name(name)?;
        let state = self.state.lock();
        let file = state
            .names
            .get(name)
            .ok_or_else(|| SegmentError::io(name, io::ErrorKind::NotFound.into()))?;
        let bytes = file.lock().bytes.clone();
        Ok(FileBytes::from(bytes))
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        check_name(from)?;
        check_name(to)?;
        let mut state = self.state.lock();
        if state.names.contains_key(to) {
            return Err(SegmentError::io(to, io::ErrorKind::AlreadyExists.into()));
        }
        let file = state
            .names
            .remove(from)
            .ok_or_else(|| SegmentError::io(from, io::ErrorKind::NotFound.into()))?;
        state.names.insert(to.to_owned(), file.clone());
        state.unsynced.push(NameChange::Renamed(from.to_owned(), to.to_owned(), file));
        Ok(())
    }

    fn delete(&self, name: &str) -> Result<()> {
        check_name(name)?;
        let mut state = self.state.lock();
        if state.names.remove(name).is_none() {
            return Err(SegmentError::io(name, io::ErrorKind::NotFound.into()));
        }
        state.unsynced.push(NameChange::Deleted(name.to_owned()));
        Ok(())
    }

    fn list(&self) -> Result<Vec<(String, u64)>> {
        let state = self.state.lock();
        let length = |file: &File| file.lock().bytes.len() as u64;
        Ok(state.names.iter().map(|(name, file)| (name.clone(), length(file))).collect())
    }

    fn sync(&self) -> Result<()> {
        let mut state = self.state.lock();
        state.durable_names = state.names.clone();
        state.unsynced.clear();
        Ok(())
    }
}

struct MemoryFile(File);

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FileWriter for MemoryFile {
    fn sync(&mut self) -> Result<()> {
        let mut contents = self.0.lock();
        contents.durable_length = contents.bytes.len();
        Ok(())
    }
}

/// A minimal generator, deterministic by seed, which is all that crashes need.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
