//! Lists the members of a set: reading its bytes is several times quicker than iterating over it.

use roaring::RoaringBitmap;

use super::stored_set::StoredSet;
use crate::DocId;

/// Below this, iterating is as quick.
const FEW: u64 = 256;

/// Returns the members of a set, ascending.
pub fn members(set: &RoaringBitmap) -> Vec<DocId> {
    let mut out = Vec::with_capacity(set.len() as usize);
    if set.len() >= FEW {
        let mut bytes = Vec::with_capacity(set.serialized_size());
        // Writing to memory cannot fail.
        if set.serialize_into(&mut bytes).is_ok()
            && let Some(stored) = StoredSet::parse(&bytes)
        {
            stored.append_to(&mut out);
            return out;
        }
    }
    out.extend(set);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_those_of_the_set() {
        for count in [0, 1, FEW as DocId - 1, FEW as DocId, 100_000] {
            let set: RoaringBitmap = (0..count).map(|number| number * 3).collect();
            assert!(set.iter().eq(members(&set)), "{count}");
        }
    }
}
