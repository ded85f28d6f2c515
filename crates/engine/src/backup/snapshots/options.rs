//! Where snapshots go, and how often.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bucket::BucketOptions;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// The folder of the one snapshot that is kept.
    pub folder: PathBuf,
    /// How often one is taken without being asked for.
    pub period: Option<Duration>,
    /// Who may read the file, as Unix has it.
    pub file_mode: u32,
    /// Where they go instead.
    pub storage: Option<ObjectStorage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectStorage {
    pub bucket: BucketOptions,
    /// What stands before the name of the object.
    pub prefix: String,
    /// From 0, which only stores, to 9.
    pub compression_level: u32,
}

impl SnapshotOptions {
    /// A snapshot holds every document and every key, so it is for its owner alone.
    pub const FILE_MODE: u32 = 0o400;

    /// A folder beside the data folder, and no schedule.
    pub(crate) fn beside(db_path: &Path) -> Self {
        Self {
            folder: db_path.with_file_name("snapshots"),
            period: None,
            file_mode: Self::FILE_MODE,
            storage: None,
        }
    }
}
