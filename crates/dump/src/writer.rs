//! Writes an archive under a temporary name; it is renamed when it is complete and synced.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use tar::{Builder, Header};

use crate::error::DumpError;
use crate::unfinished;

/// Documents compress well at any level; higher ones take much longer for little.
const LEVEL: u32 = 3;
/// Lines are buffered in memory up to this size, because an entry starts with its length.
const PART_BYTES: usize = 8 << 20;

pub struct DumpWriter {
    target: PathBuf,
    draft: TempFile,
    tar: Builder<GzEncoder<BufWriter<File>>>,
    modified_s: u64,
}

/// The temporary file; deleted on drop unless the dump was finished.
#[derive(Debug)]
struct TempFile {
    path: PathBuf,
    keep: bool,
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if !self.keep {
            // It may be gone already; the error that led here is reported.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl DumpWriter {
    /// Creates a dump that only the owner may read, since it holds keys. `modified_s` is the date
    /// of its entries.
    pub fn create(target: &Path, modified_s: u64) -> Result<Self, DumpError> {
        let mut name = target.as_os_str().to_owned();
        name.push(unfinished::ENDING);
        let path = PathBuf::from(name);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|error| DumpError::io(&path, error))?;
        // Marks the file as in use; systems without locks do not check for one.
        let _ = file.try_lock();
        let draft = TempFile { path, keep: false };
        let file = BufWriter::with_capacity(1 << 17, file);
        let tar = Builder::new(GzEncoder::new(file, Compression::new(LEVEL)));
        Ok(Self { target: target.to_owned(), draft, tar, modified_s })
    }

    /// Writes an entry with these bytes.
    pub fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), DumpError> {
        let mut header = Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        header.set_mtime(self.modified_s);
        let appended = self.tar.append_data(&mut header, name, bytes);
        appended.map_err(|error| DumpError::io(&self.draft.path, error))
    }

    pub fn json(&mut self, name: &str, value: &impl Serialize) -> Result<(), DumpError> {
        let failed = |error: serde_json::Error| DumpError::io(&self.draft.path, error.into());
        let bytes = serde_json::to_vec(value).map_err(failed)?;
        self.bytes(name, &bytes)
    }

    /// Starts a list of JSON lines, in entries `{name}-0.ndjson`, `{name}-1.ndjson` and so on; none
    /// if there is no line.
    pub fn lines<'w>(&'w mut self, name: &'w str) -> LineWriter<'w> {
        LineWriter { writer: self, name, part: 0, gathered: Vec::new() }
    }

    /// Syncs the archive, renames it to its final name and returns its length.
    pub fn finish(self) -> Result<u64, DumpError> {
        let Self { target, mut draft, tar, .. } = self;
        let failed = |error| DumpError::io(&draft.path, error);
        let file = tar.into_inner().and_then(GzEncoder::finish).map_err(failed)?;
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        fs::rename(&draft.path, &target).map_err(|error| DumpError::io(&target, error))?;
        draft.keep = true;
        sync_folder_of(&target).map_err(|error| DumpError::io(&target, error))?;
        Ok(bytes)
    }
}

impl fmt::Debug for DumpWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DumpWriter").field("target", &self.target).finish_non_exhaustive()
    }
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[derive(Debug)]
pub struct LineWriter<'w> {
    writer: &'w mut DumpWriter,
    name: &'w str,
    part: u64,
    gathered: Vec<u8>,
}

impl LineWriter<'_> {
    pub fn add(&mut self, line: &impl Serialize) -> Result<(), DumpError> {
        let path = &self.writer.draft.path;
        let failed = |error: serde_json::Error| DumpError::io(path, error.into());
        serde_json::to_writer(&mut self.gathered, line).map_err(failed)?;
        self.gathered.push(b'\n');
        if self.gathered.len() >= PART_BYTES {
            self.write_part()?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<(), DumpError> {
        if self.gathered.is_empty() { Ok(()) } else { self.write_part() }
    }

    fn write_part(&mut self) -> Result<(), DumpError> {
        let name = format!("{}-{}.ndjson", self.name, self.part);
        self.part += 1;
        self.gathered.flush().map_err(|error| DumpError::io(&self.writer.draft.path, error))?;
        self.writer.bytes(&name, &self.gathered)?;
        self.gathered.clear();
        Ok(())
    }
}
