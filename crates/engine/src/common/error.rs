//! Errors that prevent an instance from starting. Errors of a running one are
//! `model::ServiceError`.

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

    #[error(
        "an import into the data folder {} was cut short; start again with the import, or remove \
         the folder",
        path.display()
    )]
    UnfinishedImport { path: PathBuf },

    #[error(
        "the {what} {} cannot be imported, because there is a database at {} already; choose \
         another --db-path or add --ignore-{what}-if-db-exists",
        file.display(),
        db_path.display()
    )]
    ImportOverDatabase { what: &'static str, db_path: PathBuf, file: PathBuf },

    #[error(
        "there is no {what} at {}; add --ignore-missing-{what} to start without it",
        file.display()
    )]
    ImportMissing { what: &'static str, file: PathBuf },

    #[error("the {what} {} cannot be imported: {why}", file.display())]
    ImportRefused { what: &'static str, file: PathBuf, why: String },

    #[error("meta.redb cannot be opened: {0}")]
    Meta(String),

    #[error("the task queue cannot be opened: {0}")]
    Queue(String),
}
