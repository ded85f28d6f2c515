//! The data folder: its layout, version, and the lock that keeps a second process out.
//!
//! ```text
//! VERSION       format version of the folder, one integer
//! LOCK          held with an advisory lock while a process uses the folder
//! instance-uid  what telemetry names the instance by; written by others, and carried by dumps
//! meta.redb     all that is small: tasks, the index registry, keys, webhooks and more
//! payloads/     bodies of tasks that have not run yet
//! indexes/      one folder per index, named by its uuid
//!
//! snapshot-staging/   what a snapshot is being made of
//! IMPORT-UNFINISHED   the folder is being filled from a file and is no database yet
//! ```

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use model::private;
use uuid::Uuid;

use crate::common::error::OpenError;

/// Format version, raised whenever an older program could misread what a newer one wrote.
pub(crate) const FOLDER_VERSION: u32 = 1;

pub(crate) const VERSION_DRAFT: &str = "VERSION.draft";
pub(crate) const LOCK: &str = "LOCK";
/// Name of the file that marks an unfinished import.
pub(crate) const UNFINISHED: &str = "IMPORT-UNFINISHED";
const SNAPSHOT_STAGING: &str = "snapshot-staging";

#[derive(Debug)]
pub(crate) struct DataFolder {
    root: PathBuf,
    // Held for its lock, which the operating system releases even after a crash.
    _lock: File,
}

impl DataFolder {
    pub fn open(root: &Path) -> Result<Self, OpenError> {
        let io = |what: &str, error| OpenError::Folder {
            path: root.to_owned(),
            what: what.to_owned(),
            error,
        };
        private::create_root(root).map_err(|e| io("cannot be created", e))?;
        if root.join(UNFINISHED).exists() {
            return Err(OpenError::UnfinishedImport { path: root.to_owned() });
        }
        // Checked before anything is written: a folder of something else stays as it is.
        let is_new = is_new(root).map_err(|e| io("cannot be read", e))?;
        if !is_new && !root.join("VERSION").exists() {
            return Err(OpenError::NotADataFolder { path: root.to_owned() });
        }
        if let Err(error) = private::close_dir(root) {
            // The folder has another owner, who decides.
            tracing::warn!(%error, "the data folder stays open to other users of the machine");
        }
        let folder = Self { root: root.to_owned(), _lock: lock(root)? };
        if is_new {
            folder.write_version().map_err(|e| io("cannot be written", e))?;
        }
        folder.check_version()?;
        remove_staging(root).map_err(|e| io("cannot be written", e))?;
        for sub in [folder.payloads(), folder.indexes()] {
            private::create_dir_all(&sub).map_err(|e| io("cannot be written", e))?;
        }
        sync_folder(root).map_err(|e| io("cannot be synced", e))?;
        Ok(folder)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn meta(&self) -> PathBuf {
        self.root.join("meta.redb")
    }

    pub fn payloads(&self) -> PathBuf {
        self.root.join("payloads")
    }

    pub fn indexes(&self) -> PathBuf {
        self.root.join("indexes")
    }

    pub fn index(&self, id: Uuid) -> PathBuf {
        self.indexes().join(id.to_string())
    }

    /// Returns the ids of all index folders on disk, registered or not.
    pub fn index_ids(&self) -> Vec<Uuid> {
        let entries = fs::read_dir(self.indexes()).into_iter().flatten().flatten();
        entries.filter_map(|entry| Uuid::parse_str(entry.file_name().to_str()?).ok()).collect()
    }

    /// Returns the bytes of all files, except a snapshot being made, most of which is hard links.
    pub fn size(&self) -> u64 {
        folder_size(&self.root).saturating_sub(folder_size(&staging_of(&self.root)))
    }

    /// Fails if the task store is missing, which would look like an empty instance.
    pub fn check_meta(&self) -> Result<(), OpenError> {
        let length = fs::metadata(self.meta()).map_or(0, |found| found.len());
        let holds_data = [self.indexes(), self.payloads()]
            .iter()
            .any(|sub| fs::read_dir(sub).is_ok_and(|mut entries| entries.next().is_some()));
        if length == 0 && holds_data {
            return Err(OpenError::Meta(
                "it is missing or empty, though the folder holds indexes; restore it".to_owned(),
            ));
        }
        Ok(())
    }

    fn write_version(&self) -> io::Result<()> {
        let draft = self.root.join(VERSION_DRAFT);
        write_version_to(&private::create_file(&draft)?)?;
        fs::rename(draft, self.root.join("VERSION"))?;
        sync_folder(&self.root)
    }

    fn check_version(&self) -> Result<(), OpenError> {
        let path = self.root.join("VERSION");
        let text = fs::read_to_string(&path)
            .map_err(|_| OpenError::NotADataFolder { path: self.root.clone() })?;
        check_version_text(&text, &path)
    }
}

/// Fails if this program cannot read a folder with this VERSION text.
pub(crate) fn check_version_text(text: &str, path: &Path) -> Result<(), OpenError> {
    match text.trim().parse::<u32>() {
        Ok(FOLDER_VERSION) => Ok(()),
        Ok(found) => Err(OpenError::Version { found, expected: FOLDER_VERSION }),
        Err(_) => Err(OpenError::DamagedVersion { path: path.to_owned() }),
    }
}

fn write_version_to(mut file: &File) -> io::Result<()> {
    writeln!(file, "{FOLDER_VERSION}")?;
    file.sync_all()
}

/// Returns the folder in which a snapshot is assembled, inside the data folder, because hard links
/// need the same file system.
pub(crate) fn staging_of(data_folder: &Path) -> PathBuf {
    data_folder.join(SNAPSHOT_STAGING)
}

/// Removes the unfinished snapshot of a crash.
pub(crate) fn remove_staging(data_folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(staging_of(data_folder)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns whether the folder is empty, except for files of an interrupted first start.
fn is_new(root: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(root)? {
        let name = entry?.file_name();
        if name != LOCK && name != VERSION_DRAFT {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn lock(root: &Path) -> Result<File, OpenError> {
    let path = root.join(LOCK);
    let file =
        private::file_options().create(true).truncate(false).write(true).open(&path).map_err(
            |error| OpenError::Folder {
                path: path.clone(),
                what: "cannot be opened".into(),
                error,
            },
        )?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked { path: root.to_owned() }),
        Err(TryLockError::Error(error)) => {
            Err(OpenError::Folder { path, what: "cannot be locked".into(), error })
        }
    }
}

/// Makes the directory entries of a folder durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

pub(crate) fn folder_size(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => folder_size(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
