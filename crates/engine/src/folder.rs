//! The data folder: its layout, its version mark, and the lock that keeps a second process out.
//!
//! ```text
//! VERSION       format version of the folder, one integer
//! LOCK          held with an advisory lock while a process uses the folder
//! meta.redb     tasks, batches, index registry, features
//! payloads/     bodies of tasks that have not run yet
//! indexes/      one folder per index, named by its uuid
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::error::OpenError;

/// Raised whenever an older program could misread what a newer one wrote.
const FOLDER_VERSION: u32 = 1;

#[derive(Debug)]
pub(crate) struct DataFolder {
    root: PathBuf,
    // Held for its lock, which the operating system gives back even after a crash.
    _lock: File,
}

impl DataFolder {
    pub fn open(root: &Path) -> Result<Self, OpenError> {
        let io = |what: &str, error| OpenError::Folder {
            path: root.to_owned(),
            what: what.to_owned(),
            error,
        };
        fs::create_dir_all(root).map_err(|e| io("cannot be created", e))?;
        let was_empty = fs::read_dir(root).map_err(|e| io("cannot be read", e))?.next().is_none();
        let lock = lock(root)?;
        let folder = Self { root: root.to_owned(), _lock: lock };
        if was_empty {
            folder.write_version().map_err(|e| io("cannot be written", e))?;
        }
        folder.check_version()?;
        for sub in [folder.payloads(), folder.indexes()] {
            fs::create_dir_all(&sub).map_err(|e| io("cannot be written", e))?;
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

    /// Bytes of every file in the folder.
    pub fn size(&self) -> u64 {
        folder_size(&self.root)
    }

    fn write_version(&self) -> io::Result<()> {
        let mut file = File::create_new(self.root.join("VERSION"))?;
        writeln!(file, "{FOLDER_VERSION}")?;
        file.sync_all()
    }

    fn check_version(&self) -> Result<(), OpenError> {
        let path = self.root.join("VERSION");
        let text = fs::read_to_string(&path)
            .map_err(|_| OpenError::NotADataFolder { path: self.root.clone() })?;
        match text.trim().parse::<u32>() {
            Ok(FOLDER_VERSION) => Ok(()),
            Ok(found) => Err(OpenError::Version { found, expected: FOLDER_VERSION }),
            Err(_) => Err(OpenError::DamagedVersion { path }),
        }
    }
}

fn lock(root: &Path) -> Result<File, OpenError> {
    let path = root.join("LOCK");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(
        |error| OpenError::Folder { path: path.clone(), what: "cannot be opened".into(), error },
    )?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked { path: root.to_owned() }),
        Err(TryLockError::Error(error)) => {
            Err(OpenError::Folder { path, what: "cannot be locked".into(), error })
        }
    }
}

/// Makes the names in a folder durable.
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
