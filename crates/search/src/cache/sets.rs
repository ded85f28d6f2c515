//! Cache of document sets that are expensive to compute from a text file: those of very many words,
//! and those of two adjacent words that are not frequent.

use std::ops::Range;
use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::Result;
use segment::text::{InstanceId, TextReader};

use super::sharded::Sharded;

/// Unions of at most this many words are not cached.
const FEW_WORDS: usize = 8;
/// Overhead of each 65,536 documents of a set, beyond its serialized size.
const CONTAINER_BYTES: usize = 56;

pub(crate) struct SetCache(Sharded<SetKey, Arc<RoaringBitmap>>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct SetKey {
    text: InstanceId,
    having: SetContents,
}

/// The condition that defines a set. Words are ordinals of the file, fields are numbers.
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

    /// Returns the documents, including deleted ones, that contain one of the words.
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

    /// Like `documents_of_range`, in the fields that count. The file must have occurrences.
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

    /// Returns the documents, including deleted ones, in which one word directly follows another in
    /// some field.
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
        // A clone has no excess capacity, unlike a set that has just grown.
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

/// Returns the memory of a set, with the counters of its `Arc`.
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
