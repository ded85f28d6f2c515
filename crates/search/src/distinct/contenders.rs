//! The candidates that an instance sends so that each value counts once over several instances: the
//! first document of each set of values. No other document can be kept, whatever the other
//! instances have, since whatever excludes the first one excludes the others.

use std::collections::HashSet;
use std::iter;

use roaring::RoaringBitmap;
use segment::DocId;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{DOCUMENTS_AT_A_TIME, Distinct, DistinctValue};
use crate::context::Context;
use crate::error::SearchError;

/// Maximum sizes on the wire: of a document, and of each of its values.
const BYTES_OF_DOCUMENT: usize = 14;
const BYTES_OF_VALUE: usize = 21;

/// Documents ordered by number, each with the hashes of its values. Among as many as fit on the
/// wire, a collision is as likely as a broken disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Contenders {
    /// For each document: its number, the count of its values, and their hashes.
    flat: Vec<u64>,
}

impl Contenders {
    fn push(&mut self, number: DocId, values: &[u64]) {
        self.flat.extend([u64::from(number), values.len() as u64]);
        self.flat.extend(values);
    }

    /// Iterates over the documents, up to the first malformed entry.
    pub fn iter(&self) -> impl Iterator<Item = (DocId, &[u64])> {
        let mut rest = &self.flat[..];
        iter::from_fn(move || {
            let (&[number, count], after) = rest.split_first_chunk::<2>()?;
            let values = after.get(..usize::try_from(count).ok()?)?;
            rest = &after[values.len()..];
            Some((DocId::try_from(number).ok()?, values))
        })
    }
}

/// Chooses the documents to keep from several lists, in the order of indexes and of numbers; a
/// document that shares a value with one kept before is dropped.
pub fn choose(lists: &[(&str, &Contenders)]) -> Vec<RoaringBitmap> {
    let mut all = Vec::new();
    for (place, (uid, contenders)) in lists.iter().enumerate() {
        all.extend(contenders.iter().map(|(number, values)| (*uid, number, place, values)));
    }
    all.sort_unstable_by_key(|&(uid, number, place, _)| (uid, number, place));
    let mut chosen = vec![RoaringBitmap::new(); lists.len()];
    let mut seen: HashSet<u64> = HashSet::new();
    for (_, number, place, values) in all {
        if !values.iter().any(|value| seen.contains(value)) {
            seen.extend(values);
            chosen[place].insert(number);
        }
    }
    chosen
}

impl Distinct<'_> {
    /// Returns the documents without a value, and the contenders among the others; `None` if these
    /// take more than `room` bytes on the wire. No values may have been seen before.
    pub fn contenders(
        &mut self,
        context: &Context<'_>,
        documents: &RoaringBitmap,
        room: &mut usize,
    ) -> Result<Option<(RoaringBitmap, Contenders)>, SearchError> {
        let (mut without_value, mut contenders) = (RoaringBitmap::new(), Contenders::default());
        let mut sets: HashSet<u64> = HashSet::new();
        let mut values = Vec::new();
        for (count, doc_id) in documents.iter().enumerate() {
            if count.is_multiple_of(DOCUMENTS_AT_A_TIME) {
                context.check_cancelled()?;
            }
            let Some(home) = self.segments.iter_mut().find(|segment| segment.has(doc_id)) else {
                without_value.insert(doc_id);
                continue;
            };
            let ordinals = home.cursor.seek(doc_id)?;
            let mut first_two = ordinals.clone();
            match (first_two.next(), first_two.next()) {
                (None, _) => {
                    without_value.insert(doc_id);
                    continue;
                }
                // Most documents have one value, which need not be read to tell them apart.
                (Some(only), None) if home.is_seen(only) => continue,
                (Some(only), None) => home.see(only),
                _ => {}
            }
            values.clear();
            for ordinal in ordinals {
                values.push(hash(&home.value(ordinal)?));
            }
            values.sort_unstable();
            values.dedup();
            if !sets.insert(hash_of_set(&values)) {
                continue;
            }
            let bytes = BYTES_OF_DOCUMENT + BYTES_OF_VALUE * values.len();
            let Some(left) = room.checked_sub(bytes) else { return Ok(None) };
            *room = left;
            contenders.push(doc_id, &values);
        }
        Ok(Some((without_value, contenders)))
    }

    pub fn has_value(&mut self, doc_id: DocId) -> Result<bool, SearchError> {
        match self.segments.iter_mut().find(|segment| segment.has(doc_id)) {
            Some(home) => Ok(home.cursor.seek(doc_id)?.next().is_some()),
            None => Ok(false),
        }
    }
}

fn hash(value: &DistinctValue) -> u64 {
    match value {
        // 0.0 and -0.0 are equal.
        DistinctValue::Number(number) => {
            xxh3_64_with_seed(&(number + 0.0).to_bits().to_le_bytes(), 1)
        }
        DistinctValue::Text(text) => xxh3_64(text.as_bytes()),
    }
}

fn hash_of_set(values: &[u64]) -> u64 {
    match values {
        [only] => *only,
        _ => xxh3_64(&values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contenders(documents: &[(u32, &[u64])]) -> Contenders {
        let mut contenders = Contenders::default();
        for (number, values) in documents {
            contenders.push(*number, values);
        }
        contenders
    }

    #[test]
    fn the_first_document_of_all_lists_is_kept() {
        let left = contenders(&[(1, &[10, 11]), (4, &[14])]);
        // The second goes with what the first list has, so the third stays.
        let right = contenders(&[(2, &[11, 12]), (3, &[12]), (5, &[14])]);
        let chosen = choose(&[("a", &left), ("a", &right)]);
        assert_eq!(chosen, [RoaringBitmap::from([1, 4]), RoaringBitmap::from([3])]);
        // An index comes before the next, whatever the numbers.
        let chosen = choose(&[("b", &left), ("a", &right)]);
        assert_eq!(chosen, [RoaringBitmap::new(), RoaringBitmap::from([2, 5])]);
        assert!(choose(&[]).is_empty());
    }

    #[test]
    fn a_list_survives_the_wire_and_need_not_be_sound() {
        let list = contenders(&[(7, &[u64::MAX, 1]), (9, &[])]);
        let text = serde_json::to_string(&list).unwrap();
        assert_eq!(text, "[7,2,18446744073709551615,1,9,0]");
        assert_eq!(serde_json::from_str::<Contenders>(&text).unwrap(), list);
        for (text, sound) in [("[7,1,5,9]", 1), ("[7,9,5]", 0), ("[4294967296,0]", 0), ("[1]", 0)] {
            let list: Contenders = serde_json::from_str(text).unwrap();
            assert_eq!(list.iter().count(), sound, "{text}");
        }
    }
}
