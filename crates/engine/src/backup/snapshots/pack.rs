//! Packs the staging folder into an archive.
//!
//! ```text
//! VERSION
//! meta.redb
//! payloads/<uuid>
//! indexes/<uuid>/<file>
//! ```

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use model::{Cancel, ServiceError, private};
use tar::{Builder, Header};
use tasks::{Progress, RunError, Step};

use super::staging::Staging;
use super::unless_stopped;
use crate::common::failure::io_failure;
use crate::storage::folder::FOLDER_VERSION;

const BUFFER: usize = 1 << 20;
const MIB: u64 = 1 << 20;

/// Writes the archive and returns the file, not yet synced.
pub(super) fn pack(
    staging: &Staging,
    into: File,
    level: u32,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<File, RunError> {
    let failed = |error: io::Error| {
        unless_stopped(cancel, io_failure("the snapshot cannot be written", &error))
    };
    let files = files_of(staging).map_err(failed)?;
    let total: u64 = files.iter().map(|file| file.length).sum();
    let step = progress.enter("writing the archive", mib(total));
    let into = BufWriter::with_capacity(BUFFER, into);
    let mut tar = Builder::new(GzEncoder::new(into, Compression::new(level)));
    let version = format!("{FOLDER_VERSION}\n");
    add(&mut tar, "VERSION", version.len() as u64, version.as_bytes()).map_err(failed)?;
    let mut packed = 0;
    for file in files {
        let content = File::open(&file.path).map_err(failed)?;
        let content = ProgressReader { content, cancel, step: &step, read: packed };
        add(&mut tar, &file.name, file.length, content).map_err(failed)?;
        packed += file.length;
    }
    let mut buffer = tar.into_inner().and_then(GzEncoder::finish).map_err(failed)?;
    buffer.flush().map_err(failed)?;
    buffer.into_inner().map_err(|error| failed(error.into_error()))
}

/// Adds an entry that reveals nothing of the machine: no owner, no date, one mode.
fn add(
    tar: &mut Builder<impl Write>,
    name: &str,
    length: u64,
    content: impl Read,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(0o600);
    header.set_size(length);
    tar.append_data(&mut header, name, content)
}

struct StagedFile {
    name: String,
    path: PathBuf,
    length: u64,
}

/// Lists the files by name, so that equal states make equal archives.
fn files_of(staging: &Staging) -> io::Result<Vec<StagedFile>> {
    let meta = StagedFile {
        name: "meta.redb".to_owned(),
        length: fs::metadata(staging.meta())?.len(),
        path: staging.meta(),
    };
    let mut files = vec![meta];
    add_folder(&staging.payloads(), "payloads", &mut files)?;
    for index in sorted(&staging.indexes())? {
        let name = index.file_name().unwrap_or_default().to_string_lossy().into_owned();
        add_folder(&index, &format!("indexes/{name}"), &mut files)?;
    }
    Ok(files)
}

fn add_folder(folder: &Path, name: &str, files: &mut Vec<StagedFile>) -> io::Result<()> {
    for path in sorted(folder)? {
        let own = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let length = fs::metadata(&path)?.len();
        files.push(StagedFile { name: format!("{name}/{own}"), path, length });
    }
    Ok(())
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

/// A reader that can be stopped and reports progress.
struct ProgressReader<'a> {
    content: File,
    cancel: &'a Cancel,
    step: &'a Step,
    read: u64,
}

impl Read for ProgressReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("the snapshot was stopped"));
        }
        let read = self.content.read(into)?;
        self.read += read as u64;
        self.step.set(mib(self.read));
        Ok(read)
    }
}

fn mib(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(MIB)).unwrap_or(u32::MAX)
}

/// Creates a file that only its owner may read: it holds every document and key.
pub(super) fn create(path: &Path) -> Result<File, ServiceError> {
    let mut options = private::file_options();
    options.read(true).write(true).create_new(true);
    let what = format!("the snapshot cannot be written to {}", path.display());
    options.open(path).map_err(|error| io_failure(&what, &error))
}
