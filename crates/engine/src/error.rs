//! Why an instance cannot start. Errors of a running instance are `model::ServiceError`.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("the data folder {} {what}: {error}", path.display())]
    Folder { path: PathBuf, what: String, error: io::Error },

    #[error(
        "the data folder {} is in use by another process; stop it or choose another --db-path",
        path.display()
    )]
    Locked { path: PathBuf },

    #[error(
        "{} is not empty and holds no VERSION file, so it is not a data folder of Sonde; \
         choose another --db-path",
        path.display()
    )]
    NotADataFolder { path: PathBuf },

    #[error(
        "the data folder has format version {found}, and this program reads version {expected}; \
         use the version of Sonde that wrote it"
    )]
    Version { found: u32, expected: u32 },

    #[error("{} is damaged: it does not hold a version number", path.display())]
    DamagedVersion { path: PathBuf },

    #[error("meta.redb cannot be opened: {0}")]
    Meta(String),

    #[error("the task queue cannot be opened: {0}")]
    Queue(String),
}
