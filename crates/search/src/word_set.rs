//! The words of a dictionary that match a term.

use std::ops::Range;

/// Words of one segment's dictionary.
#[derive(Debug, Default, Clone)]
pub(crate) struct WordSet {
    pub ordinals: Vec<u32>,
    /// Every word that begins with the term.
    pub prefixed: Option<Range<u32>>,
}

impl WordSet {
    /// Returns the words that do not begin with the term.
    pub fn others(&self) -> impl Iterator<Item = u32> {
        let is_covered =
            |ordinal: &u32| self.prefixed.as_ref().is_some_and(|range| range.contains(ordinal));
        self.ordinals.iter().copied().filter(move |ordinal| !is_covered(ordinal))
    }
}
