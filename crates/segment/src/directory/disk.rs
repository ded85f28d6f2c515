//! A folder of the file system. Files are read through memory maps, so the number of open
//! descriptors does not grow with the number of segments.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use maps::MapWatch;

use super::{Directory, FileBytes, FileWriter, check_name};
use crate::error::{Result, SegmentError};

#[derive(Debug, Clone)]
pub struct DiskDirectory {
    folder: PathBuf,
    /// Detects the loss of a mapped file.
    watch: MapWatch,
}

impl DiskDirectory {
    /// Opens a folder, creating it if it is missing; the caller syncs the parent folder.
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self> {
        let folder = folder.into();
        private_folder(&folder)
            .map_err(|source| SegmentError::io(&folder.to_string_lossy(), source))?;
        Ok(Self { folder, watch: MapWatch::default() })
    }

    /// Opens a folder that must exist.
    pub fn existing(folder: impl Into<PathBuf>) -> Result<Self> {
        let folder = folder.into();
        let source = match fs::metadata(&folder) {
            Ok(found) if found.is_dir() => return Ok(Self { folder, watch: MapWatch::default() }),
            Ok(_) => io::Error::from(io::ErrorKind::NotADirectory),
            Err(error) => error,
        };
        Err(SegmentError::io(&folder.to_string_lossy(), source))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, name: &str) -> Result<PathBuf> {
        check_name(name)?;
        Ok(self.folder.join(name))
    }

    fn folder_error(&self, source: io::Error) -> SegmentError {
        SegmentError::io(&self.folder.to_string_lossy(), source)
    }
}

/// Files contain documents: only the owner may read them, whatever the umask of the process.
fn private_options() -> OpenOptions {
    #[allow(unused_mut, reason = "only Unix has modes")]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

impl Directory for DiskDirectory {
    fn create(&self, name: &str) -> Result<Box<dyn FileWriter>> {
        let path = self.path(name)?;
        let file = private_options()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|source| SegmentError::io(name, source))?;
        Ok(Box::new(DiskFile { file, name: name.to_owned() }))
    }

    fn open(&self, name: &str) -> Result<FileBytes> {
        let path = self.path(name)?;
        map(&self.watch, &path, name).map_err(|source| SegmentError::io(name, source))
    }

    fn check_maps(&self) -> Result<()> {
        match self.watch.failed() {
            None => Ok(()),
            Some(name) => Err(SegmentError::damaged(&name, LOST)),
        }
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        let source_path = self.path(from)?;
        let target_path = self.path(to)?;
        // The file system would silently replace the target. Nothing else writes in this folder, so
        // checking first is enough.
        if target_path.try_exists().map_err(|source| SegmentError::io(to, source))? {
            return Err(SegmentError::io(to, io::ErrorKind::AlreadyExists.into()));
        }
        fs::rename(source_path, target_path).map_err(|source| SegmentError::io(from, source))
    }

    fn delete(&self, name: &str) -> Result<()> {
        let path = self.path(name)?;
        fs::remove_file(path).map_err(|source| SegmentError::io(name, source))
    }

    fn list(&self) -> Result<Vec<(String, u64)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(|error| self.folder_error(error))? {
            let entry = entry.map_err(|error| self.folder_error(error))?;
            let metadata = entry.metadata().map_err(|error| self.folder_error(error))?;
            // Names that we could not have written are not ours to report or delete.
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if metadata.is_file() && check_name(&name).is_ok() {
                files.push((name, metadata.len()));
            }
        }
        files.sort();
        Ok(files)
    }

    #[cfg(unix)]
    fn sync(&self) -> Result<()> {
        File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| self.folder_error(error))
    }

    /// Other systems cannot open a folder as a file; names are as durable as the system makes them.
    #[cfg(not(unix))]
    fn sync(&self) -> Result<()> {
        Ok(())
    }
}

const LOST: &str = "a part of it could not be read while it was in use; it was cut short, or the \
                    disk has failed";

fn map(watch: &MapWatch, path: &Path, name: &str) -> io::Result<FileBytes> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    // An empty range cannot be mapped.
    if metadata.len() == 0 {
        return Ok(FileBytes::default());
    }
    // SAFETY: a file is opened only once it is complete, and from then on it is never written to:
    // names are not reused and `create` refuses existing ones. Deleting it while it is mapped keeps
    // the mapped pages alive. If another process truncates it, the watch detects it.
    #[allow(unsafe_code)]
    let mapped = unsafe { watch.map(&file, name) }?;
    Ok(FileBytes::from_owner(mapped))
}

struct DiskFile {
    file: File,
    name: String,
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FileWriter for DiskFile {
    fn sync(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|source| SegmentError::io(&self.name, source))
    }
}
