//! Deleted documents of one segment. A small set is stored in the manifest; a large set moves to a
//! file of its own, and the manifest holds only later deletions, so that a commit rewrites neither
//! the segment nor the large set.

use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::Directory;

use crate::error::Result;
use crate::file_name::FileName;
use crate::section;
use crate::tracked_file::TrackedFile;

#[derive(Debug, Clone, Default)]
pub(crate) struct DeletedIds {
    all: Arc<RoaringBitmap>,
    /// The part of `all` that has its own file.
    spilled: Option<Arc<SpilledIds>>,
}

#[derive(Debug)]
struct SpilledIds {
    ids: Arc<RoaringBitmap>,
    generation: u64,
    file: TrackedFile,
}

impl DeletedIds {
    pub fn new(ids: RoaringBitmap) -> Self {
        Self { all: Arc::new(ids), spilled: None }
    }

    /// Opens the set that a manifest describes: optionally a file, and the ids deleted since.
    pub fn open(
        directory: &Arc<dyn Directory>,
        segment: u64,
        generation: Option<u64>,
        recent: RoaringBitmap,
    ) -> Result<Self> {
        let Some(generation) = generation else {
            return Ok(Self::new(recent));
        };
        let name = FileName::deleted(segment, generation);
        let (ids, length) = read(&**directory, &name.to_string())?;
        let all = Arc::new(&ids | &recent);
        let ids = if recent.is_empty() { all.clone() } else { Arc::new(ids) };
        let file = TrackedFile::committed(directory, &name, length);
        Ok(Self { all, spilled: Some(Arc::new(SpilledIds { ids, generation, file })) })
    }

    pub fn ids(&self) -> &RoaringBitmap {
        &self.all
    }

    pub fn share(&self) -> Arc<RoaringBitmap> {
        self.all.clone()
    }

    /// Returns the set for changes; copies it first if a snapshot shares it.
    pub fn ids_mut(&mut self) -> &mut RoaringBitmap {
        Arc::make_mut(&mut self.all)
    }

    /// Returns the ids that the manifest has to hold.
    pub fn recent(&self) -> RoaringBitmap {
        match &self.spilled {
            Some(spilled) if Arc::ptr_eq(&spilled.ids, &self.all) => RoaringBitmap::new(),
            Some(spilled) => &*self.all - &*spilled.ids,
            None => (*self.all).clone(),
        }
    }

    pub fn generation(&self) -> Option<u64> {
        self.spilled.as_ref().map(|spilled| spilled.generation)
    }

    pub fn file(&self) -> Option<&TrackedFile> {
        self.spilled.as_ref().map(|spilled| &spilled.file)
    }

    /// Moves the set to a file of this generation if it is too large for the manifest.
    pub fn move_to_file_if_large(
        &mut self,
        directory: &Arc<dyn Directory>,
        segment: u64,
        generation: u64,
        limit: u64,
    ) -> Result<()> {
        let in_file = self.spilled.as_ref().map_or(0, |spilled| spilled.ids.len());
        if self.all.len() - in_file <= limit {
            return Ok(());
        }
        let name = FileName::deleted(segment, generation);
        let bytes = section::bitmap_to_bytes(&self.all);
        let file = TrackedFile::write(directory, &name, |directory, name| {
            section::write_single(directory, name, section::DELETED, &bytes)
        })?;
        self.spilled = Some(Arc::new(SpilledIds { ids: self.all.clone(), generation, file }));
        Ok(())
    }
}

/// Reads the ids in a file; also returns its length.
pub(crate) fn read(directory: &dyn Directory, name: &str) -> segment::Result<(RoaringBitmap, u64)> {
    let (bytes, length) = section::read_single(directory, name, section::DELETED)?;
    Ok((section::bitmap_from_bytes(name, &bytes)?, length))
}

#[cfg(test)]
mod tests {
    use segment::MemoryDirectory;

    use super::*;

    #[test]
    fn large_sets_move_to_a_file_and_later_deletions_are_inline() {
        let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
        let mut deleted = DeletedIds::new((0..11).collect());
        deleted.move_to_file_if_large(&directory, 3, 7, 11).unwrap();
        assert_eq!(deleted.generation(), None);
        assert_eq!(deleted.recent().len(), 11);

        deleted.ids_mut().insert(20);
        deleted.move_to_file_if_large(&directory, 3, 8, 11).unwrap();
        assert_eq!(deleted.generation(), Some(8));
        assert!(deleted.recent().is_empty());

        deleted.ids_mut().insert(21);
        deleted.move_to_file_if_large(&directory, 3, 9, 11).unwrap();
        assert_eq!(deleted.generation(), Some(8));
        assert_eq!(deleted.recent(), RoaringBitmap::from([21]));

        let reopened = DeletedIds::open(&directory, 3, Some(8), deleted.recent()).unwrap();
        assert_eq!(reopened.ids(), deleted.ids());
        assert_eq!(reopened.recent(), RoaringBitmap::from([21]));
    }
}
