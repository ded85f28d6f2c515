//! All field names that documents of the index have ever had, nested ones with dots. Names stay
//! when their documents are deleted. As with deleted ids, new names are stored in the manifest and
//! move to a file when there are many, so that a commit does not rewrite thousands of names.

use std::collections::BTreeSet;
use std::sync::Arc;

use segment::{Directory, SegmentError};

use crate::error::Result;
use crate::file_name::FileName;
use crate::section;
use crate::tracked_file::TrackedFile;

type Names = BTreeSet<Box<str>>;

#[derive(Debug, Clone, Default)]
pub(crate) struct FieldNames {
    spilled: Option<Arc<SpilledNames>>,
    /// Names that are not in the file.
    recent: Arc<Names>,
}

#[derive(Debug)]
struct SpilledNames {
    names: Names,
    generation: u64,
    file: TrackedFile,
}

impl FieldNames {
    pub fn open(
        directory: &Arc<dyn Directory>,
        generation: Option<u64>,
        recent: Vec<Box<str>>,
    ) -> Result<Self> {
        let recent = Arc::new(recent.into_iter().collect());
        let Some(generation) = generation else {
            return Ok(Self { spilled: None, recent });
        };
        let name = FileName::fields(generation);
        let (names, length) = read(&**directory, &name.to_string())?;
        let file = TrackedFile::committed(directory, &name, length);
        Ok(Self { spilled: Some(Arc::new(SpilledNames { names, generation, file })), recent })
    }

    pub fn contains(&self, name: &str) -> bool {
        self.recent.contains(name) || self.spilled().is_some_and(|names| names.contains(name))
    }

    pub fn len(&self) -> usize {
        self.recent.len() + self.spilled().map_or(0, BTreeSet::len)
    }

    /// Iterates over the names in byte order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut recent = self.recent.iter().peekable();
        let mut spilled = self.spilled().into_iter().flatten().peekable();
        std::iter::from_fn(move || {
            let from_recent = match (recent.peek(), spilled.peek()) {
                (Some(recent), Some(spilled)) => recent < spilled,
                (recent, _) => recent.is_some(),
            };
            if from_recent { recent.next() } else { spilled.next() }
        })
        .map(|name| &**name)
    }

    pub fn recent(&self) -> &Names {
        &self.recent
    }

    /// Inserts a name, which must be new.
    pub fn insert(&mut self, name: &str) {
        Arc::make_mut(&mut self.recent).insert(name.into());
    }

    pub fn generation(&self) -> Option<u64> {
        self.spilled.as_ref().map(|spilled| spilled.generation)
    }

    pub fn file(&self) -> Option<&TrackedFile> {
        self.spilled.as_ref().map(|spilled| &spilled.file)
    }

    /// Moves all names to a file of this generation if the new ones are too large for the manifest.
    pub fn move_to_file_if_large(
        &mut self,
        directory: &Arc<dyn Directory>,
        generation: u64,
        limit_bytes: usize,
    ) -> Result<()> {
        let bytes: usize = self.recent.iter().map(|name| name.len()).sum();
        if bytes <= limit_bytes {
            return Ok(());
        }
        let mut names = (*self.recent).clone();
        names.extend(self.spilled().into_iter().flatten().cloned());
        let json = serde_json::to_vec(&names).unwrap_or_default();
        let name = FileName::fields(generation);
        let file = TrackedFile::write(directory, &name, |directory, name| {
            section::write_single(directory, name, section::FIELDS, &json)
        })?;
        self.spilled = Some(Arc::new(SpilledNames { names, generation, file }));
        self.recent = Arc::default();
        Ok(())
    }

    fn spilled(&self) -> Option<&Names> {
        self.spilled.as_ref().map(|spilled| &spilled.names)
    }
}

/// Reads the names in a file; also returns its length.
pub(crate) fn read(directory: &dyn Directory, name: &str) -> segment::Result<(Names, u64)> {
    let (bytes, length) = section::read_single(directory, name, section::FIELDS)?;
    let names = serde_json::from_slice(&bytes)
        .map_err(|error| SegmentError::damaged(name, format!("field names: {error}")))?;
    Ok((names, length))
}

#[cfg(test)]
mod tests {
    use segment::MemoryDirectory;

    use super::*;

    #[test]
    fn many_names_move_to_a_file_and_new_ones_stay_beside_it() {
        let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
        let mut names = FieldNames::default();
        for name in ["title", "", "a.b"] {
            names.insert(name);
        }
        names.move_to_file_if_large(&directory, 4, 8).unwrap();
        assert_eq!(names.generation(), None);
        names.move_to_file_if_large(&directory, 5, 7).unwrap();
        assert_eq!(names.generation(), Some(5));
        assert!(names.recent().is_empty());

        names.insert("body");
        let reopened =
            FieldNames::open(&directory, Some(5), names.recent().iter().cloned().collect())
                .unwrap();
        assert_eq!(reopened.iter().collect::<Vec<_>>(), ["", "a.b", "body", "title"]);
        assert_eq!(reopened.len(), 4);
        assert!(reopened.contains("a.b") && reopened.contains("body"));
        assert!(!reopened.contains("a"));
    }
}
