//! Opens an index: finds the current manifest, opens its files, and removes what a crash left.
//!
//! The highest manifest under its final name is current. If it is damaged, that is reported and it
//! is never skipped: falling back to an older state would silently lose acknowledged writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::{Directory, SegmentError};

use crate::commit::CommitState;
use crate::embedders::EmbedderVectors;
use crate::error::{IndexError, Result};
use crate::field_names::FieldNames;
use crate::file_name::FileName;
use crate::index::Index;
use crate::index_meta::IndexMeta;
use crate::manifest::{self, Manifest};
use crate::options::Options;
use crate::segments::Segment;
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use crate::tracked_file::TrackedFile;

pub(crate) fn open(directory: Arc<dyn Directory>, options: Options) -> Result<Index> {
    let files = directory.list()?;
    let generation = current_generation(&files).ok_or(IndexError::Missing)?;
    let (snapshot, next_segment) = open_snapshot(&directory, generation)?;

    let manifest_name = FileName::Manifest(generation);
    remove_orphans(&*directory, &files, &snapshot, &manifest_name.to_string())?;

    let (next_generation, after_highest_segment) = next_numbers(&files);
    let manifest = TrackedFile::committed(&directory, &manifest_name, snapshot.manifest_bytes);
    let commit_state = CommitState::after_manifest(manifest, next_generation);
    let next_segment = next_segment.max(after_highest_segment);
    if options.preload_vectors {
        preload_vectors(&snapshot);
    }
    Ok(Index::assemble(directory, options, snapshot, commit_state, next_segment))
}

/// Reads the graphs. Damage is left for the searches that meet it to report; others continue.
fn preload_vectors(snapshot: &Snapshot) {
    for (name, vectors) in snapshot.embedders() {
        if let Err(error) = vectors.store().preload() {
            tracing::warn!(embedder = name, %error, "a graph cannot be read ahead");
        }
    }
}

pub(crate) fn current_generation(files: &[(String, u64)]) -> Option<u64> {
    let generation_of = |name: &str| match FileName::parse(name)? {
        FileName::Manifest(generation) => Some(generation),
        _ => None,
    };
    files.iter().filter_map(|(name, _)| generation_of(name)).max()
}

/// Opens the state of a manifest; also returns its next segment number.
fn open_snapshot(directory: &Arc<dyn Directory>, generation: u64) -> Result<(Snapshot, u64)> {
    let (mut manifest, manifest_bytes) = manifest::read(&**directory, generation)?;
    let meta = open_meta(directory, &mut manifest)?;
    let mut segments = Vec::with_capacity(manifest.segments.len());
    let mut live = RoaringBitmap::new();
    let mut live_count = 0;
    for entry in manifest.segments {
        let segment = Segment::open(directory, entry)?;
        live |= segment.live();
        live_count += segment.live_count();
        segments.push(segment);
    }
    if live.len() != live_count {
        let name = FileName::Manifest(generation).to_string();
        return Err(SegmentError::damaged(&name, "two segments have the same document").into());
    }
    live.optimize();
    let live = Arc::new(live);
    let directory = Arc::clone(directory);
    let snapshot = Snapshot { generation, meta, segments, live, manifest_bytes, directory };
    Ok((snapshot, manifest.next_segment))
}

/// Removes drafts, older manifests, and files that the current manifest does not name.
fn remove_orphans(
    directory: &dyn Directory,
    files: &[(String, u64)],
    snapshot: &Snapshot,
    manifest: &str,
) -> Result<()> {
    let needed: BTreeSet<&str> =
        snapshot.files().map(TrackedFile::name).chain([manifest]).collect();
    let orphans: Vec<&str> = files
        .iter()
        .map(|(name, _)| name.as_str())
        // A file with an unknown name is not ours to delete.
        .filter(|name| FileName::parse(name).is_some() && !needed.contains(name))
        .collect();
    if orphans.is_empty() {
        return Ok(());
    }
    // The commit may have been interrupted between its rename and the sync that makes it durable.
    // Before that, the older manifest must stay, and this state must not be used.
    directory.sync()?;
    for name in orphans {
        if let Err(error) = directory.delete(name) {
            tracing::warn!(file = name, %error, "a file that is no longer needed stays");
        }
    }
    Ok(())
}

/// Returns the lowest generation and segment number that no file of the folder has used.
pub(crate) fn next_numbers(files: &[(String, u64)]) -> (u64, u64) {
    let (mut next_generation, mut next_segment) = (1, 1);
    for (name, _) in files {
        match FileName::parse(name) {
            // Store numbers come from the same counter as those of segments.
            Some(FileName::Vectors { store, generation, .. }) => {
                next_segment = next_segment.max(store.max(generation).saturating_add(1));
            }
            Some(FileName::Component { segment, generation, .. }) => {
                next_segment = next_segment.max(segment.saturating_add(1));
                next_generation = next_generation.max(generation.saturating_add(1));
            }
            Some(
                FileName::Manifest(generation)
                | FileName::ManifestDraft(generation)
                | FileName::Side { generation, .. },
            ) => next_generation = next_generation.max(generation.saturating_add(1)),
            None => {}
        }
    }
    (next_generation, next_segment)
}

/// Takes the metadata out of a manifest, and reads the files that it names for it.
fn open_meta(directory: &Arc<dyn Directory>, manifest: &mut Manifest) -> Result<IndexMeta> {
    let settings = match manifest.settings_file {
        Some(generation) => Settings::open(directory, generation)?,
        None => Settings::new(std::mem::take(&mut manifest.settings)),
    };
    let embedders = std::mem::take(&mut manifest.embedders).into_iter().map(|entry| {
        let name = entry.name.clone();
        Ok((name, EmbedderVectors::open(directory, entry)?))
    });
    let recent_fields = std::mem::take(&mut manifest.fields);
    Ok(IndexMeta {
        created_at: manifest.created_at,
        updated_at: manifest.updated_at,
        primary_key: manifest.primary_key.as_deref().map(Arc::from),
        leads_with_key: manifest.leads_with_key,
        fields: FieldNames::open(directory, manifest.fields_file, recent_fields)?,
        settings,
        embedders: embedders.collect::<Result<_>>()?,
        next_doc_id: manifest.next_doc_id,
        receipt: std::mem::take(&mut manifest.receipt).into(),
    })
}
