//! Strings of a column grouped by their form without accents, if it differs.

use fst::raw::Fst;

use super::column::Column;
use crate::directory::FileBytes;
use crate::encoding::offsets::Offsets;
use crate::encoding::postings;
use crate::error::Result;

#[derive(Clone, Copy)]
pub struct FoldedDictionary<'c> {
    column: &'c Column,
    dictionary: &'c Fst<FileBytes>,
    offsets: &'c Offsets,
}

impl<'c> FoldedDictionary<'c> {
    pub(super) fn new(
        column: &'c Column,
        dictionary: &'c Fst<FileBytes>,
        offsets: &'c Offsets,
    ) -> Self {
        Self { column, dictionary, offsets }
    }

    /// Returns the dictionary from form without accents to group.
    pub fn dictionary(&self) -> &'c Fst<FileBytes> {
        self.dictionary
    }

    /// Returns the ordinals of the strings of a group, ascending.
    pub fn ordinals(&self, group: u64) -> Result<Vec<u32>> {
        let Self { column, offsets, .. } = self;
        let malformed = || column.malformed("a group");
        let range = usize::try_from(group).ok().and_then(|group| offsets.range(group));
        let range = range.ok_or_else(malformed)?;
        let start = column.groups.start;
        let bytes = column.file.get(start + range.start..start + range.end)?;
        let places = postings::read_set(bytes).ok_or_else(malformed)?;
        if places.max().is_none_or(|last| last >= column.description.strings) {
            return Err(malformed());
        }
        Ok(places.iter().map(|place| column.number_count() + place).collect())
    }
}

impl std::fmt::Debug for FoldedDictionary<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FoldedDictionary").field("column", &self.column).finish_non_exhaustive()
    }
}
