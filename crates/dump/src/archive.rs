//! Reads a dump archive (gzip around tar) entry by entry, in any order. Reading up to `finish`
//! verifies every byte; nothing is unpacked to disk.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use serde::de::DeserializeOwned;

use crate::error::DumpError;
use crate::lines::{self, LineError};
use crate::tar_stream::{TarEntry, TarError, TarStream};

/// Limit for entries that are read as a whole. The largest are settings, which came in a request.
const MOST_WHOLE_BYTES: u64 = 256 << 20;
/// More than any instance needs.
const MOST_ENTRIES: usize = 16 << 20;

/// Name and length of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryHeader {
    pub name: String,
    pub bytes: u64,
}

#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    tar: TarStream<GzDecoder<BufReader<File>>>,
    /// Name of the current entry; empty before the first.
    current: String,
    /// Names of all entries so far; hashes would do, but names are short and few.
    seen: HashSet<String>,
}

impl Archive {
    pub fn open(path: &Path) -> Result<Self, DumpError> {
        let file = File::open(path).map_err(|error| DumpError::io(path, error))?;
        let tar = TarStream::new(GzDecoder::new(BufReader::with_capacity(1 << 17, file)));
        let (current, seen) = (String::new(), HashSet::new());
        Ok(Self { path: path.to_owned(), tar, current, seen })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Advances to the next file; `None` at the end. Folders are skipped.
    pub fn next_entry(&mut self) -> Result<Option<EntryHeader>, DumpError> {
        loop {
            let next = self.tar.next_entry();
            let TarEntry { name, bytes, is_folder } = match next {
                Ok(Some(entry)) => entry,
                Ok(None) => return Ok(None),
                Err(TarError::Io(error)) => {
                    let after = match self.current.as_str() {
                        "" => String::new(),
                        current => format!(" after `{current}`"),
                    };
                    return Err(match DumpError::reading(&self.path, "", error) {
                        DumpError::Damaged { path, what } => {
                            DumpError::Damaged { path, what: format!("{what}{after}") }
                        }
                        other => other,
                    });
                }
                Err(TarError::Entry { name, what }) => {
                    return Err(DumpError::entry(&self.path, &name, what));
                }
            };
            self.current.clone_from(&name);
            if is_folder {
                continue;
            }
            if self.seen.len() >= MOST_ENTRIES {
                return Err(DumpError::refused(&self.path, "it has too many entries"));
            }
            if !self.seen.insert(name.clone()) {
                return Err(self.wrong("is there twice"));
            }
            return Ok(Some(EntryHeader { name, bytes }));
        }
    }

    /// Reads the current entry as JSON.
    pub fn json<T: DeserializeOwned>(&mut self) -> Result<T, DumpError> {
        let bytes = self.whole()?;
        serde_json::from_slice(&bytes)
            .map_err(|error| self.wrong(format!("is no JSON of its kind: {error}")))
    }

    /// Reads the current entry as text, trimmed.
    pub fn text(&mut self) -> Result<String, DumpError> {
        let bytes = self.whole()?;
        match str::from_utf8(&bytes) {
            Ok(text) => Ok(text.trim().to_owned()),
            Err(_) => Err(self.wrong("is no text")),
        }
    }

    fn whole(&mut self) -> Result<Vec<u8>, DumpError> {
        let mut bytes = Vec::new();
        let read = (&mut self.tar).take(MOST_WHOLE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| DumpError::reading(&self.path, &self.current, error))?;
        if bytes.len() as u64 > MOST_WHOLE_BYTES {
            return Err(self.wrong("is too large"));
        }
        Ok(bytes)
    }

    /// Calls `each` for every line of the current entry.
    pub fn for_each_line<E: From<DumpError>>(
        &mut self,
        each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        lines::for_each(&mut self.tar, each).map_err(|error| match error {
            LineError::Other(error) => error,
            LineError::Io(error) => DumpError::reading(&self.path, &self.current, error).into(),
            LineError::TooLong => self.wrong("has a line that is too long").into(),
        })
    }

    /// Calls `each` for every line of the current entry, parsed as JSON.
    pub fn for_each_json<T: DeserializeOwned, E: From<DumpError>>(
        &mut self,
        mut each: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let (path, entry) = (self.path.clone(), self.current.clone());
        let mut number = 0_u64;
        self.for_each_line(|line| {
            number += 1;
            let value = serde_json::from_slice(line).map_err(|error| {
                let what = format!("cannot be read, line {number}: {error}");
                DumpError::entry(&path, &entry, what)
            })?;
            each(value)
        })
    }

    /// Copies the current entry. The inner result is that of `out`, the outer that of the archive.
    pub fn copy_to(&mut self, out: &mut dyn Write) -> Result<io::Result<()>, DumpError> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = self.tar.read(&mut buffer);
            match read.map_err(|error| DumpError::reading(&self.path, &self.current, error))? {
                0 => return Ok(Ok(())),
                read => {
                    if let Err(error) = out.write_all(&buffer[..read]) {
                        return Ok(Err(error));
                    }
                }
            }
        }
    }

    /// Returns an error about the current entry.
    pub fn wrong(&self, what: impl Into<String>) -> DumpError {
        DumpError::entry(&self.path, &self.current, what)
    }

    /// Reads the rest and verifies the checksum of the archive.
    pub fn finish(mut self) -> Result<(), DumpError> {
        while self.next_entry()?.is_some() {}
        let path = self.path;
        let failed = |error| DumpError::reading(&path, "", error);
        let mut below = self.tar.finish().map_err(failed)?.into_inner();
        if below.fill_buf().map_err(failed)?.is_empty() {
            return Ok(());
        }
        let what = "it has data after its end".to_owned();
        Err(DumpError::Damaged { path: path.clone(), what })
    }
}
