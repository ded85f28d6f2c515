//! Checks and describes a data folder while no server is running: whether every file is whole, and
//! what it holds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use model::Features;
use network::{NetworkStore, Placements};
use segment::DiskDirectory;
use uuid::Uuid;

use crate::chats::ChatStore;
use crate::common::error::OpenError;
use crate::indexes::catalog::is_left_over;
use crate::indexes::registry::Registry;
use crate::keys::KeyStore;
use crate::search_rules::{RuleLimits, RuleStore};
use crate::storage::feature_store::FeatureStore;
use crate::storage::folder::DataFolder;
use crate::storage::meta_door::without_panic;
use crate::webhooks::WebhookStore;

/// Result of [`verify`].
#[derive(Debug, Default)]
pub struct Report {
    pub indexes: usize,
    pub tasks: u64,
    pub problems: Vec<Problem>,
    /// Folders of index creations or deletions that were interrupted. The next start removes them.
    pub leftovers: Vec<String>,
}

/// A damaged file, by its path inside the data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: String,
    pub what: String,
}

/// Reads everything in the data folder, which no server may be using.
pub fn verify(db_path: &Path) -> Result<Report, OpenError> {
    if !db_path.join("VERSION").exists() {
        return Err(OpenError::NotADataFolder { path: db_path.to_owned() });
    }
    let folder = DataFolder::open(db_path)?;
    let mut report = Report::default();
    // The index folders are read even where the registry is damaged, so that it hides no other
    // damage.
    let found = without_panic(|| verify_meta(&folder, &mut report)).flatten();
    let (names, removed) = match found {
        Ok(RegisteredFolders { names, removed }) => (names, Some(removed)),
        Err(what) => {
            report.problems.push(Problem { file: META.to_owned(), what });
            (BTreeMap::new(), None)
        }
    };
    let mut folders: BTreeSet<Uuid> = names.keys().copied().collect();
    folders.extend(folder.index_ids());
    for id in folders {
        // Without the registry it is unknown which folders are left over.
        if let Some(removed) = &removed
            && !names.contains_key(&id)
            && is_left_over(&folder.index(id), id, removed)
        {
            report.leftovers.push(format!("indexes/{id}"));
            continue;
        }
        report.indexes += 1;
        verify_index(&folder, id, names.get(&id), &mut report);
    }
    Ok(report)
}

fn verify_index(folder: &DataFolder, id: Uuid, uid: Option<&String>, report: &mut Report) {
    let place = match uid {
        Some(uid) => format!("indexes/{id} (index `{uid}`)"),
        None => format!("indexes/{id} (no index has this folder)"),
    };
    match DiskDirectory::existing(folder.index(id)) {
        Ok(directory) => report.problems.extend(
            index::verify(&directory)
                .into_iter()
                .map(|found| Problem { file: format!("{place}/{}", found.file), what: found.what }),
        ),
        Err(error) => report.problems.push(Problem { file: place, what: error.to_string() }),
    }
}

const META: &str = "meta.redb";

/// Folders that the registry knows.
struct RegisteredFolders {
    names: BTreeMap<Uuid, String>,
    /// Folders of deleted indexes.
    removed: Vec<Uuid>,
}

fn verify_meta(folder: &DataFolder, report: &mut Report) -> Result<RegisteredFolders, String> {
    let mut database = redb::Database::open(folder.meta()).map_err(|error| error.to_string())?;
    let in_meta = |what: String| Problem { file: META.to_owned(), what };
    match database.check_integrity() {
        Ok(true) => {}
        Ok(false) => {
            let what = "was not closed cleanly; it has been repaired";
            report.problems.push(in_meta(what.to_owned()));
        }
        Err(error) => return Err(error.to_string()),
    }
    let database = Arc::new(database);
    let verified =
        tasks::verify(&database, &folder.payloads()).map_err(|error| error.to_string())?;
    report.tasks = verified.tasks;
    report.problems.extend(verified.problems.into_iter().map(in_meta));
    for result in [
        RuleStore::load(&database, RuleLimits::default()).map(drop).map_err(text),
        ChatStore::load(&database).map(drop).map_err(text),
        KeyStore::load(&database, None).map(drop).map_err(text),
        WebhookStore::load(&database, None).map(drop).map_err(text),
        FeatureStore::load(&database, Features::default(), false).map(drop).map_err(text),
        NetworkStore::load(&database).map(drop),
        Placements::load(&database).map(drop),
    ] {
        report.problems.extend(result.err().map(in_meta));
    }
    let registry = Registry::load(&database).map_err(text)?;
    let removed = Registry::removed(&database, |_| false).map_err(text)?;
    Ok(RegisteredFolders {
        names: registry.all().into_iter().map(|(uid, id)| (id, uid)).collect(),
        removed,
    })
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Explains one file of an index, or what a folder holds.
pub fn inspect(path: &Path) -> Result<String, String> {
    without_panic(|| inspect_path(path)).flatten()
}

fn inspect_path(path: &Path) -> Result<String, String> {
    if path.is_dir() {
        return inspect_folder(path);
    }
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .ok_or_else(|| format!("{} is not a file name", path.display()))?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = DiskDirectory::existing(parent.unwrap_or(Path::new(".")))
        .map_err(|error| error.to_string())?;
    inspect_file(&directory, name)
}

fn inspect_file(directory: &DiskDirectory, name: &str) -> Result<String, String> {
    let of_data_folder = match name {
        "VERSION" => "the version of the data folder",
        "LOCK" => "held by the server that uses the data folder",
        "meta.redb" => "indexes, settings of the instance, keys, tasks; `sonde verify` reads it",
        _ => return index::inspect(directory, name).map_err(|error| error.to_string()),
    };
    Ok(format!("{name}: {of_data_folder}"))
}

fn inspect_folder(path: &Path) -> Result<String, String> {
    let directory = DiskDirectory::existing(path).map_err(|error| error.to_string())?;
    let files = segment::Directory::list(&directory).map_err(|error| error.to_string())?;
    let mut text = String::new();
    for (name, _) in files {
        match inspect_file(&directory, &name) {
            Ok(explained) => text.push_str(&explained),
            Err(error) => text.push_str(&format!("{name}: {error}")),
        }
        text.push_str("\n\n");
    }
    if path.join("indexes").is_dir() {
        text.push_str(
            "indexes: a folder for each index; `sonde inspect` explains the files in one",
        );
    }
    if text.is_empty() {
        return Err(format!("{} holds no file of an index", path.display()));
    }
    Ok(text)
}
