//! Stores the snapshot as a local file. The old one stays whole until the new one, complete and
//! synced, replaces it atomically.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use model::Cancel;
use tasks::{Progress, RunError};

use super::options::SnapshotOptions;
use super::pack;
use super::staging::Staging;
use crate::common::failure::io_failure;
use crate::storage::folder::sync_folder;

/// Compression level. Most bytes are in segments, which are compressed already.
const LEVEL: u32 = 1;

pub(super) fn deliver(
    staging: &Staging,
    options: &SnapshotOptions,
    name: &str,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<(), RunError> {
    let folder = options.folder.as_path();
    let failed = |error: io::Error| {
        io_failure(&format!("the snapshot cannot be written to {}", folder.display()), &error)
    };
    fs::create_dir_all(folder).map_err(failed)?;
    // Left over from an interrupted attempt.
    remove_draft(folder, name).map_err(failed)?;
    let draft = draft_of(folder, name);
    let written = pack::create(&draft)
        .map_err(RunError::from)
        .and_then(|file| pack::pack(staging, file, LEVEL, progress, cancel))
        .and_then(|file| {
            let published = publish(&file, options.file_mode, &draft, &folder.join(name), folder);
            published.map_err(|error| RunError::Failed(failed(error)))
        });
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

fn draft_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.draft"))
}

/// Returns whether there was one. Only one instance uses this data folder, so no other process
/// writes it.
pub(super) fn remove_draft(folder: &Path, name: &str) -> io::Result<bool> {
    match fs::remove_file(draft_of(folder, name)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn publish(file: &File, mode: u32, draft: &Path, target: &Path, folder: &Path) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(true);
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, mode);
    #[cfg(not(unix))]
    let _ = mode;
    file.set_permissions(permissions)?;
    file.sync_all()?;
    fs::rename(draft, target)?;
    sync_folder(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_option_decides_who_may_read_a_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        for mode in [SnapshotOptions::FILE_MODE, 0o440, 0o444] {
            let (draft, target) = (folder.path().join("draft"), folder.path().join("snapshot"));
            let file = pack::create(&draft).unwrap();
            publish(&file, mode, &draft, &target, folder.path()).unwrap();
            let found = fs::metadata(&target).unwrap().permissions().mode();
            assert_eq!(found & 0o777, mode);
        }
        assert_eq!(SnapshotOptions::FILE_MODE, 0o400);
    }
}
