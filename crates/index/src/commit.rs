//! The commit: makes the next state current, durably and atomically.
//!
//! Order: component files are written and synced (before this file is entered) → large parts of the
//! manifest go to files → manifest under a draft name, synced → folder synced → rename → folder
//! synced → snapshot swapped → obsolete files removed. Until the rename the old manifest is
//! current, so any failure leaves the old state. From the rename on it is unknown which of the two
//! a restart would find, so a failure there stops writes and keeps the files of both.

use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::error::{IndexError, Result};
use crate::file_name::FileName;
use crate::index::Index;
use crate::index_meta::IndexMeta;
use crate::manifest;
use crate::segments::Segment;
use crate::snapshot::{self, Snapshot};
use crate::tracked_file::TrackedFile;

/// State of commits. Each commit holds its lock.
#[derive(Debug)]
pub(crate) struct CommitState {
    /// Incremented with every attempt, so that the name of a failed one does not block the next.
    next_generation: u64,
    /// `None` before the first commit.
    manifest: Option<TrackedFile>,
}

/// The state that a commit makes current.
#[derive(Debug)]
pub(crate) struct NextState {
    pub meta: IndexMeta,
    pub segments: Vec<Segment>,
    /// All live documents of the segments.
    pub live: Arc<RoaringBitmap>,
}

impl CommitState {
    pub fn new(next_generation: u64) -> Self {
        Self { next_generation, manifest: None }
    }

    /// Returns a number that no file name in the folder contains.
    pub fn take_generation(&mut self) -> u64 {
        let generation = self.next_generation;
        self.next_generation += 1;
        generation
    }

    pub fn after_manifest(manifest: TrackedFile, next_generation: u64) -> Self {
        Self { next_generation, manifest: Some(manifest) }
    }
}

impl Index {
    pub(crate) fn publish(
        &self,
        state: &mut CommitState,
        next: NextState,
    ) -> Result<Arc<Snapshot>> {
        // Never publish anything built from lost parts of files.
        self.check_writable()?;
        let generation = state.take_generation();

        let (next, manifest_draft) = self
            .write_manifest_draft(generation, next)
            .inspect_err(|error| self.note_failed_write(error))?;
        let manifest = self.make_current(generation, &next, manifest_draft)?;

        let new = Arc::new(Snapshot {
            generation,
            meta: next.meta,
            segments: next.segments,
            live: next.live,
            manifest_bytes: manifest.length(),
            directory: Arc::clone(&self.directory),
        });
        let old = self.current.swap(new.clone());
        snapshot::release_files_missing_from(&new, &old);
        if let Some(old_manifest) = state.manifest.replace(manifest) {
            old_manifest.release();
        }
        Ok(new)
    }

    /// Writes everything up to the point of no return. A failure removes the files written here.
    fn write_manifest_draft(
        &self,
        generation: u64,
        mut next: NextState,
    ) -> Result<(NextState, TrackedFile)> {
        next.segments.retain(|segment| segment.live_count() > 0);
        next.meta.move_large_to_files(&self.directory, generation, &self.options)?;
        for segment in &mut next.segments {
            let number = segment.number();
            segment.deleted_set_mut().move_to_file_if_large(
                &self.directory,
                number,
                generation,
                self.options.inline_deleted,
            )?;
        }
        let name = FileName::ManifestDraft(generation);
        let manifest_draft = TrackedFile::write(&self.directory, &name, |directory, name| {
            manifest::write(
                directory,
                name,
                generation,
                self.next_segment_number(),
                &next.meta,
                &next.segments,
            )
        })?;
        self.directory.sync()?;
        Ok((next, manifest_draft))
    }

    /// Renames the manifest, and syncs the folder to make that durable.
    fn make_current(
        &self,
        generation: u64,
        next: &NextState,
        manifest_draft: TrackedFile,
    ) -> Result<TrackedFile> {
        // From here on a restart may need these files whatever happens. The rename removes the
        // draft name.
        snapshot::files(&next.meta, &next.segments).for_each(TrackedFile::keep);
        manifest_draft.keep();
        let name = FileName::Manifest(generation);
        let renamed = self.directory.rename(manifest_draft.name(), &name.to_string());
        if let Err(error) = renamed.and_then(|()| self.directory.sync()) {
            let error = IndexError::from(error);
            self.stop_writes(&error);
            return Err(error);
        }
        Ok(TrackedFile::committed(&self.directory, &name, manifest_draft.length()))
    }
}
