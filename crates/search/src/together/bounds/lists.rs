//! The documents of words, decoded once for all groups of documents.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use segment::DocId;
use segment::text::Occurrences;

use crate::context::SegmentView;
use crate::query::SearchError;

/// Lists of words with fewer documents are decoded each time.
const LONG: usize = 1024;

#[derive(Default)]
pub(in crate::together) struct Lists {
    /// By segment and ordinal.
    long: HashMap<(usize, u32), Vec<DocId>>,
    short: Vec<DocId>,
}

impl Lists {
    /// The occurrences of a word and its documents; nothing where the segment does not have
    /// occurrences.
    pub fn get<'v>(
        &mut self,
        view: &SegmentView<'v>,
        segment: usize,
        ordinal: u32,
    ) -> Result<Option<(Occurrences<'v>, &[DocId])>, SearchError> {
        let Self { long, short } = self;
        match long.entry((segment, ordinal)) {
            Entry::Occupied(known) => {
                let doc_ids = known.into_mut();
                let occurrences = view.text.occurrences_in(ordinal, doc_ids.len())?;
                Ok(occurrences.map(|occurrences| (occurrences, &doc_ids[..])))
            }
            Entry::Vacant(unknown) => {
                short.clear();
                let Some(occurrences) = view.text.occurrences(ordinal, short)? else {
                    return Ok(None);
                };
                Ok(Some(match short.len() {
                    ..LONG => (occurrences, short),
                    _ => (occurrences, unknown.insert(std::mem::take(short))),
                }))
            }
        }
    }
}
