//! The instance uid: a random number that separates the figures of instances, and by which an
//! operator can have them deleted. It is in the data folder, and again in the user's configuration
//! folder, so that a database that is deleted and filled again stays the same instance.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// File name in the data folder.
pub const FILE_NAME: &str = "instance-uid";
/// Name of our folder in the configuration folder.
const PRODUCT: &str = "sonde";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    pub uid: Uuid,
    /// True if no stored uid was found.
    pub is_new: bool,
}

impl Identity {
    /// Finds or creates the uid and writes it to both places. A place that cannot be written stays
    /// as it is: nothing depends on it.
    pub fn establish(db_path: &Path, config_folder: Option<&Path>) -> Self {
        let original = db_path.join(FILE_NAME);
        let copy = config_folder.and_then(|folder| copy_path(db_path, folder));
        let known = read(&original).or_else(|| read(copy.as_deref()?));
        let uid = known.unwrap_or_else(Uuid::new_v4);
        for path in [Some(original), copy].into_iter().flatten() {
            if let Err(error) = write(&path, uid) {
                tracing::debug!("the instance uid was not written to {}: {error}", path.display());
            }
        }
        Self { uid, is_new: known.is_none() }
    }
}

/// Returns the folder for user configuration.
pub fn user_config_folder() -> Option<PathBuf> {
    let folder =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return folder("APPDATA");
    }
    if cfg!(target_os = "macos") {
        return folder("HOME").map(|home| home.join("Library/Application Support"));
    }
    folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config")))
}

/// Returns the copy's path, named after the data folder, because a user may have several.
fn copy_path(db_path: &Path, config_folder: &Path) -> Option<PathBuf> {
    let absolute = db_path.canonicalize().ok()?;
    let name = absolute.join(FILE_NAME).to_str()?.replace(['/', '\\', ':'], "-");
    Some(config_folder.join(PRODUCT).join(name.trim_start_matches('-')))
}

fn read(path: &Path) -> Option<Uuid> {
    Uuid::parse_str(fs::read_to_string(path).ok()?.trim()).ok()
}

/// Writes by renaming, so that a crash leaves the file whole.
fn write(path: &Path, uid: Uuid) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let draft = path.with_extension("draft");
    model::private::create_file(&draft)?.write_all(uid.to_string().as_bytes())?;
    fs::rename(draft, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uid_survives_the_loss_of_either_place() {
        let folder = tempfile::tempdir().unwrap();
        let (db, config) = (folder.path().join("data"), folder.path().join("config"));
        fs::create_dir(&db).unwrap();
        let first = Identity::establish(&db, Some(&config));
        assert!(first.is_new);
        let again = Identity { is_new: false, ..first };
        assert_eq!(Identity::establish(&db, Some(&config)), again);

        let original = db.join("instance-uid");
        assert_eq!(fs::read_to_string(&original).unwrap(), first.uid.to_string());
        fs::remove_file(&original).unwrap();
        assert_eq!(Identity::establish(&db, Some(&config)), again);
        assert_eq!(read(&original), Some(first.uid));

        let copy = copy_path(&db, &config).unwrap();
        let name = copy.file_name().unwrap().to_str().unwrap();
        assert!(name.ends_with("-data-instance-uid") && !name.starts_with('-'), "{name}");
        fs::write(&copy, "torn").unwrap();
        assert_eq!(Identity::establish(&db, Some(&config)), again);
        assert_eq!(read(&copy), Some(first.uid));
        assert_eq!(fs::read_dir(&db).unwrap().count(), 1);
    }

    #[test]
    fn database_uid_wins_and_each_database_is_an_instance() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        let config = folder.path().join("config");
        let first = Identity::establish(&one, Some(&config));
        assert_ne!(Identity::establish(&other, Some(&config)).uid, first.uid);
        let imported = Uuid::new_v4();
        fs::write(one.join(FILE_NAME), format!("{imported}\n")).unwrap();
        let now = Identity::establish(&one, Some(&config));
        assert_eq!(now, Identity { uid: imported, is_new: false });
    }

    #[test]
    fn unwritable_folders_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let nowhere = folder.path().join("file/data");
        assert!(Identity::establish(&nowhere, Some(&nowhere)).is_new);
        assert!(Identity::establish(&nowhere, None).is_new);
    }
}
