//! Files and folders that only their owner may read. The data folder holds every document and every
//! key, so access must not depend on the umask.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

#[cfg(unix)]
const FOLDER_MODE: u32 = 0o700;
#[cfg(unix)]
const FILE_MODE: u32 = 0o600;

/// Returns options for a file that may be created.
pub fn file_options() -> OpenOptions {
    #[allow(unused_mut, reason = "only Unix has modes")]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, FILE_MODE);
    options
}

/// Creates a file like `File::create`.
pub fn create_file(path: &Path) -> io::Result<File> {
    file_options().write(true).create(true).truncate(true).open(path)
}

/// Creates a folder like `fs::create_dir`.
pub fn create_dir(path: &Path) -> io::Result<()> {
    dir_builder().create(path)
}

/// Creates folders like `fs::create_dir_all`.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    dir_builder().recursive(true).create(path)
}

/// Like `create_dir_all`, but missing folders above it, which may be shared, get the usual rights.
pub fn create_root(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    create_dir_all(path)
}

fn dir_builder() -> fs::DirBuilder {
    #[allow(unused_mut, reason = "only Unix has modes")]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, FOLDER_MODE);
    builder
}

/// Restricts an existing folder to its owner, and so everything in it.
pub fn close_dir(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut permissions = fs::metadata(path)?.permissions();
        let mode = permissions.mode();
        if mode & 0o077 != 0 {
            permissions.set_mode(mode & !0o077);
            fs::set_permissions(path, permissions)?;
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn created_files_are_readable_by_their_owner_only() {
        let top = std::env::temp_dir().join(format!("sonde-private-{}", std::process::id()));
        let folder = top.join("data");
        create_root(&folder).unwrap();
        create_root(&folder).unwrap();
        create_dir_all(&folder.join("indexes/1")).unwrap();
        assert_eq!(mode(&folder.join("indexes")), 0o700);
        let file = folder.join("file");
        create_file(&file).unwrap();
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        close_dir(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        assert!(create_dir_all(&file).is_err());
        fs::remove_dir_all(&top).unwrap();
    }
}
