//! Options of snapshots.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bucket::BucketOptions;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// Folder of the snapshot.
    pub folder: PathBuf,
    /// Interval of scheduled snapshots.
    pub period: Option<Duration>,
    /// Unix mode of the file.
    pub file_mode: u32,
    /// Object storage to use in place of the folder.
    pub storage: Option<ObjectStorage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectStorage {
    pub bucket: BucketOptions,
    /// Prefix of the object's name.
    pub prefix: String,
    /// Level from 0, which only stores, to 9.
    pub compression_level: u32,
}

impl SnapshotOptions {
    /// Default mode: readable by the owner alone, since a snapshot holds every document and key.
    pub const FILE_MODE: u32 = 0o400;

    /// Returns options for a folder beside the data folder, without a schedule.
    pub(crate) fn beside(db_path: &Path) -> Self {
        Self {
            folder: db_path.with_file_name("snapshots"),
            period: None,
            file_mode: Self::FILE_MODE,
            storage: None,
        }
    }
}
