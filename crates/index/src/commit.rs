//! The commit: makes a draft the current state, durably and at once.
//!
//! Order: component files are written and synced (before this file is entered) → files that the
//! manifest has outgrown → manifest under a draft name, synced → folder synced → rename → folder
//! synced → snapshot swapped → what is no longer needed removed. Until the rename the old
//! manifest is current, so any failure leaves the old state. From the rename on nobody can say
//! which of the two a restart would find, so a failure there stops writes and keeps the files
//! of both.

use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::attributes::Attributes;
use crate::error::{IndexError, Result};
use crate::file_name::FileName;
use crate::index::Index;
use crate::manifest;
use crate::segments::Segment;
use crate::snapshot::{self, Snapshot};
use crate::tracked_file::TrackedFile;

/// What the one who commits must hold.
#[derive(Debug)]
pub(crate) struct CommitState {
    /// Grows with every attempt, so that a failed one leaves no name in the way of the next.
    next_generation: u64,
    /// None before the first commit.
    manifest: Option<TrackedFile>,
}

/// The next state, on its way to become current.
#[derive(Debug)]
pub(crate) struct Draft {
    pub attributes: Attributes,
    pub segments: Vec<Segment>,
    /// All live documents of the segments.
    pub live: Arc<RoaringBitmap>,
}

impl CommitState {
    pub fn new(next_generation: u64) -> Self {
        Self { next_generation, manifest: None }
    }

    /// A number that no file of the folder has in its name.
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
    pub(crate) fn publish(&self, state: &mut CommitState, draft: Draft) -> Result<Arc<Snapshot>> {
        // Nothing is published that was made of lost parts of files.
        self.check_writable()?;
        let generation = state.take_generation();

        let (draft, manifest_draft) = self
            .write_manifest_draft(generation, draft)
            .inspect_err(|error| self.note_failed_write(error))?;
        let manifest = self.make_current(generation, &draft, manifest_draft)?;

        let new = Arc::new(Snapshot {
            generation,
            attributes: draft.attributes,
            segments: draft.segments,
            live: draft.live,
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

    /// Everything up to the point of no return. On failure the files written here disappear.
    fn write_manifest_draft(
        &self,
        generation: u64,
        mut draft: Draft,
    ) -> Result<(Draft, TrackedFile)> {
        draft.segments.retain(|segment| segment.live_count() > 0);
        draft.attributes.move_large_to_files(&self.directory, generation, &self.options)?;
        for segment in &mut draft.segments {
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
                &draft.attributes,
                &draft.segments,
            )
        })?;
        self.directory.sync()?;
        Ok((draft, manifest_draft))
    }

    /// The rename, and the sync that makes it last.
    fn make_current(
        &self,
        generation: u64,
        draft: &Draft,
        manifest_draft: TrackedFile,
    ) -> Result<TrackedFile> {
        // From here on a restart may need these files whatever happens. The draft's name goes
        // with the rename.
        snapshot::files(&draft.attributes, &draft.segments).for_each(TrackedFile::keep);
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
