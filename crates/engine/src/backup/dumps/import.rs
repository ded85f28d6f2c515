//! Imports a dump, of this program or of Meilisearch, at startup.

use std::path::Path;

use dump::{Archive, Metadata, Origin};

use super::error::ImportError;
use super::new_instance::NewInstance;
use super::options::ImportOptions;
use super::{own, v6};
use crate::common::error::OpenError;
use crate::storage::import::Import;
use crate::storage::new_folder::NewFolder;

/// Fills the data folder from a dump if an import is due. Returns whether it was.
pub fn import_dump(
    import: &Import,
    db_path: &Path,
    options: &ImportOptions,
) -> Result<bool, OpenError> {
    if !import.is_due("dump", db_path)? {
        return Ok(false);
    }
    let refused = |ImportError(why): ImportError| OpenError::ImportRefused {
        what: "dump",
        file: import.file.clone(),
        why,
    };
    // Done before the folder is created: a damaged dump leaves nothing behind.
    let contents = Contents::of(&import.file).map_err(refused)?;
    let folder = NewFolder::create(db_path)?;
    let filled = NewInstance::create(folder.root(), options)
        .and_then(|instance| contents.fill(&import.file, instance));
    filled.map_err(refused)?;
    folder.finish()?;
    Ok(true)
}

/// Contents of a dump without documents and tasks.
enum Contents {
    Own(own::Survey),
    Meilisearch(v6::Survey),
}

impl Contents {
    /// Reads the whole archive.
    fn of(file: &Path) -> Result<Self, ImportError> {
        match origin(file)? {
            Origin::Own(metadata) => own::survey(file, metadata).map(Self::Own),
            Origin::Meilisearch { version } => {
                tracing::info!("the dump was made by Meilisearch {version}");
                v6::survey(file).map(Self::Meilisearch)
            }
        }
    }

    fn fill(self, file: &Path, instance: NewInstance<'_>) -> Result<(), ImportError> {
        match self {
            Self::Own(survey) => survey.fill(file, instance),
            Self::Meilisearch(survey) => survey.fill(file, instance),
        }
    }
}

fn origin(file: &Path) -> Result<Origin, ImportError> {
    let mut archive = Archive::open(file)?;
    while let Some(head) = archive.next_entry()? {
        if head.name == Metadata::ENTRY {
            let metadata = archive.json()?;
            return Origin::of(metadata).map_err(|what| archive.wrong(what).into());
        }
    }
    Err(ImportError(format!("it is no dump: it has no entry `{}`", Metadata::ENTRY)))
}
