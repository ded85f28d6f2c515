//! Starting from a dump, of this program or of Meilisearch.

use std::path::Path;

use dump::{Archive, DumpError, Metadata, Origin};
use model::ServiceError;
use tasks::QueueError;

use super::new_instance::NewInstance;
use super::{own, v6};
use crate::EngineOptions;
use crate::error::OpenError;
use crate::import::Import;
use crate::new_folder::NewFolder;

/// Why a dump is not imported, without the name of its file.
#[derive(Debug)]
pub(super) struct Refusal(pub String);

impl From<DumpError> for Refusal {
    fn from(error: DumpError) -> Self {
        Refusal(match error {
            DumpError::Io { source, .. } => format!("it cannot be read: {source}"),
            DumpError::Damaged { what, .. } => format!("it is damaged or no dump: {what}"),
            DumpError::Entry { entry, what, .. } => format!("its entry `{entry}` {what}"),
            DumpError::Refused { what, .. } => what,
        })
    }
}

impl From<ServiceError> for Refusal {
    fn from(error: ServiceError) -> Self {
        Refusal(error.message)
    }
}

impl From<QueueError> for Refusal {
    fn from(error: QueueError) -> Self {
        Refusal(error.to_string())
    }
}

/// Makes the data folder from a dump if it is time to. Returns whether it was.
pub fn import_dump(import: &Import, options: &EngineOptions) -> Result<bool, OpenError> {
    if !import.is_due("dump", &options.db_path)? {
        return Ok(false);
    }
    let refused = |Refusal(why): Refusal| OpenError::ImportRefused {
        what: "dump",
        file: import.file.clone(),
        why,
    };
    // Before there is a folder: a dump that is damaged leaves nothing behind.
    let contents = Contents::of(&import.file).map_err(refused)?;
    let folder = NewFolder::create(&options.db_path)?;
    let filled = NewInstance::create(folder.root(), options)
        .and_then(|instance| contents.fill(&import.file, instance));
    filled.map_err(refused)?;
    folder.finish()?;
    Ok(true)
}

/// What a dump holds, but for its documents and tasks.
enum Contents {
    Own(own::Survey),
    Meilisearch(v6::Survey),
}

impl Contents {
    /// Reads all of the archive.
    fn of(file: &Path) -> Result<Self, Refusal> {
        match origin(file)? {
            Origin::Own(metadata) => own::survey(file, metadata).map(Self::Own),
            Origin::Meilisearch { version } => {
                tracing::info!("the dump was made by Meilisearch {version}");
                v6::survey(file).map(Self::Meilisearch)
            }
        }
    }

    fn fill(self, file: &Path, instance: NewInstance<'_>) -> Result<(), Refusal> {
        match self {
            Self::Own(survey) => survey.fill(file, instance),
            Self::Meilisearch(survey) => survey.fill(file, instance),
        }
    }
}

fn origin(file: &Path) -> Result<Origin, Refusal> {
    let mut archive = Archive::open(file)?;
    while let Some(head) = archive.next_entry()? {
        if head.name == Metadata::ENTRY {
            let metadata = archive.json()?;
            return Origin::of(metadata).map_err(|what| archive.wrong(what).into());
        }
    }
    Err(Refusal(format!("it is no dump: it has no entry `{}`", Metadata::ENTRY)))
}
