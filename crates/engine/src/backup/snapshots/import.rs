//! Imports a snapshot at startup by unpacking it into a new data folder. The archive is untrusted,
//! so only files that a snapshot has are accepted, each once; and the folder is only kept if the
//! archive could be read to its end.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use dump::{Archive, DumpError};
use model::private;
use segment::DiskDirectory;
use uuid::Uuid;

use crate::common::error::OpenError;
use crate::indexes::registry::Registry;
use crate::storage::folder::{check_version_text, sync_folder};
use crate::storage::import::Import;
use crate::storage::new_folder::NewFolder;

const VERSION: &str = "VERSION";
const META: &str = "meta.redb";
/// Limit of the ratio of contents to archive. Honest snapshots expand a few times; a hostile one
/// expands without bound.
const MOST_PER_BYTE: u64 = 256;
const ALWAYS_FINE: u64 = 1 << 30;

/// Unpacks the snapshot if an import is due. Returns whether it was.
pub fn import_snapshot(import: &Import, db_path: &Path) -> Result<bool, OpenError> {
    if !import.is_due("snapshot", db_path)? {
        return Ok(false);
    }
    let folder = NewFolder::create(db_path)?;
    let refused = |what: String| OpenError::ImportRefused {
        what: "snapshot",
        file: import.file.clone(),
        why: what,
    };
    unpack(&import.file, folder.root()).map_err(refused)?;
    check(folder.root()).map_err(refused)?;
    folder.finish()?;
    Ok(true)
}

fn unpack(file: &Path, root: &Path) -> Result<(), String> {
    let mut archive = Archive::open(file).map_err(why)?;
    let length = fs::metadata(file).map_err(|error| error.to_string())?.len();
    let mut left = length.saturating_mul(MOST_PER_BYTE).saturating_add(ALWAYS_FINE);
    let mut folders = BTreeSet::from([root.to_owned()]);
    while let Some(head) = archive.next_entry().map_err(why)? {
        let name = &head.name;
        let place = place_of(name).ok_or_else(|| format!("`{name}` is no part of a snapshot"))?;
        left = left
            .checked_sub(head.bytes)
            .ok_or_else(|| format!("it would unpack to far more than its {length} bytes"))?;
        let path = root.join(place);
        let failed = |error: io::Error| format!("`{name}` cannot be unpacked: {error}");
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != root) {
            folders.insert(folder.to_owned());
        }
        private::create_dir_all(path.parent().unwrap_or(root)).map_err(failed)?;
        let mut into =
            private::file_options().write(true).create_new(true).open(&path).map_err(failed)?;
        archive.copy_to(&mut into).map_err(why)?.map_err(failed)?;
        into.sync_all().map_err(failed)?;
    }
    archive.finish().map_err(why)?;
    let synced = folders.iter().try_for_each(|folder| sync_folder(folder));
    synced.map_err(|error| format!("what was unpacked cannot be synced: {error}"))
}

/// Returns the reason without the name of the file, which the caller adds.
fn why(error: DumpError) -> String {
    match error {
        DumpError::Io { source, .. } => format!("it cannot be read: {source}"),
        DumpError::Damaged { what, .. } => format!("it is damaged: {what}"),
        DumpError::Entry { entry, what, .. } => format!("its entry `{entry}` {what}"),
        DumpError::Refused { what, .. } => what,
    }
}

/// Returns the path of a file of a snapshot; none for any other file.
fn place_of(name: &str) -> Option<PathBuf> {
    let is_plain = |text: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        text.bytes().all(allowed) && !text.starts_with('.')
    };
    let is_id = |text: &str| Uuid::try_parse(text).is_ok_and(|id| id.to_string() == text);
    let parts: Vec<&str> = name.split('/').collect();
    match parts[..] {
        [VERSION | META] => Some(PathBuf::from(name)),
        ["payloads", id] if is_id(id) => Some(Path::new("payloads").join(id)),
        ["indexes", id, file] if is_id(id) && is_plain(file) => {
            Some(Path::new("indexes").join(id).join(file))
        }
        _ => None,
    }
}

fn holds_an_index(folder: &DiskDirectory) -> bool {
    index::holds_an_index(folder).unwrap_or(false)
}

/// Checks that files that belong together are all there.
fn check(root: &Path) -> Result<(), String> {
    for name in [VERSION, META] {
        if !root.join(name).is_file() {
            return Err(format!("it holds no {name}, so it is not a snapshot of Sonde"));
        }
    }
    let text = fs::read_to_string(root.join(VERSION)).map_err(|error| error.to_string())?;
    check_version_text(&text, Path::new(VERSION)).map_err(|error| error.to_string())?;
    let in_meta = |error: &dyn std::fmt::Display| format!("its {META} cannot be used: {error}");
    let database = redb::Database::open(root.join(META)).map_err(|error| in_meta(&error))?;
    let registry = Registry::load(&database).map_err(|error| in_meta(&error))?;
    for (uid, id) in registry.all() {
        let folder = DiskDirectory::existing(root.join("indexes").join(id.to_string()));
        let Some(folder) = folder.ok().filter(holds_an_index) else {
            return Err(format!("it does not hold the index `{uid}`"));
        };
        if let Some(problem) = index::verify_dictionaries(&folder).first() {
            let (file, what) = (&problem.file, &problem.what);
            return Err(format!("its index `{uid}` is damaged: {file}: {what}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_a_snapshot_have_a_place() {
        let id = "0190f3a2-7b1c-7d2e-8f3a-4b5c6d7e8f90";
        for name in ["VERSION", "meta.redb"] {
            assert_eq!(place_of(name), Some(PathBuf::from(name)));
        }
        assert!(place_of(&format!("payloads/{id}")).is_some());
        assert!(place_of(&format!("indexes/{id}/17.documents.1")).is_some());
        assert!(place_of(&format!("indexes/{id}/vectors-9.graph.24")).is_some());
        let others = [
            "LOCK".to_owned(),
            "VERSION/x".to_owned(),
            "payloads/x".to_owned(),
            format!("payloads/{}", id.to_uppercase()),
            format!("indexes/{id}"),
            format!("indexes/{id}/.hidden"),
            format!("indexes/{id}/a/b"),
            format!("indexes/{id}/a b"),
            "indexes/../VERSION".to_owned(),
        ];
        for name in others {
            assert_eq!(place_of(&name), None, "{name}");
        }
    }
}
