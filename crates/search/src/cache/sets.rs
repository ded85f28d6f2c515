//! Sets of documents that take a while to find in a text file: those that have one of very many
//! words, and those in which two words stand in a row that are not frequent.

use std::ops::Range;
use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::Result;
use segment::text::{InstanceId, TextReader};

use super::sharded::Sharded;

/// The documents of so many words are united again each time.
const FEW_WORDS: usize = 8;
/// What each 65,536 documents of a set take beside what is written of them.
const CONTAINER_BYTES: usize = 56;

pub(crate) struct SetCache(Sharded<SetKey, Arc<RoaringBitmap>>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct SetKey {
    text: InstanceId,
    having: SetContents,
}

/// What the documents of a set have. Words are told by ordinals of the file, fields by numbers.
#[derive(Debug, PartialEq, Eq, Hash)]
enum SetContents {
    OneOf { words: Range<u32> },
    OneOfIn { words: Range<u32>, fields: Box<[u16]> },
    Pair { left: u32, right: u32 },
}

impl SetCache {
    pub fn new(limit_bytes: usize) -> Self {
        Self(Sharded::new(limit_bytes))
    }

    /// The documents, deleted ones included, that have one of the words.
    pub fn documents_of_range(
        &self,
        text: &TextReader,
        words: Range<u32>,
    ) -> Result<RoaringBitmap> {
        let find = || text.documents_of_range(words.clone());
        if words.len() <= FEW_WORDS || text.has_union(&words) {
            return find();
        }
        self.get_or_find(text, SetContents::OneOf { words: words.clone() }, find)
    }

    /// The same in a field that counts. The file must have occurrences.
    pub fn documents_of_range_in_fields(
        &self,
        text: &TextReader,
        words: Range<u32>,
        counts: impl Fn(u16) -> bool,
    ) -> Result<RoaringBitmap> {
        let find = || text.documents_of_range_in_fields(words.clone(), &counts);
        if words.len() <= FEW_WORDS {
            return find();
        }
        let fields = (0..text.fields().len() as u16).filter(|field| counts(*field)).collect();
        self.get_or_find(text, SetContents::OneOfIn { words: words.clone(), fields }, find)
    }

    /// The documents, deleted ones included, in which one word directly follows another in some
    /// field.
    pub fn documents_of_pair(
        &self,
        text: &TextReader,
        left: u32,
        right: u32,
    ) -> Result<RoaringBitmap> {
        let find = || text.documents_of_pair(left, right);
        if text.has_pair(left, right) {
            return find();
        }
        self.get_or_find(text, SetContents::Pair { left, right }, find)
    }

    fn get_or_find(
        &self,
        text: &TextReader,
        having: SetContents,
        find: impl FnOnce() -> Result<RoaringBitmap>,
    ) -> Result<RoaringBitmap> {
        let key = SetKey { text: text.instance_id(), having };
        if let Some(known) = self.0.get(&key) {
            return Ok((*known).clone());
        }
        let found = find()?;
        let bytes = key.having.heap_bytes() + bytes_of(&found);
        // A copy has no room to spare, as a set that has just grown may have.
        self.0.insert(key, Arc::new(found.clone()), bytes);
        Ok(found)
    }
}

impl SetContents {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::OneOfIn { fields, .. } => size_of_val(&**fields),
            Self::OneOf { .. } | Self::Pair { .. } => 0,
        }
    }
}

/// What a set takes in memory, with the counters of its `Arc`.
fn bytes_of(set: &RoaringBitmap) -> usize {
    let containers = set.statistics().n_containers as usize;
    2 * size_of::<usize>()
        + size_of::<RoaringBitmap>()
        + containers * CONTAINER_BYTES
        + set.serialized_size()
}

#[cfg(test)]
#[path = "sets_tests.rs"]
mod tests;
